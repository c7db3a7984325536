//! Verdicts: how a work stands, said to whoever sent its event, claimed its key or invoked its step.
//!
//! The same standing is answered differently at the three faces. A webhook's sender is told 2xx whenever the event is kept,
//! since an error would only make it send again; an invoker is told the result; who claims is told whether it may act.

use crate::api::error::{Kind, Problem, Success, success};
use crate::contract::response::Response as ContractResponse;
use crate::identity::key::WorkId;
use crate::store::claim::{Answered, Repeat, Standing};
use crate::store::work::{WorkRecord, WorkRef, WorkState};
use axum::http::HeaderValue;
use axum::response::Response;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// The header that says that the result is the stored one.
pub const REPLAYED: &str = "onceward-replayed";

/// Where an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// By a program that claims a key to act itself.
    Claim,
    /// By the sender of a webhook.
    Intake,
    /// By a program that invokes a step.
    Invoke,
}

/// How a work stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verdict {
    /// The word for it, such as `accepted`, `duplicate`, `done`, `replay`, `in-progress`.
    #[schema(example = "duplicate")]
    pub verdict: &'static str,
    /// The work, in 64 hexadecimal digits.
    #[schema(value_type = String)]
    pub work_id: WorkId,
    /// Its readable key.
    pub key: String,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<WorkState>,
    /// The step's result: any JSON value, as the step wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output: Option<Box<RawValue>>,
    /// Why a person is asked to look at a finished work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_review: Option<String>,
    /// Why it does not go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// When to ask again, in milliseconds from now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<i64>,
    /// Where its state can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_url: Option<String>,
    /// Under which id an event with other content is kept for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub kept_as: Option<WorkId>,
}

/// A response's verdict, for the figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word(pub(super) &'static str);

/// Where a work's state can be read.
#[must_use]
pub fn status_url(work: WorkId) -> String {
    format!("/v1/works/{work}")
}

impl Verdict {
    /// A verdict that says no more than the word.
    #[must_use]
    pub fn new(verdict: &'static str, work_id: WorkId, key: impl Into<String>) -> Self {
        Self {
            verdict,
            work_id,
            key: key.into(),
            state: None,
            output: None,
            needs_review: None,
            cause: None,
            retry_after_ms: None,
            status_url: None,
            kept_as: None,
        }
    }

    /// Of work that is recorded, and goes on.
    #[must_use]
    pub fn accepted(work: WorkId, key: impl Into<String>, state: WorkState) -> Self {
        Self { state: Some(state), status_url: Some(status_url(work)), ..Self::new("accepted", work, key) }
    }

    fn at(mut self, state: WorkState, cause: Option<String>) -> Self {
        (self.state, self.cause, self.status_url) = (Some(state), cause, Some(status_url(self.work_id)));
        self
    }

    /// The response; the word goes with it, so that it can be counted.
    #[must_use]
    pub fn respond(self, how: Success) -> Response {
        let word = Word(self.verdict);
        let mut response = success(how, self);
        response.extensions_mut().insert(word);
        response
    }
}

/// Say to a face how a work stands that it does not get.
///
/// # Errors
/// [`Problem`], where the table in the API's description has an error for it.
pub fn answer(face: Face, answered: Answered) -> Result<Response, Problem> {
    let Answered { work: WorkRef { id, .. }, readable_key: key, standing } = answered;
    match (face, standing) {
        (_, Standing::TooOld) => {
            let detail =
                format!("{key}: the event lies before the window, so that it can't be told from a repeat");
            Err(Problem::new(Kind::TooOld, detail).work(id))
        }
        (_, Standing::Mismatch { recorded, arrived }) => Err(mismatch(
            id,
            format!("{key}: recorded with the content {recorded}, which stands; this one is {arrived}"),
        )),
        (Face::Intake, Standing::Quarantined { id: kept }) => {
            let verdict = Verdict { kept_as: Some(kept), ..Verdict::new("quarantined", id, key) };
            Ok(verdict.respond(Success::Accepted))
        }
        (_, Standing::Quarantined { .. }) => {
            Err(mismatch(id, format!("{key}: recorded with other content; this one is kept for a person")))
        }
        (Face::Intake, Standing::Dropped { id: kept }) => {
            let verdict = Verdict { kept_as: Some(kept), ..Verdict::new("dropped", id, key) };
            Ok(verdict.respond(Success::Done))
        }
        (_, Standing::Dropped { .. }) => {
            let detail = format!("{key}: a person decided that this event shall never run");
            Err(Problem::new(Kind::Rejected, detail).work(id))
        }
        (Face::Intake | Face::Invoke, Standing::Paused { cause }) => {
            Ok(Verdict::accepted(id, key, WorkState::Waiting)
                .at(WorkState::Waiting, Some(cause))
                .respond(Success::Accepted))
        }
        (_, Standing::Recorded) => {
            Ok(Verdict::accepted(id, key, WorkState::Waiting).respond(Success::Accepted))
        }
        (Face::Intake, standing) => {
            let mut verdict = Verdict::new("duplicate", id, key);
            verdict.state = Some(state(&standing));
            Ok(verdict.respond(Success::Done))
        }
        (_, Standing::Done(repeat)) => done(id, key, repeat),
        (
            Face::Invoke,
            standing @ (Standing::InProgress { .. } | Standing::InReview { .. } | Standing::InDoubt { .. }),
        ) => Ok(moving(id, key, standing).respond(Success::Accepted)),
        (_, standing) => Err(refused(id, &key, standing)),
    }
}

