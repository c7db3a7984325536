//! Rows: what goes out, which there are, and which one a text names.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::{Params, Segment};
use crate::api::listing;
use crate::api::service::Service;
use crate::api::works;
use crate::identity::key::RowId;
use crate::store::outbox::{OutboxFilter, OutboxRow, RowState};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(show))
}

/// Which rows.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only this state: held, suppressed, pending, sending, sent, blocked, in-doubt, cancelled or superseded.
    state: Option<String>,
    /// Only this work's: its id, its beginning, or its readable key.
    work: Option<String>,
    /// Only for this destination.
    destination: Option<String>,
    /// Only those that were recorded before this one: the `next` of the page before.
    before: Option<String>,
    /// At most so many; 50 where it is left out, 1000 at most.
    limit: Option<u32>,
}

/// A list of rows.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RowList {
    /// The rows, newest first.
    pub rows: Vec<OutboxRow>,
    /// What to ask for as `before` to get the next page; left out where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<RowId>,
}

/// Rows, newest first.
#[utoipa::path(
    get, path = "/v1/rows", tag = "operate", security(("token" = [])), params(ListQuery),
    responses(
        (status = 200, body = RowList),
        (status = 400, body = ProblemBody, description = "There is no such state"),
        (status = 404, body = ProblemBody, description = "The work, or the row of `before`, is not there"),
    )
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Params(query): Params<ListQuery>,
) -> Result<Json<RowList>, Problem> {
    let ListQuery { state, work, destination, before, limit } = query;
    let state = state.map(|word| listing::state(&word, &RowState::ALL, RowState::word)).transpose()?;
    let work = match work {
        Some(text) => Some(works::find(&service, &caller, &text).await?.id),
        None => None,
    };
    let before = match before {
        Some(text) => Some(find(&service, &caller, &text).await?.row_id),
        None => None,
    };
    let limit = listing::page(limit);
    let namespace = caller.namespace.name.clone();
    let filter = OutboxFilter { namespace, state, work, destination, before, limit };
    let rows = service.store.outbox_list(filter).await?;
    let next = listing::next(&rows, limit, |row| row.row_id);
    Ok(Json(RowList { rows, next }))
}

/// One row.
#[utoipa::path(
    get, path = "/v1/rows/{row}", tag = "operate", security(("token" = [])),
    params(("row" = String, Path, description = "The id, or its beginning")),
    responses((status = 200, body = OutboxRow), (status = 404, body = ProblemBody, description = "There is no such row"))
)]
async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(text): Segment<String>,
) -> Result<Json<OutboxRow>, Problem> {
    find(&service, &caller, &text).await.map(Json)
}

/// The row that a text names: an id, or its beginning.
///
/// # Errors
/// [`Problem`], where it names none, or several.
pub(super) async fn find(service: &Service, caller: &Caller, text: &str) -> Result<OutboxRow, Problem> {
    let mut found = service.store.outbox_resolve(&caller.namespace.name, text).await?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(unknown(text)),
        several => {
            let detail = format!("looking for a row: {several} begin with {text:?}");
            Err(Problem::new(Kind::BadRequest, detail).remedy("give more of the id"))
        }
    }
}

/// No row has this id.
pub(super) fn unknown(text: &str) -> Problem {
    Problem::new(Kind::NotFound, format!("looking for a row: no row has the id {text:?}"))
        .remedy("see GET /v1/rows, or `onceward outbox list`")
}
