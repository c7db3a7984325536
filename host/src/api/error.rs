//! Problems: how the API says no, and the only file that knows status codes.
//!
//! Each is an RFC 9457 problem with a stable `type` (`urn:onceward:problem:<word>`), what was attempted and what is wrong
//! in `detail`, what helps in `remedy`, and whether sending the same again can help in `retryable`. What a fault of this
//! program or of its disk says goes to the log; the sender gets the request's id, under which it stands there.

use crate::dispatch::error::DispatchError;
use crate::dispatch::reprocess::ReprocessError;
use crate::identity::key::WorkId;
use crate::store::error::StoreError;
use axum::Json;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::error::Error;
use utoipa::ToSchema;

/// The beginning of every problem's type.
pub const TYPE_PREFIX: &str = "urn:onceward:problem:";

/// The media type of a problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// When to try again where the host itself is the reason, in milliseconds.
const HOST_RETRY_MS: i64 = 1_000;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $status:ident, $retryable:literal, $title:literal;)*) => {
        /// What kind of problem it is. The word is stable: programs may depend on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable word.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// The status that goes with it.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// Whether sending the same again can help.
            #[must_use]
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$name => $retryable,)* }
            }

            /// The same for every problem of the kind.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

kinds! {
    /// The request can't be read.
    BadRequest = "bad-request", BAD_REQUEST, false, "The request can't be read";
    /// The body is no acceptable JSON.
    BadJson = "bad-json", BAD_REQUEST, false, "The body is no acceptable JSON";
    /// An identity field is missing.
    NoIdentity = "no-identity", BAD_REQUEST, false, "The event has no usable identity";
    /// No token, or none that is known.
    Unauthenticated = "unauthenticated", UNAUTHORIZED, false, "A known token is needed";
    /// The signature does not hold.
    BadSignature = "bad-signature", UNAUTHORIZED, false, "The signature does not hold";
    /// The token may not do this.
    Forbidden = "forbidden", FORBIDDEN, false, "The token may not do this";
    /// There is nothing of this name here.
    NotFound = "not-found", NOT_FOUND, false, "There is nothing of this name";
    /// The path has no such method.
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, false, "The path has no such method";
    /// The body did not come in time.
    TooSlow = "too-slow", REQUEST_TIMEOUT, true, "The body did not come in time";
    /// Somebody is at it.
    InProgress = "in-progress", CONFLICT, true, "The work is in progress";
    /// It is recorded, and its step is stopped.
    Paused = "paused", CONFLICT, true, "The work is recorded, and its step is paused";
    /// It is done, and the contract makes a repeat an error.
    AlreadyDone = "already-done", CONFLICT, false, "The work is done already";
    /// A person must decide.
    InReview = "in-review", CONFLICT, false, "The work waits for a person";
    /// It may or may not have happened.
    InDoubt = "in-doubt", CONFLICT, false, "The work is in doubt";
    /// Its attempts are used up.
    Dead = "dead", CONFLICT, false, "The work is dead";
    /// It can never succeed.
    Rejected = "rejected", CONFLICT, false, "The work is rejected";
    /// An operator stopped it.
    Cancelled = "cancelled", CONFLICT, false, "The work is cancelled";
    /// The claim is somebody else's now.
    LeaseLost = "lease-lost", CONFLICT, false, "The claim is no longer held";
    /// It can't be said in this state.
    WrongState = "wrong-state", CONFLICT, false, "This can't be said in the present state";
    /// Another payload, or another revision, than the person saw.
    Changed = "changed", CONFLICT, false, "It has changed since it was looked at";
    /// The time in which it could be approved is over.
    Expired = "expired", CONFLICT, false, "The time for an approval is over";
    /// A row exists with another payload.
    RowConflict = "row-conflict", CONFLICT, false, "A row exists with another payload";
    /// Something else is on record.
    AlreadyRecorded = "already-recorded", CONFLICT, false, "It is recorded with another reference";
    /// The item is not the claim's.
    NotClaimed = "not-claimed", CONFLICT, false, "The item is not held under this claim";
    /// Its step's version has not been raised since it was recorded.
    NotRaised = "not-raised", CONFLICT, false, "The step's version has not been raised";
    /// Something that belongs to it has not come to its end.
    Unfinished = "unfinished", CONFLICT, false, "Something that belongs to it is unfinished";
    /// It stands for no event.
    NoEvent = "no-event", CONFLICT, false, "The work stands for no event";
    /// Its payload was erased on request.
    Erased = "erased", GONE, false, "The payload was erased on request";
    /// Older than what is remembered.
    TooOld = "too-old", GONE, false, "The event is older than what is remembered";
    /// The body is too large.
    TooLarge = "too-large", PAYLOAD_TOO_LARGE, false, "The body is too large";
    /// The body is of a kind that is not read here.
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, false, "The body is of a kind that is not read here";
    /// The same identity with other content.
    Mismatch = "mismatch", UNPROCESSABLE_ENTITY, false, "The identity is recorded with other content";
    /// Well formed, and not usable.
    Invalid = "invalid", UNPROCESSABLE_ENTITY, false, "A value is not usable";
    /// The key of an action was used for another one.
    KeyReused = "key-reused", UNPROCESSABLE_ENTITY, false, "The key was used for something else";
    /// A model gave no usable answer; it may do so later.
    ModelFailed = "model-failed", BAD_GATEWAY, true, "The model gave no usable answer";
    /// A model does not answer this question, or not us.
    ModelRefused = "model-refused", BAD_GATEWAY, false, "The model refused the question";
    /// A fault of this program.
    Internal = "internal", INTERNAL_SERVER_ERROR, true, "The host has failed";
    /// Every place is taken, and so is the queue before them.
    Busy = "busy", SERVICE_UNAVAILABLE, true, "The host runs and queues as much as it may";
    /// No space is left, or the ledger is busy.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, true, "The host can't record it now";
}

