//! Events: what arrived, read once and strictly.
//!
//! Owns the envelope `{"source", "id", "time", "data"}`, which is CloudEvents 1.0 without its ceremony: other
//! attributes (`specversion`, `type`, `subject` ...) are tolerated and don't count. The payload is kept
//! twice, as the exact text that arrived and as the value that is compared.
//!
//! Refuses what has no single meaning (see [`crate::identity::json_text`]), an envelope without `source` or
//! `data`, and an `id` or `time` that is there but empty or of the wrong kind: a missing identity field is
//! never an empty string. The [`EventError`] names the field and says what to send.

use serde_json::Map;
use serde_json::Value;

pub use crate::identity::event::body::Body;
pub use crate::identity::event::error::EventError;
use crate::identity::pointer::Pointer;
use crate::identity::rules::kind;
use crate::identity::time;
use crate::identity::time::TimeError;

mod body;
mod error;

/// The largest envelope that [`Event::parse`] reads. Webhook providers stay far below; attachments travel by
/// address.
pub const EVENT_LIMIT_BYTES: usize = 1024 * 1024;

/// The longest `source` or `id`. They stand in the ledger beside the payload and in every list of works; an address
/// or a message id of a provider stays below.
pub const KEY_FIELD_LIMIT_BYTES: usize = 2 * 1024;

/// An inbound message, before anyone has asked what work it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Who sent it; never blank.
    pub source: String,
    /// The sender's id of the message, where the sender has one; never blank.
    pub id: Option<String>,
    /// When it happened, as the sender says: the normal form of [`time::normalise`], with all its digits. This
    /// identifies an event without an id, since a millisecond can hold two of them.
    pub occurred_at: Option<String>,
    /// The same instant in Unix milliseconds, for windows and clocks; what is finer is cut.
    pub occurred_at_ms: Option<i64>,
    /// The payload exactly as it arrived, without the white space around it.
    pub data_text: String,
    /// The payload as it is compared.
    pub data: Value,
}

impl Event {
    /// Reads an envelope of at most [`EVENT_LIMIT_BYTES`].
    ///
    /// ```
    /// use onceward::identity::event::Event;
    ///
    /// let event = Event::parse(br#"{"source": "shop", "id": "42", "data": {"total": 1.0}}"#)?;
    /// assert_eq!(event.data_text, r#"{"total": 1.0}"#);
    /// assert_eq!(event.data, serde_json::json!({"total": 1}));
    /// # Ok::<(), onceward::identity::event::EventError>(())
    /// ```
    ///
    /// # Errors
    /// [`EventError`] says what was refused and what to send.
    pub fn parse(bytes: &[u8]) -> Result<Self, EventError> {
        Self::parse_within(bytes, EVENT_LIMIT_BYTES)
    }

    /// Reads an envelope of at most `limit_bytes`.
    ///
    /// # Errors
    /// As [`Event::parse`].
    pub fn parse_within(bytes: &[u8], limit_bytes: usize) -> Result<Self, EventError> {
        Self::from_envelope(&Body::read(bytes, limit_bytes)?)
    }

    /// Takes an envelope that has been read.
    ///
    /// # Errors
    /// As [`Event::parse`], but for what concerns its bytes.
    pub fn from_envelope(envelope: &Body) -> Result<Self, EventError> {
        let Value::Object(members) = envelope.value() else {
            return Err(EventError::NotAnObject { found: kind(envelope.value()) });
        };
        let source = text_field(members, "source")?.ok_or(EventError::MissingField { field: "source" })?;
        let (id, time) = (text_field(members, "id")?, text_field(members, "time")?);
        let place = Pointer::parse("/data").expect("it begins with a slash and escapes nothing");
        let data = envelope.part(&place).ok_or(EventError::MissingField { field: "data" })?;
        Self::new(source, id, time, data)
    }

    /// Makes an event of parts that came in another shape than the envelope's, as strictly. `time` is an RFC 3339 date-time.
    ///
    /// ```
    /// use onceward::identity::event::{Body, Event};
    ///
    /// let data = Body::read(br#"{"total": 1.0}"#, 1_000)?;
    /// let event = Event::new("shop", Some("42"), None, data)?;
    /// assert_eq!(event, Event::parse(br#"{"source": "shop", "id": "42", "data": {"total": 1.0}}"#)?);
    /// # Ok::<(), onceward::identity::event::EventError>(())
    /// ```
    ///
    /// # Errors
    /// A part that is blank, too long for a key or names no instant.
    pub fn new(source: &str, id: Option<&str>, time: Option<&str>, data: Body) -> Result<Self, EventError> {
        let source = key_field("source", source)?;
        let id = id.map(|id| key_field("id", id)).transpose()?;
        let time = time.map(|time| not_blank("time", time)).transpose()?;
        let instant = time.map(read_instant).transpose();
        let (occurred_at, occurred_at_ms) = instant.map_err(|source| EventError::BadTime { source })?.unzip();
        let (data_text, data) = data.into_parts();
        Ok(Self { source, id, occurred_at, occurred_at_ms, data_text, data })
    }
}

fn read_instant(text: &str) -> Result<(String, i64), TimeError> {
    Ok((time::normalise(text)?, time::parse(text)?))
}

/// A text that stands in a key.
fn key_field(field: &'static str, text: &str) -> Result<String, EventError> {
    let text = not_blank(field, text)?;
    if text.len() > KEY_FIELD_LIMIT_BYTES {
        return Err(EventError::FieldTooLong { field, bytes: text.len() });
    }
    if text.contains('\0') {
        return Err(EventError::NulInField { field });
    }
    Ok(text.to_owned())
}

