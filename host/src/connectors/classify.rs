//! What a reply means: the table "what happened | class" of semantics.md, as one pure function.
//!
//! Owns the classes of whole replies. Replies that never came, or came only in part, have no status to go by
//! and are classed where they are noticed, in `http`. It never fails: a status that it does not know is
//! ambiguous, since guessing "not applied" could make a second deal.

use serde_json::Value;

use crate::connectors::answer::Answer;
use crate::connectors::answer::Fault;
use crate::connectors::answer::Receipt;
use crate::connectors::envelope::Envelope;
use crate::connectors::envelope::FailsAs;
use crate::connectors::envelope::Predicate;
use crate::connectors::retry_after;

/// A person gets this much of a refusing reply to look at; error pages can be megabytes.
pub const EXCERPT_LIMIT_CHARS: usize = 512;

/// How the draft's 409 is told from any other 409: its title speaks of the key *and* says that the first
/// request is not finished.
const IN_PROGRESS_WORDS: [&str; 6] =
    ["outstanding", "progress", "in use", "processing", "concurrent", "still"];

/// A reply that arrived whole, or whole up to the receipt limit.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// The status code.
    pub status: u16,
    /// The `Retry-After` header, where there is one.
    pub retry_after: Option<&'a str>,
    /// The body as text, up to the limit, free of credentials.
    pub body: &'a str,
    /// Whether the body was cut at the limit.
    pub truncated: bool,
    /// Whether the body's bytes were UTF-8.
    pub valid_text: bool,
}

impl Reply<'_> {
    fn json(&self) -> Option<Value> {
        if self.truncated || !self.valid_text { None } else { serde_json::from_str(self.body).ok() }
    }

    fn fault(&self, cause: impl Into<String>, now_ms: i64) -> Fault {
        let excerpt: String = self
            .body
            .trim()
            .chars()
            .take(EXCERPT_LIMIT_CHARS)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        Fault {
            status: Some(self.status),
            cause: cause.into(),
            retry_after_ms: self.retry_after.and_then(|value| retry_after::parse(value, now_ms)),
            body_excerpt: (!excerpt.is_empty()).then_some(excerpt),
        }
    }
}

/// The class of `reply`, at `now_ms` (milliseconds since the Unix epoch, for dates in `Retry-After`).
///
/// `maybe_applied` says that an earlier attempt of the same row was ambiguous: only then may an unexplained
/// 409 be the echo of our own first write.
///
/// ```
/// use onceward::connectors::{Answer, Envelope, classify::{Reply, classify}};
/// let busy = Reply { status: 429, retry_after: Some("7"), body: "", truncated: false, valid_text: true };
/// let Answer::NotApplied(fault) = classify(&Envelope::new("https://a.example"), &busy, false, 0) else { panic!() };
/// assert_eq!(fault.retry_after_ms, Some(7_000));
/// ```
#[must_use]
pub fn classify(envelope: &Envelope, reply: &Reply<'_>, maybe_applied: bool, now_ms: i64) -> Answer {
    let fault = |cause: &str| reply.fault(cause, now_ms);
    let json = reply.json();
    match reply.status {
        200..=299 => return accepted(envelope, reply, json, now_ms),
        400..=499 => {
            if let Some(answer) = json.as_ref().and_then(|json| by_predicate(envelope, reply, json, now_ms)) {
                return answer;
            }
        }
        _ => {}
    }
    match reply.status {
        300..=399 => Answer::Permanent(fault(
            "the receiver redirects, and redirects are never followed: put the final address into the destination's `url`",
        )),
        401 => Answer::Unauthorised(fault(
            "the receiver does not accept the credential: renew the destination's account, then resume it",
        )),
        403 => Answer::Unauthorised(fault(
            "the receiver forbids this to the account: widen its rights there, then resume the destination",
        )),
        410 => Answer::Unauthorised(fault(
            "the receiver says that this address is gone for good: correct the destination's `url`, then resume it",
        )),
        408 => Answer::Ambiguous(fault(
            "the receiver gave up waiting for the request and does not say whether it applied it",
        )),
        409 => conflict_or_wait(reply, json.as_ref(), maybe_applied, now_ms),
        422 if speaks_of_key(json.as_ref()) => {
            Answer::Conflict(fault("the receiver has other content under the same key"))
        }
        425 => Answer::NotApplied(fault("the receiver does not take the request yet (425)")),
        429 => Answer::NotApplied(fault("the receiver limits the rate (429)")),
        400..=499 => {
            Answer::Permanent(fault(&format!("the receiver refuses the request ({})", reply.status)))
        }
        503 if envelope.unavailable_means_not_applied => Answer::NotApplied(fault(
            "the receiver is unavailable and declares that nothing was applied (503)",
        )),
        status => Answer::Ambiguous(fault(&format!(
            "the receiver failed ({status}) and does not say whether it applied the request"
        ))),
    }
}

