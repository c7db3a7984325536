//! Bodies: JSON as it arrived and as it is compared, read once.
//!
//! Owns [`Body`], which keeps the exact text beside the strictly read value, so that a part of a message can become a
//! payload without being written anew. Refuses what has no single meaning (see [`crate::identity::json_text`]), with the
//! [`EventError`] of the event that it would have been.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::identity::event::EventError;
use crate::identity::json_text::line_and_column;
use crate::identity::json_text::parse;
use crate::identity::pointer::Pointer;

/// A JSON text and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    text: String,
    value: Value,
}

impl Body {
    /// Reads JSON of at most `limit_bytes`.
    ///
    /// # Errors
    /// It is too large, no UTF-8, or no JSON with a single meaning.
    pub fn read(bytes: &[u8], limit_bytes: usize) -> Result<Self, EventError> {
        if bytes.len() > limit_bytes {
            return Err(EventError::TooLarge { bytes: bytes.len(), limit_bytes });
        }
        let text = read_utf8(bytes)?;
        let value = parse(text).map_err(|source| EventError::Json { source })?;
        Ok(Self { text: text.trim_matches([' ', '\t', '\n', '\r']).to_owned(), value })
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The text exactly as it arrived, without the white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part at a place, to the byte; none where there is no such part. A `*` in the pointer is an ordinary name here.
    ///
    /// ```
    /// use onceward::identity::event::Body;
    /// use onceward::identity::pointer::Pointer;
    ///
    /// let body = Body::read(br#"{"items": [{"total":  1.0}, 2]}"#, 1_000)?;
    /// let item = body.part(&Pointer::parse("/items/0")?).ok_or("it is there")?;
    /// assert_eq!(item.text(), r#"{"total":  1.0}"#);
    /// assert_eq!(item.value(), &serde_json::json!({"total": 1}));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn part(&self, place: &Pointer) -> Option<Self> {
        let value = self.value.pointer(place.as_str())?.clone();
        let mut text = self.text.as_str();
        for token in place.tokens() {
            text = child(text, token);
        }
        Some(Self { text: text.to_owned(), value })
    }

    pub(super) fn into_parts(self) -> (String, Value) {
        (self.text, self.value)
    }
}

/// The text of a member or an element that is known to be there.
fn child<'a>(text: &'a str, token: &str) -> &'a str {
    let known = "what the strict reader accepted is JSON, and has this part";
    let raw: &RawValue = if text.starts_with('{') {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).expect(known);
        members.get(token).copied().expect(known)
    } else {
        let elements: Vec<&RawValue> = serde_json::from_str(text).expect(known);
        token.parse().ok().and_then(|at: usize| elements.get(at).copied()).expect(known)
    };
    raw.get()
}

fn read_utf8(bytes: &[u8]) -> Result<&str, EventError> {
    std::str::from_utf8(bytes).map_err(|source| {
        let valid = bytes.get(..source.valid_up_to()).unwrap_or_default();
        let (line, column) = line_and_column(&String::from_utf8_lossy(valid));
        EventError::Utf8 { line, column, source }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_kept_to_the_byte() {
        let text =
            "{ \"a~/b\" : [ 0, { \"\": \"\\u0041\" , \"d\\u0061y\":  9007199254740993 } ], \"*\": null }";
        let body = Body::read(text.as_bytes(), 1_000).expect("JSON");
        let check = |place: &str, expected: Option<&str>| {
            let part = body.part(&Pointer::parse(place).expect(place));
            assert_eq!(part.as_ref().map(Body::text), expected, "{place}");
            let Some(part) = part else { return };
            assert_eq!(Body::read(part.text().as_bytes(), 1_000), Ok(part), "{place}");
        };
        check("/a~0~1b", Some("[ 0, { \"\": \"\\u0041\" , \"d\\u0061y\":  9007199254740993 } ]"));
        check("/a~0~1b/0", Some("0"));
        check("/a~0~1b/1/", Some("\"\\u0041\""));
        check("/a~0~1b/1/day", Some("9007199254740993"));
        check("/*", Some("null"));
        check("/a~0~1b/2", None);
        check("/a~0~1b/00", None);
        check("/missing/x", None);
    }

    #[test]
    fn a_part_of_a_whole_that_is_not_json_is_no_matter() {
        let error = Body::read(br#"{"data": {"a": 1, "a": 1}}"#, 1_000).expect_err("a member twice");
        assert_eq!(error.code(), "duplicate-member");
    }
}