fn not_blank<'a>(field: &'static str, text: &'a str) -> Result<&'a str, EventError> {
    if text.trim().is_empty() { Err(EventError::BlankField { field }) } else { Ok(text) }
}

/// A member's text: nothing where it is absent or null, refused where it is no text.
fn text_field<'a>(
    members: &'a Map<String, Value>,
    field: &'static str,
) -> Result<Option<&'a str>, EventError> {
    match members.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(EventError::WrongKind { field, found: kind(other) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::json_text::JsonError;
    use crate::identity::json_text::parse;

    fn check(envelope: &str, code: &str, says: &str) {
        let error = Event::parse(envelope.as_bytes()).expect_err(envelope);
        assert_eq!(error.code(), code, "{envelope}");
        assert!(error.to_string().contains(says), "`{error}` should say `{says}`");
    }

    #[test]
    fn a_refusal_names_the_field() {
        check(r#"{"data": 1}"#, "missing-envelope-field", "`source`");
        check(r#"{"source": null, "data": 1}"#, "missing-envelope-field", "`source`");
        check(r#"{"source": "s"}"#, "missing-envelope-field", "`data`");
        check(r#"{"source": "s", "id": " ", "data": 1}"#, "blank-envelope-field", "`id`");
        check(r#"{"source": "s", "id": 7, "data": 1}"#, "wrong-envelope-kind", "`id` holds a number");
        check(r#"{"source": "s", "id": "a\u0000b", "data": 1}"#, "nul-in-envelope-field", "`id`");
        check(r#"{"source": "s", "time": "yesterday", "data": 1}"#, "bad-event-time", "`time`");
        check("[]", "not-an-object", "an array");
    }

    #[test]
    fn malformed_bytes_are_placed() {
        let error = Event::parse("{\n \"sourcé\": x}".as_bytes()).expect_err("no value");
        let EventError::Json { source: JsonError::Syntax { line, column, .. } } = error else {
            panic!("{error:?}")
        };
        assert_eq!((line, column), (2, 12));
        let error = Event::parse(b"{\n\"s\": \"\xc3\xa9\xff\"}").expect_err("no UTF-8");
        assert!(matches!(error, EventError::Utf8 { line: 2, column: 8, .. }), "{error:?}");
    }

    #[test]
    fn an_empty_text_ends_too_early() {
        check("", "syntax", "envelope");
        check("{\"source\": \"s\"", "syntax", "envelope");
    }

    #[test]
    fn the_limit_is_the_last_size_that_is_read() {
        let envelope = br#"{"source":"s","data":1}"#;
        assert!(Event::parse_within(envelope, envelope.len()).is_ok());
        let error = Event::parse_within(envelope, envelope.len() - 1).expect_err("one byte too many");
        assert_eq!(error, EventError::TooLarge { bytes: envelope.len(), limit_bytes: envelope.len() - 1 });
        let text = error.to_string();
        assert!(text.contains("limit of 22 bytes") && text.contains("send less"), "{text}");
        assert!(!text.contains("raise"), "there is no setting that raises it: {text}");
    }

    #[test]
    fn a_key_is_no_place_for_content() {
        let longest = "é".repeat(KEY_FIELD_LIMIT_BYTES / 2);
        let envelope =
            |source: &str, id: &str| serde_json::json!({"source": source, "id": id, "data": 1}).to_string();
        assert!(Event::parse(envelope(&longest, &longest).as_bytes()).is_ok());
        let longer = format!("{longest}x");
        check(&envelope(&longer, "1"), "envelope-field-too-long", "`source` has 2049 bytes");
        check(&envelope("s", &longer), "envelope-field-too-long", "`id` has 2049 bytes");
    }

    #[test]
    fn the_original_time_keeps_its_digits_beside_its_milliseconds() {
        let event = Event::parse(br#"{"source": "s", "time": "1970-01-01T01:00:00.0019+01:00", "data": 1}"#);
        let event = event.expect("a good envelope");
        assert_eq!(event.occurred_at.as_deref(), Some("1970-01-01T00:00:00.0019Z"));
        assert_eq!(event.occurred_at_ms, Some(1));
    }

    #[test]
    fn the_payload_is_kept_to_the_byte() {
        let text = "{ \"b\" : 1.0,\n  \"a\": \"\\u0041\", \"big\": 9007199254740993 }";
        let event = Event::parse(
            format!("{{\"d\\u0061ta\":  {text}  , \"source\": \"s\", \"type\": \"x\"}}").as_bytes(),
        );
        let event = event.expect("a good envelope");
        assert_eq!(event.data_text, text);
        assert_eq!(event.data, parse(text).expect("the same payload"));
        assert_eq!((event.id, event.occurred_at, event.occurred_at_ms), (None, None, None));
    }

    #[test]
    fn a_null_payload_is_there() {
        let event = Event::parse(br#"{"source": "s", "data": null}"#).expect("a good envelope");
        assert_eq!((event.data, event.data_text.as_str()), (Value::Null, "null"));
    }

    #[test]
    fn the_deepest_payload_that_is_read_has_a_text() {
        let data = format!("{}{}", "[".repeat(127), "]".repeat(127));
        let event =
            Event::parse(format!("{{\"source\":\"s\",\"data\":{data}}}").as_bytes()).expect("128 levels");
        assert_eq!(event.data_text, data);
        check(&format!("{{\"source\":\"s\",\"data\":[{data}]}}"), "too-deep", "envelope");
    }
}