/// The answer of finished work, by its contract.
fn done(id: WorkId, key: String, repeat: Repeat) -> Result<Response, Problem> {
    let verdict = match repeat {
        Repeat::Original { output, needs_review } => Verdict {
            output: RawValue::from_string(output).ok(),
            needs_review,
            ..Verdict::new("replay", id, key)
        },
        Repeat::Acknowledgement => Verdict::new("acknowledged", id, key),
        Repeat::Erased => Verdict::new("erased", id, key),
        Repeat::Error => {
            let detail = format!("{key}: it is done, and its contract makes a repeat an error");
            return Err(Problem::new(Kind::AlreadyDone, detail).work(id).remedy("don't send it again"));
        }
    };
    let mut response = Verdict { state: Some(WorkState::Done), ..verdict }.respond(Success::Done);
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

/// The result of work to whoever began it: the first result, whatever the contract gives a repeat.
#[must_use]
pub fn finished(work: WorkRecord) -> Response {
    Verdict {
        state: Some(WorkState::Done),
        output: work.output.and_then(|output| RawValue::from_string(output).ok()),
        needs_review: work.needs_review,
        ..Verdict::new("done", work.work_id, work.readable_key)
    }
    .respond(Success::Done)
}

/// How a work stands, as a claim would be answered, by the contract of its step.
#[must_use]
pub fn standing(work: WorkRecord, response: ContractResponse) -> Answered {
    let reference = WorkRef { namespace: work.namespace.clone(), id: work.work_id };
    let readable_key = work.readable_key.clone();
    Answered { work: reference, readable_key, standing: Standing::of(work.into(), response) }
}

fn moving(id: WorkId, key: String, standing: Standing) -> Verdict {
    match standing {
        Standing::InProgress { state, retry_after_ms } => {
            let verdict =
                Verdict { retry_after_ms: Some(retry_after_ms), ..Verdict::new("in-progress", id, key) };
            verdict.at(state, None)
        }
        Standing::InReview { cause } => Verdict::new("in-review", id, key).at(WorkState::Review, Some(cause)),
        Standing::InDoubt { cause } => Verdict::new("in-doubt", id, key).at(WorkState::InDoubt, Some(cause)),
        other => Verdict { state: Some(state(&other)), ..Verdict::new("in-progress", id, key) },
    }
}

fn refused(id: WorkId, key: &str, standing: Standing) -> Problem {
    let of = |kind, cause: String, remedy: &str| {
        Problem::new(kind, format!("{key}: {cause}")).work(id).remedy(remedy)
    };
    match standing {
        Standing::InProgress { state, retry_after_ms } => {
            let detail = format!("{key}: it is {}", state.word());
            Problem::new(Kind::InProgress, detail).work(id).retry_after(retry_after_ms)
        }
        Standing::Paused { cause } => of(Kind::Paused, cause, "an operator lifts the pause"),
        Standing::InReview { cause } => of(Kind::InReview, cause, "a person decides about it"),
        Standing::InDoubt { cause } => {
            of(Kind::InDoubt, cause, "a person finds out what happened, and resolves it")
        }
        Standing::Dead { cause } => {
            of(Kind::Dead, cause, "mend the cause, and have an operator replay the work")
        }
        Standing::Rejected { cause } => {
            of(Kind::Rejected, cause, "send a corrected event under an id of its own")
        }
        _ => of(Kind::Cancelled, "an operator cancelled it".to_owned(), "ask the operator"),
    }
}

fn mismatch(id: WorkId, detail: String) -> Problem {
    Problem::new(Kind::Mismatch, detail).work(id).remedy("send a correction as an event of its own")
}

const fn state(standing: &Standing) -> WorkState {
    match standing {
        Standing::InProgress { state, .. } => *state,
        Standing::Paused { .. } => WorkState::Waiting,
        Standing::InReview { .. } => WorkState::Review,
        Standing::InDoubt { .. } => WorkState::InDoubt,
        Standing::Dead { .. } => WorkState::Dead,
        Standing::Rejected { .. } => WorkState::Rejected,
        Standing::Cancelled => WorkState::Cancelled,
        // The others are no standings of a recorded work, and are answered before.
        _ => WorkState::Done,
    }
}