/// How the API says no.
#[derive(Clone, Debug)]
pub struct Problem {
    kind: Kind,
    detail: String,
    remedy: Option<String>,
    work_id: Option<WorkId>,
    retry_after_ms: Option<i64>,
    /// The rest of the body may still be on its way, so that the connection can't be used again.
    closes: bool,
}

/// A problem as it goes out: RFC 9457, with members of its own.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// `urn:onceward:problem:<word>`.
    #[schema(example = "urn:onceward:problem:mismatch")]
    pub r#type: String,
    /// The same for every problem of the type.
    pub title: String,
    /// The response's status.
    pub status: u16,
    /// What was attempted, and what is wrong.
    pub detail: String,
    /// The type's word.
    #[schema(example = "mismatch")]
    pub verdict: String,
    /// Whether sending the same again can help.
    pub retryable: bool,
    /// What helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// The work that it is about, in 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_id: Option<String>,
    /// When to try again, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<i64>,
    /// Under which the request stands in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Problem {
    /// A problem of this kind.
    #[must_use]
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { kind, detail, remedy: None, work_id: None, retry_after_ms: None, closes: false }
    }

    /// The same, with the causes of an error: what was attempted and why it failed, in one line.
    pub fn of(kind: Kind, error: &dyn Error) -> Self {
        Self::new(kind, chain(error))
    }

    /// What helps.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The work that it is about.
    #[must_use]
    pub fn work(mut self, work: WorkId) -> Self {
        self.work_id = Some(work);
        self
    }

    /// When to try again, in milliseconds from now.
    #[must_use]
    pub fn retry_after(mut self, ms: i64) -> Self {
        self.retry_after_ms = Some(ms.max(0));
        self
    }

    /// The connection is of no more use.
    #[must_use]
    pub fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The body.
    #[must_use]
    pub fn body(&self, request_id: Option<&str>) -> ProblemBody {
        ProblemBody {
            r#type: format!("{TYPE_PREFIX}{}", self.kind.word()),
            title: self.kind.title().to_owned(),
            status: self.kind.status().as_u16(),
            detail: self.detail.clone(),
            verdict: self.kind.word().to_owned(),
            retryable: self.kind.is_retryable(),
            remedy: self.remedy.clone(),
            work_id: self.work_id.map(|id| id.to_string()),
            retry_after_ms: self.retry_after_ms,
            request_id: request_id.map(str::to_owned),
        }
    }

    /// The response.
    #[must_use]
    pub fn render(&self, request_id: Option<&str>) -> Response {
        let mut response = (self.kind.status(), Json(self.body(request_id))).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if let Some(ms) = self.retry_after_ms {
            headers.insert(RETRY_AFTER, HeaderValue::from(u64::try_from(ms).unwrap_or(0).div_ceil(1_000)));
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Whether what was asked for is done, or will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// It is done: 200.
    Done,
    /// It is taken, and goes on: 202.
    Accepted,
}

/// A response with a JSON body.
pub fn success(success: Success, body: impl Serialize) -> Response {
    let status = match success {
        Success::Done => StatusCode::OK,
        Success::Accepted => StatusCode::ACCEPTED,
    };
    (status, Json(body)).into_response()
}

/// An error with its causes, in one line.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut last = text.clone();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        // A transparent wrapper says the same as what it wraps.
        if said != last {
            text.push_str(": ");
            text.push_str(&said);
        }
        last = said;
        source = cause.source();
    }
    text
}

