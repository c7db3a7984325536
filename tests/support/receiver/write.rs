//! One write request, from its head to its answer, with whatever fault was ordered for it.
//!
//! Owns the order of things: the arrival is committed first, then the row together with its
//! verdict, then the answer is sent. Nothing that the client does (leaving included) stops a write
//! once its arrival is logged, as with a real CRM. It refuses a missing or malformed key where one is
//! wanted, and a body that is no JSON object; an idempotent replay is the first receipt, byte for
//! byte. A write beyond the rate is turned away before any fault, which waits for the next one.
//! Where the store fails, the answer is a 500 and the request stays without a verdict.
//!
//! | manner | means | receipt |
//! |---|---|---|
//! | keyed | the row of that key | 201, then 200 with `Idempotent-Replayed`; 422 for other bytes |
//! | upsert | the one row of that kind and value | 201, then 200 with the same id, for any body |
//! | plain | a new row, whatever key it has | 201 |

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::body::Bytes;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::HeaderName;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::response::Response;

use crate::receiver::answer::Answer;
use crate::receiver::faults::Fault;
use crate::receiver::http::Crm;
use crate::receiver::http::blocking;
use crate::receiver::http::finished;
use crate::receiver::key;
use crate::receiver::reply;
use crate::receiver::reply::Reply;
use crate::receiver::store::Head;
use crate::receiver::store::Identity;
use crate::receiver::store::Verdict;
use crate::receiver::store::Written;
use crate::receiver::wire::Fuse;

/// The largest body of a write. Far beyond any deal; it only keeps a broken client from filling
/// the memory.
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Answers a write.
pub(super) async fn serve(
    crm: Arc<Crm>,
    fuse: Fuse,
    kind: String,
    manner: Manner,
    request: Request,
) -> Response {
    // A task of its own, because this one is dropped as soon as the client leaves.
    let attempt = finished(tokio::spawn(attempt(crm, kind, manner, request))).await;
    attempt.unwrap_or_else(|error| Reply::from(Answer::failed(&error))).send(&fuse)
}

/// How a path wants a write to say which row it means.
#[derive(Clone, Debug)]
pub(super) enum Manner {
    /// By an `Idempotency-Key`, as `/deals` does.
    Keyed,
    /// By the value of a natural field, as `/upsert` does.
    Upsert {
        /// The value, decoded.
        value: String,
    },
    /// Not at all, as `/plain` does.
    Plain,
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

async fn attempt(crm: Arc<Crm>, kind: String, manner: Manner, request: Request) -> anyhow::Result<Reply> {
    let (parts, body) = request.into_parts();
    let seq = crm.store.next_seq();
    let admitted = crm.rate.admits();
    let fault = if admitted { crm.faults.take(seq) } else { None };
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
        return Ok(Reply::reset());
    }
    match to_bytes(body, BODY_LIMIT_BYTES).await {
        Ok(body) => work.body = body,
        Err(error) => {
            work.arrive(false, Verdict::Refused).await?;
            let detail = format!("could not read a body of up to {BODY_LIMIT_BYTES} bytes: {error}");
            return Ok(Answer::bad_request(detail).into());
        }
    }
    if !admitted {
        work.arrive(true, Verdict::Limited).await?;
        return Ok(Answer::limited().into());
    }
    work.arrive(true, Verdict::Received).await?;
    if let Some(fault) = &fault
        && let Some((verdict, answer)) = work.instead_of_writing(fault).await?
    {
        work.close(verdict).await?;
        return Ok(answer.into());
    }
    let settled = work.settle(manner, key, fault.as_ref()).await?;
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
        Ok(match fault {
            Fault::CrashBeforeWrite => match self.crm.crash.now().await {},
            Fault::Conflict => Some((Verdict::Conflict, Answer::key_reused())),
            Fault::InProgress => Some((Verdict::InProgress, Answer::key_in_progress())),
            _ => reply::instead(fault)?.map(|answer| (Verdict::Refused, answer)),
        })
    }

    /// Does what an honest CRM does, `slow` included.
    async fn settle(
        &self,
        manner: Manner,
        key: Result<Option<String>, Answer>,
        fault: Option<&Fault>,
    ) -> anyhow::Result<Settled> {
        let identity = match (manner, key) {
            (Manner::Plain, _) => Identity::Nothing,
            (Manner::Upsert { value }, _) => Identity::Value(value),
            (Manner::Keyed, Ok(Some(key))) => Identity::Key(key),
            (Manner::Keyed, Ok(None)) if self.crm.key_optional => Identity::Nothing,
            (Manner::Keyed, Ok(None)) => return self.refuse(Answer::key_missing()).await,
            (Manner::Keyed, Err(answer)) => return self.refuse(answer).await,
        };
        if let Err(error) = serde_json::from_slice::<serde_json::Map<_, _>>(&self.body) {
            let detail = format!("the body is no JSON object: {error}");
            return self.refuse(Answer::bad_request(detail)).await;
        }
        let guard = match &identity {
            Identity::Key(key) => match self.crm.in_work.enter(key) {
                Some(guard) => Some(guard),
                None => {
                    self.close(Verdict::InProgress).await?;
                    return Ok(Settled::unwritten(Answer::key_in_progress()));
                }
            },
            Identity::Value(_) | Identity::Nothing => None,
        };
        if let Some(Fault::Slow { wait_ms }) = fault {
            super::wait(Duration::from_millis(*wait_ms)).await;
        }
        let (crm, seq) = (self.crm.clone(), self.head.seq);
        let (kind, body) = (self.kind.clone(), self.body.clone());
        let keyed = guard.is_some();
        let written = blocking(move || crm.store.write(seq, &identity, &kind, &body)).await?;
        drop(guard);
        Ok(match written {
            Written::Created(receipt) => {
                Settled { answer: Answer::json(StatusCode::CREATED, receipt), written: true }
            }
            Written::Replayed(receipt) if keyed => Settled {
                answer: Answer::json(StatusCode::OK, receipt)
                    .with_header(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true")),
                written: true,
            },
            Written::Replaced(receipt) | Written::Replayed(receipt) => {
                Settled { answer: Answer::json(StatusCode::OK, receipt), written: true }
            }
            Written::Conflict => Settled::unwritten(Answer::key_reused()),
        })
    }

    /// The faults that meet the answer. Those that replace a receipt leave a refusal as it is.
    async fn after_writing(&self, fault: Option<&Fault>, settled: Settled) -> anyhow::Result<Reply> {
        let Settled { answer, written } = settled;
        let answer = match fault {
            Some(Fault::CrashAfterWrite) => match self.crm.crash.now().await {},
            Some(Fault::AppliedStatus { code }) if written => reply::ordered(*code)?,
            Some(Fault::BigReceipt { size_bytes }) if written => {
                Answer::json(StatusCode::CREATED, pad(&answer.body, *size_bytes)?)
            }
            Some(Fault::UnreadableReceipt) if written => {
                Answer::text(StatusCode::CREATED, "<html>created, see your dashboard")
            }
            _ => answer,
        };
        Ok(Reply::through(fault, answer).await)
    }
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
