//! Decisions: what was answered once, and what it took.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::{Params, Segment};
use crate::api::listing;
use crate::api::service::Service;
use crate::api::works;
use crate::identity::key::WorkId;
use crate::store::decided::{DecisionEntry, DecisionFilter, ModelTotals};
use crate::store::work::WorkRef;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(of_work)).routes(routes!(show))
}

/// Which decisions.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only this work's: its id, its beginning, or its readable key.
    work: Option<String>,
    /// Only those of this name.
    slot: Option<String>,
    /// Only those that wait for a person.
    #[serde(default)]
    waiting: bool,
    /// At most so many; 50 where it is left out, 1000 at most.
    limit: Option<u32>,
}

/// A list of decisions.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DecisionList {
    /// The decisions, newest first.
    pub decisions: Vec<DecisionEntry>,
    /// What each model of the namespace was asked in all, and what was answered without a call.
    pub totals: Vec<ModelTotals>,
}

/// The decisions of a work.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkDecisions {
    /// The work.
    pub work_id: WorkId,
    /// Its decisions.
    pub decisions: Vec<DecisionEntry>,
}

/// Decisions, newest first, and what each model was asked in all.
#[utoipa::path(
    get, path = "/v1/decisions", tag = "operate", security(("token" = [])), params(ListQuery),
    responses(
        (status = 200, body = DecisionList),
        (status = 404, body = ProblemBody, description = "There is no such work"),
    )
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Params(query): Params<ListQuery>,
) -> Result<Json<DecisionList>, Problem> {
    let ListQuery { work, slot, waiting, limit } = query;
    let limit = listing::whole(limit)?;
    let work = match work {
        Some(text) => Some(works::find(&service, &caller, &text).await?.id),
        None => None,
    };
    let namespace = caller.namespace.name.clone();
    let totals = service.store.decision_totals(&namespace).await?;
    let filter = DecisionFilter { namespace, work, slot, waiting, limit };
    Ok(Json(DecisionList { decisions: service.store.decision_list(filter).await?, totals }))
}

/// A work's decisions with their answers.
#[utoipa::path(
    get, path = "/v1/decisions/{work}", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key")),
    responses(
        (status = 200, body = WorkDecisions),
        (status = 404, body = ProblemBody, description = "There is no such work"),
    )
)]
async fn of_work(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(text): Segment<String>,
) -> Result<Json<WorkDecisions>, Problem> {
    let work = works::find(&service, &caller, &text).await?;
    let (work_id, decisions) = (work.id, entries(&service, work, None).await?);
    Ok(Json(WorkDecisions { work_id, decisions }))
}

/// One decision.
#[utoipa::path(
    get, path = "/v1/decisions/{work}/{slot}", tag = "operate", security(("token" = [])),
    params(
        ("work" = String, Path, description = "The id, its beginning, or the readable key"),
        ("slot" = String, Path, description = "The decision's name within the work"),
    ),
    responses(
        (status = 200, body = DecisionEntry),
        (status = 404, body = ProblemBody, description = "There is no such work, or no such decision"),
    )
)]
async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment((text, slot)): Segment<(String, String)>,
) -> Result<Json<DecisionEntry>, Problem> {
    let work = works::find(&service, &caller, &text).await?;
    let id = work.id;
    let found = entries(&service, work, Some(slot.clone())).await?.pop();
    found.map(Json).ok_or_else(|| unknown(id, &slot))
}

async fn entries(
    service: &Service,
    work: WorkRef,
    slot: Option<String>,
) -> Result<Vec<DecisionEntry>, Problem> {
    let WorkRef { namespace, id } = work;
    let filter = DecisionFilter { namespace, work: Some(id), slot, waiting: false, limit: listing::LIST_MAX };
    Ok(service.store.decision_list(filter).await?)
}

/// The work has no decision of this name.
pub(super) fn unknown(work: WorkId, slot: &str) -> Problem {
    let detail = format!("looking for a decision: the work {work} has none named {slot:?}");
    Problem::new(Kind::NotFound, detail)
        .work(work)
        .remedy(format!("see GET /v1/decisions/{work}, or `onceward decision show {work}`"))
}
