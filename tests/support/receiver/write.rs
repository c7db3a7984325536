//! One write request, from its head to its answer, with whatever fault was ordered for it.
//!
//! Owns the order of things: the arrival is committed first, then the row together with its
//! verdict, then the answer is sent. Nothing that the client does (leaving included) stops a write
//! once its arrival is logged, as with a real CRM. It refuses a missing or malformed key, and a body
//! that is no JSON object; an idempotent replay is the first receipt, byte for byte. Where the
//! store fails, the answer is a 500 and the request stays without a verdict.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::body::Bytes;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::HeaderName;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::IntoResponse;
use axum::response::Response;

use crate::receiver::answer::Answer;
use crate::receiver::faults::Fault;
use crate::receiver::http::Crm;
use crate::receiver::http::blocking;
use crate::receiver::http::finished;
use crate::receiver::key;
use crate::receiver::store::Head;
use crate::receiver::store::Verdict;
use crate::receiver::store::Written;
use crate::receiver::wire::Cut;
use crate::receiver::wire::Fuse;

/// The largest body of a write. Far beyond any deal; it only keeps a broken client from filling
/// the memory.
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Answers a write.
pub(super) async fn serve(crm: Arc<Crm>, fuse: Fuse, kind: String, request: Request) -> Response {
    // A task of its own, because this one is dropped as soon as the client leaves.
    let attempt = finished(tokio::spawn(attempt(crm, kind, request))).await;
    let reply = attempt.unwrap_or_else(|error| Reply::from(Answer::failed(&error)));
    if let Some(cut) = reply.cut {
        fuse.blow(cut);
    }
    reply.answer.into_response()
}

/// An answer, and where it breaks off.
struct Reply {
    answer: Answer,
    cut: Option<Cut>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self { answer, cut: None }
    }
}

/// What was settled about a request before its answer meets the fault.
struct Settled {
    answer: Answer,
    /// Whether its row exists now.
    written: bool,
}

impl Settled {
    fn unwritten(answer: Answer) -> Self {
        Self { answer, written: false }
    }
}

async fn attempt(crm: Arc<Crm>, kind: String, request: Request) -> anyhow::Result<Reply> {
    let (parts, body) = request.into_parts();
    let seq = crm.store.next_seq();
    let fault = crm.faults.take(seq);
    let key = key::read(&parts.headers);
    let head = Head {
        seq,
        key: key.as_ref().ok().cloned().flatten(),
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
    };
    let mut work = Work { crm, kind, head, body: Bytes::new() };
    if fault == Some(Fault::Refuse) {
        work.arrive(false, Verdict::Refused).await?;
        return Ok(Reply { answer: Answer::text(StatusCode::OK, "never sent"), cut: Some(Cut::Reset) });
    }
    match to_bytes(body, BODY_LIMIT_BYTES).await {
        Ok(body) => work.body = body,
        Err(error) => {
            work.arrive(false, Verdict::Refused).await?;
            let detail = format!("could not read a body of up to {BODY_LIMIT_BYTES} bytes: {error}");
            return Ok(Answer::bad_request(detail).into());
        }
    }
    work.arrive(true, Verdict::Received).await?;
    if let Some(fault) = &fault
        && let Some((verdict, answer)) = work.instead_of_writing(fault).await?
    {
        work.close(verdict).await?;
        return Ok(answer.into());
    }
    let settled = work.settle(key, fault.as_ref()).await?;
    work.after_writing(fault.as_ref(), settled).await
}

/// One request in work.
struct Work {
    crm: Arc<Crm>,
    kind: String,
    head: Head,
    body: Bytes,
}

impl Work {
    async fn arrive(&self, body_was_read: bool, verdict: Verdict) -> anyhow::Result<()> {
        let (crm, head, body) = (self.crm.clone(), self.head.clone(), self.body.clone());
        let work = move || crm.store.arrive(&head, body_was_read.then_some(&body[..]), verdict);
        blocking(work).await
    }

    async fn close(&self, verdict: Verdict) -> anyhow::Result<()> {
        let (crm, seq) = (self.crm.clone(), self.head.seq);
        blocking(move || crm.store.close(seq, verdict)).await
    }

    async fn refuse(&self, answer: Answer) -> anyhow::Result<Settled> {
        self.close(Verdict::Refused).await?;
        Ok(Settled::unwritten(answer))
    }

    /// The faults by which nothing is written.
    async fn instead_of_writing(&self, fault: &Fault) -> anyhow::Result<Option<(Verdict, Answer)>> {
        Ok(Some(match fault {
            Fault::CrashBeforeWrite => match self.crm.crash.now().await {},
            Fault::Status { code, retry_after } => {
                let mut answer = ordered(*code)?;
                if let Some(value) = retry_after {
                    answer = answer.with_header(header::RETRY_AFTER, header_value(value)?);
                }
                (Verdict::Refused, answer)
            }
            Fault::Redirect { url } => {
                let answer = ordered(StatusCode::TEMPORARY_REDIRECT.as_u16())?;
                let location = header_value(url)?;
                (Verdict::Refused, answer.with_header(header::LOCATION, location))
            }
            Fault::Conflict => (Verdict::Conflict, Answer::key_reused()),
            Fault::InProgress => (Verdict::InProgress, Answer::key_in_progress()),
            _ => return Ok(None),
        }))
    }