/// The problem goes with the response as a value, so that the outermost layer can add the request's id to it.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.kind.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Full { .. } | StoreError::Busy { .. } => {
                Self::new(Kind::Unavailable, error.to_string()).retry_after(HOST_RETRY_MS)
            }
            StoreError::ActionReused { .. } => Self::new(Kind::KeyReused, error.to_string())
                .remedy("take a new Idempotency-Key for another action"),
            StoreError::Disk { .. } | StoreError::Stopped => {
                tracing::error!(error = chain(&error), "the store has stopped");
                Self::new(Kind::Unavailable, "the ledger has stopped after a failure; nothing was recorded")
                    .remedy("the operator must look at the disk and start the host again")
                    .retry_after(HOST_RETRY_MS)
            }
            // Open: a connection that reads, for which the disk or the process has no place now.
            StoreError::Unreadable { .. } | StoreError::Open { .. } => {
                tracing::error!(error = chain(&error), "the ledger can't be read");
                Self::new(Kind::Unavailable, "the ledger can't be read; nothing was recorded")
                    .remedy("send it again; where that does not help, the operator must look at the disk")
                    .retry_after(HOST_RETRY_MS)
            }
            _ => internal(&error),
        }
    }
}

impl From<DispatchError> for Problem {
    fn from(error: DispatchError) -> Self {
        match error {
            DispatchError::UnknownStep { .. } => Self::of(Kind::NotFound, &error),
            DispatchError::Identity { .. } => Self::of(Kind::NoIdentity, &error),
            DispatchError::ReadOnly { .. } | DispatchError::Recorded { .. } => {
                Self::of(Kind::Invalid, &error)
            }
            DispatchError::Busy { .. } => Self::new(Kind::Busy, error.to_string()).retry_after(HOST_RETRY_MS),
            DispatchError::Store(source) => source.into(),
        }
    }
}

impl From<ReprocessError> for Problem {
    fn from(error: ReprocessError) -> Self {
        match error {
            ReprocessError::Step(_) => Self::of(Kind::WrongState, &error),
            ReprocessError::Identity { .. } => Self::of(Kind::Invalid, &error),
            ReprocessError::Payload(_) => internal(&error),
            ReprocessError::Store(source) => source.into(),
        }
    }
}

/// A fault of this program or of its files: it goes to the log, and the sender is told where.
fn internal(error: &dyn Error) -> Problem {
    tracing::error!(error = chain(error), "a request failed");
    Problem::new(Kind::Internal, "a fault of the host; the log says more under the request's id")
}

#[cfg(test)]
mod tests {
    use super::Kind;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_a_word_of_its_own_and_an_error_status() {
        let words: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        assert_eq!(words.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert!(kind.status().is_client_error() || kind.status().is_server_error(), "{kind:?}");
        }
    }
}
