//! What is sent, and how its answer is to be read.
//!
//! Owns [`Envelope`], which the store freezes as JSON at the first attempt of a row, and [`Delivery`], one
//! attempt with it. An envelope names an account and never holds its credential, so that it may be stored and
//! shown. It checks nothing by itself: a bad address or header name is refused by the connector, as an
//! answer.

use crate::connectors::look_up::LookUp;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

/// The header of the IETF draft `draft-ietf-httpapi-idempotency-key-header`.
pub const DEFAULT_KEY_HEADER: &str = "Idempotency-Key";

/// Values from a reply that are quoted in a cause are cut here, because a cause is one line for a person.
const QUOTED_VALUE_LIMIT_CHARS: usize = 80;

/// The request method of a delivery; only methods that write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Create, or act.
    #[default]
    Post,
    /// Replace, or upsert at a known address.
    Put,
    /// Change a part.
    Patch,
}

/// A test on a JSON reply: the value at a place equals a value.
///
/// ```
/// use onceward::connectors::Predicate;
/// let ok = Predicate { pointer: "/ok".into(), equals: true.into() };
/// assert!(ok.holds(&serde_json::json!({"ok": true, "ts": "1"})));
/// assert!(!ok.holds(&serde_json::json!({"error": "no_such_channel"})));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicate {
    /// The place, a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// The value that must stand there; `1` and `1.0` are equal.
    pub equals: Value,
}

impl Predicate {
    /// Whether the value is there and equal.
    #[must_use]
    pub fn holds(&self, reply: &Value) -> bool {
        let Some(found) = reply.pointer(&self.pointer) else { return false };
        // serde_json keeps 1 and 1.0 apart, the receiver may not.
        found == &self.equals
            || (found.is_f64() != self.equals.is_f64()
                && found.is_number()
                && found.as_f64() == self.equals.as_f64())
    }

    /// What was found instead, in one line for a person.
    #[must_use]
    pub fn describe_failure(&self, reply: &Value) -> String {
        let found = reply
            .pointer(&self.pointer)
            .map_or_else(|| "absent".to_owned(), |value| quoted(&value.to_string()));
        format!("`{}` is {found} in the reply, success is {}", self.pointer, quoted(&self.equals.to_string()))
    }
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_VALUE_LIMIT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a 2xx reply that fails its success predicate means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailsAs {
    /// Refused for good: sending the same again can't help.
    #[default]
    Permanent,
    /// Certainly not applied; it may be sent again.
    NotApplied,
    /// It may have been applied.
    Ambiguous,
    /// The credential is not accepted; the destination is paused.
    Unauthorised,
}

/// How a destination is addressed and how its replies are read; frozen at the first attempt.
///
/// Fields that are absent from stored JSON take their defaults, and unknown ones are ignored, so that
/// neighbouring versions of the host can read each other's envelopes.
///
/// ```
/// use onceward::connectors::Envelope;
/// let frozen = serde_json::to_string(&Envelope::new("https://crm.example/deals"))?;
/// let read: Envelope = serde_json::from_str(&frozen)?;
/// assert_eq!(read.key_header, "Idempotency-Key");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The absolute address, `http` or `https`, without user information; with places as `template` fills them.
    pub url: String,
    /// The request method; `POST` by default.
    #[serde(default)]
    pub method: Method,
    /// The header that carries the key; [`DEFAULT_KEY_HEADER`] by default.
    #[serde(default = "default_key_header")]
    pub key_header: String,
    /// The *name* of the account whose credential is added on the way out; none: no credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// JSON Pointer into the receipt that gives the third party's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// JSON Pointer to where the row's key is put into the body, so that a look-up finds the record by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// How to ask whether a write has happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_up: Option<LookUp>,
    /// What a 2xx reply must also say to be a success (Slack's `/ok` is `true`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<Predicate>,
    /// What a 2xx reply without that success means.
    #[serde(default)]
    pub success_fails_as: FailsAs,
    /// How this receiver says "same key, other content", where it does not follow the IETF draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Predicate>,
    /// How this receiver says "same key, still in progress", where it does not follow the IETF draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_progress: Option<Predicate>,
    /// Whether this receiver promises that a 503 means nothing was applied.
    #[serde(default)]
    pub unavailable_means_not_applied: bool,
}

impl Envelope {
    /// An envelope for `url` with every other field at its default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Envelope {
        Envelope {
            url: url.into(),
            method: Method::Post,
            key_header: default_key_header(),
            account: None,
            reference: None,
            fingerprint: None,
            look_up: None,
            success: None,
            success_fails_as: FailsAs::Permanent,
            conflict: None,
            in_progress: None,
            unavailable_means_not_applied: false,
        }
    }
}

fn default_key_header() -> String {
    DEFAULT_KEY_HEADER.to_owned()
}

/// One attempt to deliver.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// Where to, and how the answer is read.
    pub envelope: &'a Envelope,
    /// The idempotency key, sent as a plain header value. The IETF draft asks for a quoted RFC 8941 string;
    /// the receivers that exist (Stripe and those that copied it) compare the raw value, so plain is what
    /// works, and a receiver that wants quotes gets them from a key that has them.
    pub key: &'a str,
    /// The body, JSON, byte for byte the same at every attempt.
    pub body: &'a [u8],
    /// Whether an earlier attempt of the same row was ambiguous; it decides what an unexplained 409 means.
    pub maybe_applied: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_envelope_with_an_address_alone_has_every_default() {
        let read: Envelope =
            serde_json::from_value(json!({"url": "https://a.example/", "from_a_later_version": 1})).unwrap();
        assert_eq!(read, Envelope::new("https://a.example/"));
    }

    #[test]
    fn a_predicate_compares_numbers_by_value_and_not_by_spelling() {
        let check = |equals: Value, reply: Value, expected: bool| {
            let predicate = Predicate { pointer: "/v".into(), equals };
            assert_eq!(predicate.holds(&reply), expected, "{predicate:?} on {reply}");
        };
        check(json!(1), json!({"v": 1.0}), true);
        check(json!(1), json!({"v": "1"}), false);
        check(json!(9_007_199_254_740_993_u64), json!({"v": 9_007_199_254_740_992_u64}), false);
        check(json!(null), json!({}), false);
        check(json!(null), json!({"v": null}), true);
    }

    #[test]
    fn a_long_value_is_cut_in_the_cause() {
        let predicate = Predicate { pointer: "/v".into(), equals: json!(true) };
        let text = predicate.describe_failure(&json!({"v": "ü".repeat(500)}));
        assert!(text.chars().count() < 150, "{text}");
    }
}
