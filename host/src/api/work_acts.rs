//! What a person decides about a work that can't go on by itself, or shall not.

use crate::api::action::{ActionKey, wrong_state};
use crate::api::auth::{Caller, Said, usable};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody, Success, success};
use crate::api::extract::Segment;
use crate::api::service::Service;
use crate::api::works::{find, unknown};
use crate::identity::key::WorkId;
use crate::store::operate::{Decided, WorkDecision};
use crate::store::work::{WorkRef, WorkState};
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How long whoever cancels a running work waits for its run to end, in milliseconds. A guest is stopped within moments; a
/// call to a model that is under way may take longer.
const CANCEL_PATIENCE_MS: u64 = 2_000;

/// What a done work in doubt gives to those who ask again, where the person gives nothing.
const NO_OUTPUT: &str = "null";

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(replay))
        .routes(routes!(reject))
        .routes(routes!(cancel))
        .routes(routes!(resolve))
}

/// What became of an act.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkActed {
    /// `applied`, or `asked` where it comes into effect when the run that is under way ends.
    pub verdict: String,
    /// The work.
    pub work_id: WorkId,
    /// Where it stands now.
    pub state: WorkState,
}

impl WorkActed {
    /// The verdict of an act that is done.
    pub const APPLIED: &str = "applied";
    /// The verdict of an act that waits for the end of a run.
    pub const ASKED: &str = "asked";

    fn respond(verdict: &str, work_id: WorkId, state: WorkState, how: Success) -> Response {
        success(how, Self { verdict: verdict.to_owned(), work_id, state })
    }
}

/// What happened to a work in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkResolution {
    /// It has happened.
    Done,
    /// It has not happened: run it again.
    Again,
    /// Leave it as a dead letter.
    Dead,
}

/// A person's word about a work in doubt.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// What happened, or shall happen.
    pub r#as: WorkResolution,
    /// With `done`: the result for those who ask again, any JSON value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output: Option<Box<RawValue>>,
    /// With `done`: the id that the third party gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

impl Resolve {
    /// The decision, and who says it.
    fn decision(self) -> Result<(WorkDecision, Said), Problem> {
        let Self { r#as: resolution, output, reference, by, why } = self;
        if let Some(reference) = &reference {
            usable("reference", reference)?;
        }
        let decision = match resolution {
            WorkResolution::Done => {
                let output = output.map_or_else(|| NO_OUTPUT.to_owned(), |output| output.get().to_owned());
                WorkDecision::Done { output, external_reference: reference }
            }
            WorkResolution::Again | WorkResolution::Dead if output.is_some() || reference.is_some() => {
                let detail = "resolving a work: `output` and `reference` go with `done` alone";
                return Err(Problem::new(Kind::Invalid, detail).remedy("leave them out"));
            }
            WorkResolution::Again => WorkDecision::Again { due_in_ms: 0 },
            WorkResolution::Dead => WorkDecision::Dead,
        };
        Ok((decision, Said { by, why }))
    }
}

/// Run a dead work, or one in review, again: the same identity, a fresh budget.
#[utoipa::path(
    post, path = "/v1/works/{work}/replay", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = WorkActed, description = "It waits for a worker"),
        (status = 404, body = ProblemBody, description = "There is no such work"),
        (status = 409, body = ProblemBody, description = "It is in another state"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn replay(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Response, Problem> {
    decide(&service, &caller, &text, WorkDecision::Replay { due_in_ms: 0 }, said, key).await
}

/// Say that a dead work, or one in review, shall never run.
#[utoipa::path(
    post, path = "/v1/works/{work}/reject", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = WorkActed, description = "It is rejected"),
        (status = 404, body = ProblemBody, description = "There is no such work"),
        (status = 409, body = ProblemBody, description = "It is in another state"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn reject(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Response, Problem> {
    decide(&service, &caller, &text, WorkDecision::Reject, said, key).await
}

/// Stop a work that waits, runs, or is in review.
///
/// A run that is under way is stopped, and nothing that it has collected commits. The answer waits a moment for its end.
#[utoipa::path(
    post, path = "/v1/works/{work}/cancel", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = WorkActed, description = "It is cancelled"),
        (status = 202, body = WorkActed, description = "Its run goes on for now; the work is cancelled when that ends"),
        (status = 404, body = ProblemBody, description = "There is no such work"),
        (status = 409, body = ProblemBody, description = "It is in another state: it was done before, for example"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn cancel(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Response, Problem> {
    decide(&service, &caller, &text, WorkDecision::Cancel, said, key).await
}

/// Say what happened to a work in doubt.
#[utoipa::path(
    post, path = "/v1/works/{work}/resolve", tag = "operate", security(("token" = [])),
    params(("work" = String, Path, description = "The id, its beginning, or the readable key"), ActionKey),
    request_body = Resolve,
    responses(
        (status = 200, body = WorkActed, description = "It is done, waits, or is dead"),
        (status = 404, body = ProblemBody, description = "There is no such work"),
        (status = 409, body = ProblemBody, description = "It is not in doubt"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn resolve(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(resolve): JsonBody<Resolve>,
) -> Result<Response, Problem> {
    let (decision, said) = resolve.decision()?;
    decide(&service, &caller, &text, decision, said, key).await
}

async fn decide(
    service: &Service,
    caller: &Caller,
    text: &str,
    decision: WorkDecision,
    said: Said,
    ActionKey(action): ActionKey,
) -> Result<Response, Problem> {
    let actor = caller.actor(said, action)?;
    let work = find(service, caller, text).await?;
    match service.store.work_decide(work.clone(), decision.clone(), actor).await? {
        Decided::Applied => {
            Ok(WorkActed::respond(WorkActed::APPLIED, work.id, decision.to_state(), Success::Done))
        }
        Decided::Asked => stop(service, caller, &work, &decision).await,
        Decided::Refused(state) => Err(refused(&work, state, &decision)),
        Decided::Unknown => Err(unknown(text)),
    }
}

/// The work will be cancelled at the settle of its run. See to it that this comes soon, and say how far it has come.
async fn stop(
    service: &Service,
    caller: &Caller,
    work: &WorkRef,
    decision: &WorkDecision,
) -> Result<Response, Problem> {
    let found = match &caller.namespace.executor {
        Some(executor) => {
            executor.cancel(work.id);
            executor.rest(work, Instant::now() + Duration::from_millis(CANCEL_PATIENCE_MS)).await?
        }
        None => service.store.work_show(work.clone()).await?,
    };
    match found.map(|found| found.state) {
        Some(WorkState::Cancelled) => {
            Ok(WorkActed::respond(WorkActed::APPLIED, work.id, WorkState::Cancelled, Success::Done))
        }
        Some(state @ (WorkState::Running | WorkState::Waiting)) => {
            Ok(WorkActed::respond(WorkActed::ASKED, work.id, state, Success::Accepted))
        }
        Some(state) => Err(refused(work, state, decision)),
        None => Err(unknown(&work.id.to_string())),
    }
}

fn refused(work: &WorkRef, state: WorkState, decision: &WorkDecision) -> Problem {
    if state == WorkState::Running && *decision == WorkDecision::Cancel {
        let detail = format!(
            "cancelling the work {}: an outside caller runs it, who alone knows what it has done; nothing was changed",
            work.id
        );
        let remedy = "let it settle the work; where it has gone, cancel the work when its lease has ended, or resolve it where it is in doubt then";
        return Problem::new(Kind::WrongState, detail).work(work.id).remedy(remedy);
    }
    let from = decision.from_states().iter().copied().map(WorkState::word);
    wrong_state("work", work.id, state.word(), from).work(work.id)
}
