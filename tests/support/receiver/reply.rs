//! An answer on its way to the wire, and where it breaks off.
//!
//! Owns the faults that a write and a search meet alike: an answer that a test ordered instead of
//! the receiver's own, and a reply that is late, cut or lost. It writes nothing to the store. It
//! fails where an ordered status or header can't be sent.

use std::time::Duration;

use anyhow::Context;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::IntoResponse;
use axum::response::Response;

use crate::receiver::answer::Answer;
use crate::receiver::faults::Fault;
use crate::receiver::wire::Cut;
use crate::receiver::wire::Fuse;

/// An answer, and where it breaks off.
pub(super) struct Reply {
    answer: Answer,
    cut: Option<Cut>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self { answer, cut: None }
    }
}

impl Reply {
    /// The reply of the fault `refuse`: a reset.
    pub(super) fn reset() -> Self {
        Self { answer: Answer::text(StatusCode::OK, "never sent"), cut: Some(Cut::Reset) }
    }

    /// Sends the answer through the faults that meet any answer; others leave it as it is.
    pub(super) async fn through(fault: Option<&Fault>, answer: Answer) -> Self {
        let mut cut = None;
        match fault {
            Some(Fault::LoseReply) => cut = Some(Cut::BeforeReply),
            Some(Fault::CutReply) => cut = Some(Cut::InBody { sent_bytes: answer.body.len() / 2 }),
            Some(Fault::Hang { wait_ms }) => super::wait(Duration::from_millis(*wait_ms)).await,
            _ => {}
        }
        Self { answer, cut }
    }

    /// Hands the answer to the HTTP library and arms the wire against it where it is to break.
    pub(super) fn send(self, fuse: &Fuse) -> Response {
        if let Some(cut) = self.cut {
            fuse.blow(cut);
        }
        self.answer.into_response()
    }
}

/// The answer that a fault puts in the place of whatever was asked for, if it is such a fault.
pub(super) fn instead(fault: &Fault) -> anyhow::Result<Option<Answer>> {
    Ok(Some(match fault {
        Fault::Status { code, retry_after: None } => ordered(*code)?,
        Fault::Status { code, retry_after: Some(value) } => {
            ordered(*code)?.with_header(header::RETRY_AFTER, header_value(value)?)
        }
        Fault::Redirect { url } => {
            let answer = ordered(StatusCode::TEMPORARY_REDIRECT.as_u16())?;
            answer.with_header(header::LOCATION, header_value(url)?)
        }
        _ => return Ok(None),
    }))
}

/// The answer with a status that a test ordered.
pub(super) fn ordered(code: u16) -> anyhow::Result<Answer> {
    let status = StatusCode::from_u16(code)
        .with_context(|| format!("could not answer with the ordered status {code}"))?;
    let detail = "a test ordered this answer";
    Ok(Answer::problem(status, "ordered", "Ordered by a test", detail))
}

fn header_value(value: &str) -> anyhow::Result<HeaderValue> {
    HeaderValue::from_str(value).with_context(|| format!("could not send the ordered header value {value:?}"))
}
