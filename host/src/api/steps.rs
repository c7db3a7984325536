//! Invoking a step: run it now, or get what it came to before.

use crate::api::auth::Caller;
use crate::api::body::Raw;
use crate::api::error::{Kind, Problem, ProblemBody, Success, success};
use crate::api::event_body::event_of;
use crate::api::extract::{Params, Segment};
use crate::api::service::Service;
use crate::api::verdict::{Face, Verdict, answer, finished, standing};
use crate::dispatch::executor::Executor;
use crate::dispatch::read::{Read, ReadEnd};
use crate::dispatch::step::Claimed;
use crate::identity::event::Event;
use crate::store::claim::Standing;
use crate::store::quarantine::OnMismatch;
use crate::store::work::{WorkRef, WorkState};
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How long an invoker waits where it does not say, in milliseconds.
const WAIT_DEFAULT_MS: u64 = 30_000;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(invoke))
}

/// The query of an invocation.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Wait {
    /// How long to wait for the end, in seconds; 30 where it is left out, 0 not at all. After it the answer is 202 with a
    /// status URL.
    #[param(example = 30)]
    wait: Option<f64>,
    /// Keep an event for a person whose identity is on record with other content, instead of refusing it alone.
    #[serde(default)]
    quarantine: bool,
}

/// The result of a step that only reads.
#[derive(Debug, Serialize, ToSchema)]
struct ReadVerdict {
    /// Always `read`.
    verdict: &'static str,
    /// Runs that were made.
    attempts: u32,
    /// The step's result: any JSON value, as the step wrote it.
    #[schema(value_type = Option<Object>)]
    output: Option<Box<RawValue>>,
    /// Why a person is asked to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_review: Option<String>,
}

/// Run a step on an event, or get what it came to when the event came before.
///
/// The body is an event: `{"source", "id", "time", "data"}`, or a CloudEvent in structured or binary form. With an
/// `Idempotency-Key` header the whole body is the payload, and the key takes the place of the event's id.
#[utoipa::path(
    post, path = "/v1/steps/{step}/invoke", tag = "steps", security(("token" = [])),
    params(("step" = String, Path, description = "The step's name"), Wait),
    request_body(content = Object, content_type = "application/json"),
    responses(
        (status = 200, body = Verdict, description = "Done; with `Onceward-Replayed: true` it was done before"),
        (status = 202, body = Verdict, description = "It goes on, or waits for a person"),
        (status = 400, body = ProblemBody, description = "The event can't be read, or has no identity"),
        (status = 404, body = ProblemBody, description = "There is no such step"),
        (status = 409, body = ProblemBody, description = "Dead, rejected, cancelled, or already done"),
        (status = 410, body = ProblemBody, description = "Older than what is remembered"),
        (status = 422, body = ProblemBody, description = "The identity is recorded with other content"),
        (status = 503, body = ProblemBody, description = "Every place is taken and too many callers wait (`busy`), or it could not be recorded; nothing was, so send it again"),
    )
)]
async fn invoke(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(step): Segment<String>,
    Params(wait): Params<Wait>,
    raw: Raw,
) -> Result<Response, Problem> {
    let until = Instant::now() + patience(&service, wait)?;
    let event = event_of(&raw)?;
    let executor = caller.namespace.executor()?;
    if executor.dispatcher().reads_only(&step)? {
        return read(executor, &step, &event).await;
    }
    let on_mismatch = if wait.quarantine { OnMismatch::Quarantine } else { OnMismatch::Refuse };
    match executor.dispatcher().arrive(&step, &event, on_mismatch).await? {
        Claimed::Held(held) => {
            let work = held.work_ref();
            let durable = held.durable().clone();
            if let Some(done) = executor.finish(*held, until).await {
                return Ok(finished(done));
            }
            // Whoever is told that it goes on must find it after a crash too.
            durable.wait().await?;
            rest(executor, &work, until, None).await
        }
        Claimed::Answered(answered) => match answered.standing {
            Standing::InProgress { retry_after_ms, .. } => {
                rest(executor, &answered.work, until, Some(retry_after_ms)).await
            }
            _ => answer(Face::Invoke, answered),
        },
    }
}

fn patience(service: &Service, Wait { wait, .. }: Wait) -> Result<Duration, Problem> {
    let Some(seconds) = wait else { return Ok(Duration::from_millis(WAIT_DEFAULT_MS)) };
    let most = Duration::from_millis(service.limits.wait_max_ms);
    Duration::try_from_secs_f64(seconds).ok().filter(|wait| *wait <= most).ok_or_else(|| {
        let detail =
            format!("reading `wait`: {seconds} is no number of seconds from 0 to {}", most.as_secs());
        Problem::new(Kind::BadRequest, detail)
    })
}

/// Wait until a work has come to rest, and say how it stands then. Whoever has not begun it (they were told when to ask
/// again, in milliseconds) gets what its contract gives a repeat.
async fn rest(
    executor: &Arc<Executor>,
    work: &WorkRef,
    until: Instant,
    attached_ms: Option<i64>,
) -> Result<Response, Problem> {
    let Some(found) = executor.rest(work, until).await? else {
        return Err(Problem::new(Kind::NotFound, "the work was removed in the meantime").work(work.id));
    };
    if found.state == WorkState::Done && attached_ms.is_none() {
        return Ok(finished(found));
    }
    let response = executor.dispatcher().response(&found.step)?;
    let mut answered = standing(found, response);
    if let (Standing::InProgress { retry_after_ms, .. }, Some(told_ms)) =
        (&mut answered.standing, attached_ms)
    {
        *retry_after_ms = told_ms;
    }
    answer(Face::Invoke, answered)
}

async fn read(executor: &Executor, step: &str, event: &Event) -> Result<Response, Problem> {
    let Read { attempts, end } = executor.dispatcher().read(step, event).await?;
    let refused = |kind, cause: String| Problem::new(kind, format!("reading with {step:?}: {cause}"));
    match end {
        ReadEnd::Done { output, needs_review } => {
            let output = RawValue::from_string(output).ok();
            Ok(success(Success::Done, ReadVerdict { verdict: "read", attempts, output, needs_review }))
        }
        ReadEnd::Review(cause) => Err(refused(Kind::InReview, cause)),
        ReadEnd::Rejected(cause) => Err(refused(Kind::Rejected, cause)),
        ReadEnd::Failed(cause) => Err(refused(Kind::Dead, cause)),
        ReadEnd::Paused(cause) => Err(refused(Kind::Paused, cause)),
    }
}
