//! Works: which there are, and which one a text names.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Params;
use crate::api::listing;
use crate::api::service::Service;
use crate::identity::key::WorkId;
use crate::store::work::{WorkFilter, WorkRecord, WorkRef, WorkState};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list))
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
    /// Only those that were recorded before this one: the `next` of the page before.
    before: Option<String>,
    /// At most so many; 50 where it is left out, 1000 at most.
    limit: Option<u32>,
}

/// A list of works.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Works {
    /// The works, newest first.
    pub works: Vec<WorkRecord>,
    /// What to ask for as `before` to get the next page; left out where there is none. What is recorded in between
    /// moves no page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<WorkId>,
}

/// Works, newest first.
#[utoipa::path(
    get, path = "/v1/works", tag = "operate", security(("token" = [])), params(ListQuery),
    responses(
        (status = 200, body = Works),
        (status = 400, body = ProblemBody, description = "There is no such state"),
        (status = 404, body = ProblemBody, description = "The work of `before` is not there"),
    )
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Params(query): Params<ListQuery>,
) -> Result<Json<Works>, Problem> {
    let state =
        query.state.map(|word| listing::state(&word, &WorkState::ALL, WorkState::word)).transpose()?;
    let before = match &query.before {
        Some(text) => Some(find(&service, &caller, text).await?.id),
        None => None,
    };
    let limit = listing::page(query.limit);
    let namespace = caller.namespace.name.clone();
    let filter = WorkFilter { namespace, state, step: query.step, before, limit };
    let works = service.store.work_list(filter).await?;
    let next = listing::next(&works, limit, |work| work.work_id);
    Ok(Json(Works { works, next }))
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

/// No work has this name.
pub(super) fn unknown(text: &str) -> Problem {
    let detail = format!("looking for a work: no work has the id or key {text:?}");
    Problem::new(Kind::NotFound, detail).remedy("see GET /v1/works, or `onceward work list`")
}