    /// Does what an honest CRM does, `slow` included.
    async fn settle(
        &self,
        key: Result<Option<String>, Answer>,
        fault: Option<&Fault>,
    ) -> anyhow::Result<Settled> {
        let key = match key {
            Ok(key) => key,
            Err(answer) => return self.refuse(answer).await,
        };
        if key.is_none() && !self.crm.key_optional {
            return self.refuse(Answer::key_missing()).await;
        }
        if let Err(error) = serde_json::from_slice::<serde_json::Map<_, _>>(&self.body) {
            let detail = format!("the body is no JSON object: {error}");
            return self.refuse(Answer::bad_request(detail)).await;
        }
        let guard = match key.map(|key| self.crm.in_work.enter(&key)) {
            Some(None) => {
                self.close(Verdict::InProgress).await?;
                return Ok(Settled::unwritten(Answer::key_in_progress()));
            }
            Some(Some(guard)) => Some(guard),
            None => None,
        };
        if let Some(Fault::Slow { wait_ms }) = fault {
            super::wait(Duration::from_millis(*wait_ms)).await;
        }
        let (crm, head) = (self.crm.clone(), self.head.clone());
        let (kind, body) = (self.kind.clone(), self.body.clone());
        let written = blocking(move || crm.store.write(&head, &kind, &body)).await?;
        drop(guard);
        Ok(match written {
            Written::Created(receipt) => {
                Settled { answer: Answer::json(StatusCode::CREATED, receipt), written: true }
            }
            Written::Replayed(receipt) => Settled {
                answer: Answer::json(StatusCode::OK, receipt)
                    .with_header(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true")),
                written: true,
            },
            Written::Conflict => Settled::unwritten(Answer::key_reused()),
        })
    }

    /// The faults that meet the answer. Those that replace a receipt leave a refusal as it is.
    async fn after_writing(&self, fault: Option<&Fault>, settled: Settled) -> anyhow::Result<Reply> {
        let Settled { answer, written } = settled;
        let mut cut = None;
        let answer = match fault {
            Some(Fault::CrashAfterWrite) => match self.crm.crash.now().await {},
            Some(Fault::LoseReply) => {
                cut = Some(Cut::BeforeReply);
                answer
            }
            Some(Fault::CutReply) => {
                let sent_bytes = answer.body.len() / 2;
                cut = Some(Cut::InBody { sent_bytes });
                answer
            }
            Some(Fault::Hang { wait_ms }) => {
                super::wait(Duration::from_millis(*wait_ms)).await;
                answer
            }
            Some(Fault::AppliedStatus { code }) if written => ordered(*code)?,
            Some(Fault::BigReceipt { size_bytes }) if written => {
                Answer::json(StatusCode::CREATED, pad(&answer.body, *size_bytes)?)
            }
            Some(Fault::UnreadableReceipt) if written => {
                Answer::text(StatusCode::CREATED, "<html>created, see your dashboard")
            }
            _ => answer,
        };
        Ok(Reply { answer, cut })
    }
}

/// The answer with a status that a test ordered.
fn ordered(code: u16) -> anyhow::Result<Answer> {
    let status = StatusCode::from_u16(code)
        .with_context(|| format!("could not answer with the ordered status {code}"))?;
    let detail = "a test ordered this answer";
    Ok(Answer::problem(status, "ordered", "Ordered by a test", detail))
}

fn header_value(value: &str) -> anyhow::Result<HeaderValue> {
    HeaderValue::from_str(value).with_context(|| format!("could not send the ordered header value {value:?}"))
}

/// The receipt with a member `padding` that brings it to exactly this size, or the receipt as it
/// is where that is too small.
fn pad(receipt: &[u8], size_bytes: usize) -> anyhow::Result<Vec<u8>> {
    let mut receipt: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(receipt).context("could not read the receipt that is to grow")?;
    receipt.insert("padding".to_owned(), String::new().into());
    let bare_bytes = serde_json::to_vec(&receipt)?.len();
    let padding = "x".repeat(size_bytes.saturating_sub(bare_bytes));
    receipt.insert("padding".to_owned(), padding.into());
    Ok(serde_json::to_vec(&receipt)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_big_receipt_has_exactly_the_ordered_size_and_is_json() {
        let receipt = br#"{"id":"deal-1","kind":"deals"}"#;
        let grown = pad(receipt, 5_000).unwrap();
        assert_eq!(grown.len(), 5_000);
        let read: serde_json::Value = serde_json::from_slice(&grown).unwrap();
        assert_eq!(read["id"], "deal-1");
    }
}