fn accepted(envelope: &Envelope, reply: &Reply<'_>, json: Option<Value>, now_ms: i64) -> Answer {
    if let (Some(success), Some(json)) = (&envelope.success, &json)
        && !success.holds(json)
    {
        if let Some(answer) = by_predicate(envelope, reply, json, now_ms) {
            return answer;
        }
        let fault = reply.fault(success.describe_failure(json), now_ms);
        return match envelope.success_fails_as {
            FailsAs::Permanent => Answer::Permanent(fault),
            FailsAs::NotApplied => Answer::NotApplied(fault),
            FailsAs::Ambiguous => Answer::Ambiguous(fault),
            FailsAs::Unauthorised => Answer::Unauthorised(fault),
        };
    }
    let nothing_expected = envelope.reference.is_none() && envelope.success.is_none() && !reply.truncated;
    let reference = envelope.reference.as_ref().zip(json.as_ref()).and_then(|(pointer, json)| {
        match json.pointer(pointer)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    });
    Answer::Accepted(Receipt {
        status: reply.status,
        body: reply.body.to_owned(),
        truncated: reply.truncated,
        reference,
        readable: json.is_some() || (nothing_expected && reply.body.is_empty()),
    })
}

/// The receiver's own words for the two things that a key can meet, where the operator or a preset knows
/// them.
fn by_predicate(envelope: &Envelope, reply: &Reply<'_>, json: &Value, now_ms: i64) -> Option<Answer> {
    let holds =
        |predicate: &Option<Predicate>| predicate.as_ref().is_some_and(|predicate| predicate.holds(json));
    if holds(&envelope.conflict) {
        return Some(Answer::Conflict(
            reply.fault("the receiver has other content under the same key", now_ms),
        ));
    }
    holds(&envelope.in_progress)
        .then(|| Answer::InProgress(reply.fault("the receiver is still at work under the same key", now_ms)))
}

fn conflict_or_wait(reply: &Reply<'_>, json: Option<&Value>, maybe_applied: bool, now_ms: i64) -> Answer {
    let words = json.map(problem_words).unwrap_or_default();
    if speaks_of_key(json) && IN_PROGRESS_WORDS.iter().any(|word| words.contains(word)) {
        return Answer::InProgress(reply.fault("the receiver is still at work under the same key", now_ms));
    }
    if maybe_applied {
        return Answer::Ambiguous(reply.fault(
            "the receiver reports a conflict (409), which may be with an earlier attempt of this very row",
            now_ms,
        ));
    }
    Answer::Conflict(
        reply.fault(
            "the receiver reports a conflict (409) with something that this row did not write",
            now_ms,
        ),
    )
}

/// Whether the problem (RFC 9457) is about the idempotency key. The draft fixes no `type`, so both members
/// are searched.
fn speaks_of_key(json: Option<&Value>) -> bool {
    json.is_some_and(|json| problem_words(json).contains("idempot"))
}

/// `type` and `title` in lower case with hyphens and underscores as spaces. `detail` is left out: it is free
/// text that may quote the payload.
fn problem_words(json: &Value) -> String {
    let member = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default();
    format!("{} {}", member("type"), member("title")).to_lowercase().replace(['-', '_'], " ")
}

#[cfg(test)]
mod tests;
