//! Works: how they stand, and what people say about them.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::{Params, Segment};
use crate::api::service::Service;
use crate::identity::key::WorkId;
use crate::store::Store;
use crate::store::decided::{DecisionEntry, DecisionFilter};
use crate::store::evidence::Evidence;
use crate::store::intent::Intent;
use crate::store::outbox::{OutboxFilter, OutboxRow};
use crate::store::work::{WorkFilter, WorkRecord, WorkRef, WorkState};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Rows or decisions of a work that are shown.
const SHOWN_MAX: u32 = 1_000;

/// Works that are listed where nobody says how many, and at most.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 1_000;

/// The routes that whoever has sent a work may use too.
pub(super) fn status_routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(show))
}

/// The routes for operators.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list))
}

/// A work with all that belongs to it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WholeWork {
    /// The work.
    pub work: WorkRecord,
    /// The stage that its handoff has reached.
    pub stage: Option<String>,
    /// What was decided.
    pub decisions: Vec<DecisionEntry>,
    /// What goes out.
    pub rows: Vec<OutboxRow>,
    /// What an outside caller did itself.
    pub effects: Vec<Intent>,
    /// All that happened, in order.
    pub evidence: Vec<Evidence>,
}

impl WholeWork {
    /// Read all of a work.
    ///
    /// # Errors
    /// [`Problem`], where the store fails.
    async fn read(store: &dyn Store, work: WorkRecord) -> Result<Self, Problem> {
        let (namespace, id) = (work.namespace.clone(), work.work_id);
        let reference = WorkRef { namespace: namespace.clone(), id };
        let stage = store.progress_find(&namespace, work.root_key).await?;
        let decisions = DecisionFilter {
            namespace: namespace.clone(),
            work: Some(id),
            slot: None,
            waiting: false,
            limit: SHOWN_MAX,
        };
        let rows = OutboxFilter { namespace, state: None, work: Some(id), limit: SHOWN_MAX };
        Ok(Self {
            stage,
            decisions: store.decision_list(decisions).await?,
            rows: store.outbox_list(rows).await?,
            effects: store.effect_list(reference.clone()).await?,
            evidence: store.evidence_list(reference).await?,
            work,
        })
    }
}

/// Which works.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only this state: waiting, running, done, review, rejected, in-doubt, dead or cancelled.
    state: Option<String>,
    /// Only this step.
    step: Option<String>,
    /// At most so many; 50 where it is left out, 1000 at most.
    limit: Option<u32>,
}

/// A list of works.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Works {
    /// The works, newest first.
    pub works: Vec<WorkRecord>,
}

/// Works, newest first.
#[utoipa::path(
    get, path = "/v1/works", tag = "operate", security(("token" = [])), params(ListQuery),
    responses((status = 200, body = Works), (status = 400, body = ProblemBody))
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Params(query): Params<ListQuery>,
) -> Result<Json<Works>, Problem> {
    let state = query.state.as_deref().map(work_state).transpose()?;
    let limit = query.limit.unwrap_or(LIST_DEFAULT).min(LIST_MAX);
    let filter = WorkFilter { namespace: caller.namespace.name.clone(), state, step: query.step, limit };
    Ok(Json(Works { works: service.store.work_list(filter).await? }))
}

fn work_state(word: &str) -> Result<WorkState, Problem> {
    WorkState::from_word(word).ok_or_else(|| {
        let known = WorkState::ALL.map(WorkState::word).join(", ");
        Problem::new(Kind::BadRequest, format!("reading `state`: {word:?} is none of {known}"))
    })
}

/// A work with its input, its decisions, its rows and its evidence.
#[utoipa::path(
    get, path = "/v1/works/{work}", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key")),
    responses((status = 200, body = WholeWork), (status = 404, body = ProblemBody))
)]
async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(text): Segment<String>,
) -> Result<Json<WholeWork>, Problem> {
    let work = find(&service, &caller, &text).await?;
    let found = service.store.work_show(work.clone()).await?;
    let found = found.ok_or_else(|| unknown(&text))?;
    Ok(Json(WholeWork::read(&*service.store, found).await?))
}

/// The work that a text names: an id, its beginning, or a readable key.
///
/// # Errors
/// [`Problem`], where it names none, or several.
pub(super) async fn find(service: &Service, caller: &Caller, text: &str) -> Result<WorkRef, Problem> {
    let namespace = &caller.namespace.name;
    let found: Vec<WorkId> = service.store.work_resolve(namespace, text).await?;
    match found[..] {
        [id] => Ok(WorkRef { namespace: namespace.clone(), id }),
        [] => Err(unknown(text)),
        _ => {
            let detail = format!("looking for a work: {text:?} names {} of them", found.len());
            Err(Problem::new(Kind::BadRequest, detail).remedy("give more of the id"))
        }
    }
}

fn unknown(text: &str) -> Problem {
    Problem::new(Kind::NotFound, format!("looking for a work: there is none that {text:?} names"))
        .remedy("GET /v1/works lists them")
}
