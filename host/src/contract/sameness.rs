//! When two messages are the same message: the same text to the same recipient, within a time.
//!
//! The operator says where recipient and text stand in a destination's rows, so that the promise holds whatever a step
//! calls its rows. Texts are compared without the white space around and between their words.

use crate::identity::canonical_json;
use crate::identity::key::digest;
use crate::identity::pointer::Pointer;
use crate::identity::pointer::PointerError;
use serde::Serialize;
use serde_json::Value;

/// The label under which a recipient and a text are hashed.
const LABEL: &str = "onceward/same-text";

/// Where a destination's rows say who gets what, and how long a repeat of it is suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sameness {
    recipient: Pointer,
    text: Pointer,
    within_ms: i64,
}

/// What a row is compared by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameText {
    /// A hash of recipient and text.
    pub key: [u8; 32],
    /// For how long after it went out another one is suppressed, in milliseconds.
    pub within_ms: i64,
}

impl Sameness {
    /// A rule from two JSON Pointers (RFC 6901) into the payload, and a time in milliseconds.
    ///
    /// # Errors
    /// Where a pointer is none.
    pub fn new(recipient: &str, text: &str, within_ms: i64) -> Result<Self, PointerError> {
        Ok(Self { recipient: Pointer::parse(recipient)?, text: Pointer::parse(text)?, within_ms })
    }

    /// What this payload is compared by; nothing where it lacks a recipient or a text, since it can't be told then.
    ///
    /// ```
    /// use onceward::contract::sameness::Sameness;
    /// use serde_json::json;
    /// let rule = Sameness::new("/to", "/text", 86_400_000)?;
    /// let one = rule.of(&json!({"to": "ada@example.com", "text": "Thank you.", "draft": 1}));
    /// let two = rule.of(&json!({"to": "ada@example.com", "text": " Thank  you.\n", "draft": 2}));
    /// assert!(one.is_some() && one == two);
    /// assert_eq!(rule.of(&json!({"text": "Thank you."})), None);
    /// # Ok::<(), onceward::identity::pointer::PointerError>(())
    /// ```
    #[must_use]
    pub fn of(&self, payload: &Value) -> Option<SameText> {
        let recipient = canonical_json::canonical(present(payload, &self.recipient)?);
        let text = match present(payload, &self.text)? {
            Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            other => canonical_json::canonical(other),
        };
        let key = digest(LABEL, &[recipient.as_bytes(), text.as_bytes()]);
        Some(SameText { key, within_ms: self.within_ms })
    }
}

fn present<'a>(payload: &'a Value, place: &Pointer) -> Option<&'a Value> {
    payload.pointer(place.as_str()).filter(|value| !value.is_null() && value.as_str() != Some(""))
}
