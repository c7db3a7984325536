//! One work: what it was given, what was decided, what went out, and all that happened, in order.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::{Params, Segment};
use crate::api::service::Service;
use crate::api::works::{find, unknown};
use crate::identity::key::WorkId;
use crate::store::Store;
use crate::store::decided::{DecisionEntry, DecisionFilter};
use crate::store::evidence::Evidence;
use crate::store::intent::Intent;
use crate::store::outbox::{OutboxFilter, OutboxRow};
use crate::store::work::{WorkRecord, WorkRef};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Rows or decisions of a work that are shown.
const SHOWN_MAX: u32 = 1_000;

/// The routes that whoever has sent a work may use too.
pub(super) fn status_routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(show))
}

/// The routes for operators.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(event))
}

/// A work with what belongs to it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkParts {
    /// The work.
    pub work: WorkRecord,
    /// What was decided.
    pub decisions: Vec<DecisionEntry>,
    /// What goes out.
    pub rows: Vec<OutboxRow>,
    /// What an outside caller did itself.
    pub effects: Vec<Intent>,
}

/// A work with all of it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WholeWork {
    /// The work, and what belongs to it.
    #[serde(flatten)]
    pub parts: WorkParts,
    /// The stage that its handoff has reached.
    pub stage: Option<String>,
    /// All that happened, in order.
    pub evidence: Vec<Evidence>,
}

/// All that came of one event.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WholeFamily {
    /// The stage that the handoff has reached.
    pub stage: Option<String>,
    /// The works, oldest first.
    pub works: Vec<WorkParts>,
    /// All that happened to any of them, in one order.
    pub evidence: Vec<FamilyEvidence>,
}

/// A line of evidence of one of several works.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FamilyEvidence {
    /// The work.
    pub work_id: WorkId,
    /// The work's step.
    pub step: String,
    /// The line.
    #[serde(flatten)]
    pub line: Evidence,
}

/// What is shown of a work.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
enum Shown {
    /// It alone.
    Work(Box<WholeWork>),
    /// All that came of its event.
    Family(WholeFamily),
}

/// What to show.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ShowQuery {
    /// With all that came of the same event, and the evidence of all of it in one order.
    #[serde(default)]
    family: bool,
}

/// A work with its input, its decisions, its rows and its evidence.
#[utoipa::path(
    get, path = "/v1/works/{work}", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key"), ShowQuery),
    responses((status = 200, body = Shown), (status = 404, body = ProblemBody, description = "There is no such work"))
)]
async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(text): Segment<String>,
    Params(query): Params<ShowQuery>,
) -> Result<Json<Shown>, Problem> {
    let work = find(&service, &caller, &text).await?;
    let found = service.store.work_show(work).await?.ok_or_else(|| unknown(&text))?;
    let stage = service.store.progress_find(&found.namespace, found.root_key).await?;
    Ok(Json(if query.family {
        Shown::Family(family(&*service.store, &found, stage).await?)
    } else {
        let evidence = evidence(&*service.store, &found).await?;
        let parts = parts(&*service.store, found).await?;
        Shown::Work(Box::new(WholeWork { parts, stage, evidence }))
    }))
}

/// All of a family. A row that is seen as sent has its follow-up beside it, although both are read one after the other.
async fn family(store: &dyn Store, of: &WorkRecord, stage: Option<String>) -> Result<WholeFamily, Problem> {
    let mut found = store.work_family(&of.namespace, of.root_key).await?;
    loop {
        let (number, mut works, mut lines) = (found.len(), Vec::new(), Vec::new());
        for work in found {
            for line in evidence(store, &work).await? {
                lines.push(FamilyEvidence { work_id: work.work_id, step: work.step.clone(), line });
            }
            works.push(parts(store, work).await?);
        }
        found = store.work_family(&of.namespace, of.root_key).await?;
        if found.len() == number {
            lines.sort_by_key(|told| told.line.seq);
            return Ok(WholeFamily { stage, works, evidence: lines });
        }
    }
}

async fn parts(store: &dyn Store, work: WorkRecord) -> Result<WorkParts, Problem> {
    let (namespace, id) = (work.namespace.clone(), work.work_id);
    let decisions = DecisionFilter {
        namespace: namespace.clone(),
        work: Some(id),
        slot: None,
        waiting: false,
        limit: SHOWN_MAX,
    };
    let rows = OutboxFilter { work: Some(id), ..OutboxFilter::all(namespace, SHOWN_MAX) };
    Ok(WorkParts {
        decisions: store.decision_list(decisions).await?,
        rows: store.outbox_list(rows).await?,
        effects: store.effect_list(reference(&work)).await?,
        work,
    })
}

async fn evidence(store: &dyn Store, work: &WorkRecord) -> Result<Vec<Evidence>, Problem> {
    Ok(store.evidence_list(reference(work)).await?)
}

fn reference(work: &WorkRecord) -> WorkRef {
    WorkRef { namespace: work.namespace.clone(), id: work.work_id }
}

/// The event of a work as it arrived, byte for byte, with the type that its sender said.
#[utoipa::path(
    get, path = "/v1/works/{work}/event", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key")),
    responses(
        (status = 200, description = "The body as it arrived", content_type = "application/octet-stream", body = [u8]),
        (status = 404, body = ProblemBody, description = "There is no such work, it came without an event, or that was erased"),
    )
)]
async fn event(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(text): Segment<String>,
) -> Result<Response, Problem> {
    let work = find(&service, &caller, &text).await?;
    let id = work.id;
    let raw = service.store.event_raw(work).await?.ok_or_else(|| {
        let detail =
            format!("reading the event of the work {id}: it was recorded without one, or it was erased");
        Problem::new(Kind::NotFound, detail).work(id)
    })?;
    let mut response = Response::new(Body::from(raw.bytes));
    let said = raw.content_type.and_then(|said| HeaderValue::from_str(&said).ok());
    let content_type = said.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    // A stranger wrote it, and the type is theirs too: no browser may take it for a page of this host.
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    Ok(response)
}
