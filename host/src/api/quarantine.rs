//! Quarantine: events whose identity is on record with other content, kept for a person who says which of the two it was.

use crate::api::action::{ActionKey, wrong_state};
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::{Params, Segment};
use crate::api::listing;
use crate::api::service::Service;
use crate::identity::key::WorkId;
use crate::store::operate::Decided;
use crate::store::quarantine::{QuarantineDecision, QuarantineFilter, QuarantineState, Quarantined};
use crate::store::work::WorkRecord;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(admit))
        .routes(routes!(drop))
}

/// Which kept events.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only this state: waiting, admitted or dropped.
    state: Option<String>,
    /// At most so many; 50 where it is left out, 1000 at most.
    limit: Option<u32>,
}

/// A list of kept events.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KeptEvents {
    /// The events, newest first.
    pub events: Vec<Quarantined>,
}

/// A kept event beside what came first.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KeptEvent {
    /// The event, with its content.
    pub event: Quarantined,
    /// The work with the first content, which stands; none where it is forgotten.
    pub first: Option<WorkRecord>,
}

/// What became of a person's word.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KeptEventActed {
    /// Always `applied`.
    pub verdict: String,
    /// The event: the id that it has, or would have, as work of its own.
    pub work_id: WorkId,
    /// Where it stands now.
    pub state: QuarantineState,
}

/// Kept events, newest first.
#[utoipa::path(
    get, path = "/v1/quarantine", tag = "operate", security(("token" = [])), params(ListQuery),
    responses(
        (status = 200, body = KeptEvents),
        (status = 400, body = ProblemBody, description = "There is no such state"),
    )
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Params(query): Params<ListQuery>,
) -> Result<Json<KeptEvents>, Problem> {
    let limit = listing::whole(query.limit)?;
    let named = query.state.map(|word| listing::state(&word, &QuarantineState::ALL, QuarantineState::word));
    let filter =
        QuarantineFilter { namespace: caller.namespace.name.clone(), state: named.transpose()?, limit };
    Ok(Json(KeptEvents { events: service.store.quarantine_list(filter).await? }))
}

/// One kept event, beside the content that came first.
#[utoipa::path(
    get, path = "/v1/quarantine/{event}", tag = "operate", security(("token" = [])),
    params(("event" = String, Path, description = "The id, or its beginning")),
    responses(
        (status = 200, body = KeptEvent),
        (status = 404, body = ProblemBody, description = "There is no such event"),
    )
)]
async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(text): Segment<String>,
) -> Result<Json<KeptEvent>, Problem> {
    let event = find(&service, &caller, &text).await?;
    let family = service.store.work_family(&caller.namespace.name, event.collides_with).await?;
    let first = family.into_iter().rfind(|work| work.step == event.step);
    Ok(Json(KeptEvent { event, first }))
}

/// It is something else than what came first: run it as new work.
#[utoipa::path(
    post, path = "/v1/quarantine/{event}/admit", tag = "operate", security(("token" = [])),
    params(("event" = String, Path, description = "The id, or its beginning"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = KeptEventActed, description = "It is work of its own"),
        (status = 404, body = ProblemBody, description = "There is no such event"),
        (status = 409, body = ProblemBody, description = "Somebody has decided about it before"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn admit(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Json<KeptEventActed>, Problem> {
    decide(&service, &caller, &text, QuarantineDecision::Admit, said, key).await
}

/// It shall never run. The record stays.
#[utoipa::path(
    post, path = "/v1/quarantine/{event}/drop", tag = "operate", security(("token" = [])),
    params(("event" = String, Path, description = "The id, or its beginning"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = KeptEventActed, description = "It is dropped"),
        (status = 404, body = ProblemBody, description = "There is no such event"),
        (status = 409, body = ProblemBody, description = "Somebody has decided about it before"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn drop(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Json<KeptEventActed>, Problem> {
    decide(&service, &caller, &text, QuarantineDecision::Drop, said, key).await
}

async fn decide(
    service: &Service,
    caller: &Caller,
    text: &str,
    decision: QuarantineDecision,
    said: Said,
    ActionKey(action): ActionKey,
) -> Result<Json<KeptEventActed>, Problem> {
    let actor = caller.actor(said, action)?;
    let work_id = find(service, caller, text).await?.work_id;
    match service.store.quarantine_decide(&caller.namespace.name, work_id, decision, actor).await? {
        Decided::Applied | Decided::Asked => {
            let verdict = "applied".to_owned();
            Ok(Json(KeptEventActed { verdict, work_id, state: decision.to_state() }))
        }
        Decided::Refused(state) => {
            Err(wrong_state("kept event", work_id, state.word(), [QuarantineState::Waiting.word()]))
        }
        Decided::Unknown => Err(unknown(text)),
    }
}

async fn find(service: &Service, caller: &Caller, text: &str) -> Result<Quarantined, Problem> {
    let mut found = service.store.quarantine_resolve(&caller.namespace.name, text).await?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(unknown(text)),
        several => {
            let detail = format!("looking for a kept event: {several} begin with {text:?}");
            Err(Problem::new(Kind::BadRequest, detail).remedy("give more of the id"))
        }
    }
}

fn unknown(text: &str) -> Problem {
    Problem::new(Kind::NotFound, format!("looking for a kept event: none has the id {text:?}"))
        .remedy("see GET /v1/quarantine, or `onceward quarantine list`")
}
