//! Running the event of an old work under its step's present version.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody, Success, success};
use crate::api::extract::Segment;
use crate::api::service::Service;
use crate::api::works::{find, unknown};
use crate::identity::key::WorkId;
use crate::store::reprocess::Reprocessed;
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(reprocess))
}

/// A work whose event runs under the present version.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReprocessedWork {
    /// `reprocessed`, or `already` where it was before.
    pub verdict: String,
    /// The old work.
    pub work_id: WorkId,
    /// The new work.
    pub r#as: WorkId,
}

impl ReprocessedWork {
    /// The verdict of an event that runs again by this act.
    pub const REPROCESSED: &str = "reprocessed";
    /// The verdict of one that has been run under the present version before.
    pub const ALREADY: &str = "already";
}

/// Run the event of an old work under its step's present version, as new work beside the old one.
///
/// Effects keep their ids, so that nothing is sent again.
#[utoipa::path(
    post, path = "/v1/works/{work}/reprocess", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = ReprocessedWork, description = "The new work waits for a worker, or has been there before"),
        (status = 404, body = ProblemBody, description = "There is no such work"),
        (status = 409, body = ProblemBody, description = "`not-raised`, `unfinished` or `no-event`; or its step is not there"),
        (status = 410, body = ProblemBody, description = "Its event was erased on request"),
        (status = 422, body = ProblemBody, description = "The event has no identity under the present version; or nobody is named"),
        (status = 503, body = ProblemBody, description = "This host has no steps loaded"),
    )
)]
async fn reprocess(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Response, Problem> {
    let actor = caller.actor(said, key)?;
    let work = find(&service, &caller, &text).await?;
    let id = work.id;
    let refused = |kind, cause: String| {
        Err(Problem::new(kind, format!("reprocessing the work {id}: {cause}; nothing was changed")).work(id))
    };
    let (verdict, r#as) = match caller.namespace.executor()?.dispatcher().reprocess(work, actor).await? {
        Reprocessed::Applied { id } => (ReprocessedWork::REPROCESSED, id),
        Reprocessed::Already { id } => (ReprocessedWork::ALREADY, id),
        Reprocessed::NotRaised { version } => {
            let cause =
                format!("it was recorded under version {version}; raise the step's version to run it again");
            return refused(Kind::NotRaised, cause);
        }
        Reprocessed::Unfinished { id: which, state } => {
            let cause =
                format!("{which} has not come to its end, but is {}; finish that first", state.word());
            return refused(Kind::Unfinished, cause);
        }
        Reprocessed::Erased => {
            let cause = "it was erased on request, so that there is nothing to run; send the event under a key of its own";
            return refused(Kind::Erased, cause.to_owned());
        }
        Reprocessed::NoEvent => {
            let cause = "it stands for no event; reprocess the work that it descends from";
            return refused(Kind::NoEvent, cause.to_owned());
        }
        Reprocessed::Unknown => return Err(unknown(&text)),
    };
    Ok(success(Success::Done, ReprocessedWork { verdict: verdict.to_owned(), work_id: id, r#as }))
}
