//! Events: what arrived, read once and strictly.
//!
//! Owns the envelope `{"source", "id", "time", "data"}`, which is CloudEvents 1.0 without its ceremony: other
//! attributes (`specversion`, `type`, `subject` ...) are tolerated and don't count. The payload is kept
//! twice, as the exact text that arrived and as the value that is compared.
//!
//! Refuses what has no single meaning (see [`crate::identity::json_text`]), an envelope without `source` or
//! `data`, and an `id` or `time` that is there but empty or of the wrong kind: a missing identity field is
//! never an empty string. The [`EventError`] names the field and says what to send.

use std::str::Utf8Error;

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::identity::json_text::JsonError;
use crate::identity::json_text::line_and_column;
use crate::identity::json_text::parse;
use crate::identity::rules::kind;
use crate::identity::time;
use crate::identity::time::TimeError;

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

/// Why bytes could not be read as an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// The envelope is larger than the limit.
    #[error(
        "read an event: it is larger than the limit of {limit_bytes} bytes; send less: \
         put attachments elsewhere, and send a reference to them"
    )]
    TooLarge {
        /// How many bytes came, of which a caller that reads within the limit has the first alone.
        bytes: usize,
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The bytes are not UTF-8.
    #[error("read an event at line {line}, column {column}: the bytes are no UTF-8; send JSON in UTF-8")]
    Utf8 {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What the decoder said.
        #[source]
        source: Utf8Error,
    },
    /// The text is not acceptable JSON.
    #[error("read an event: its envelope is not acceptable JSON; correct the sender")]
    Json {
        /// What is wrong and where.
        #[source]
        source: JsonError,
    },
    /// The envelope is no object.
    #[error(
        "read an event: the envelope is {found}; \
         send an object like {{\"source\": \"shop\", \"id\": \"42\", \"data\": {{}}}}"
    )]
    NotAnObject {
        /// What was found.
        found: &'static str,
    },
    /// A required member is missing (or `source` is null).
    #[error(
        "read an event: the envelope has no `{field}`; \
         send `source` (who sent it) and `data` (the payload) with every event"
    )]
    MissingField {
        /// The member's name.
        field: &'static str,
    },
    /// A member is there but blank.
    #[error("read an event: `{field}` is blank; send a value, or leave an optional field out")]
    BlankField {
        /// The member's name.
        field: &'static str,
    },
    /// `source` or `id` is too long for a key.
    #[error(
        "read an event: `{field}` has {bytes} bytes and the limit is {KEY_FIELD_LIMIT_BYTES}; \
         send a key there, and the content in `data`"
    )]
    FieldTooLong {
        /// The member's name.
        field: &'static str,
        /// Its length in bytes.
        bytes: usize,
    },
    /// A key field holds U+0000, which not every backend's text can hold. In the payload it is accepted.
    #[error("read an event: `{field}` holds the character U+0000, which can't stand in a key; leave it out")]
    NulInField {
        /// The member.
        field: &'static str,
    },
    /// A member holds something other than text.
    #[error("read an event: `{field}` holds {found}; send it as text in double quotes")]
    WrongKind {
        /// The member's name.
        field: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// `time` names no instant.
    #[error(
        "read an event: `time` names no instant; send when it happened, with its offset, or leave it out"
    )]
    BadTime {
        /// What is wrong with it.
        #[source]
        source: TimeError,
    },
}

impl EventError {
    /// The stable name of the refusal, as the shared vectors write it; for malformed JSON that of the
    /// [`JsonError`].
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too-large",
            Self::Utf8 { .. } => "not-utf8",
            Self::Json { source } => source.code(),
            Self::NotAnObject { .. } => "not-an-object",
            Self::MissingField { .. } => "missing-envelope-field",
            Self::BlankField { .. } => "blank-envelope-field",
            Self::FieldTooLong { .. } => "envelope-field-too-long",
            Self::NulInField { .. } => "nul-in-envelope-field",
            Self::WrongKind { .. } => "wrong-envelope-kind",
            Self::BadTime { .. } => "bad-event-time",
        }
    }
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
        if bytes.len() > limit_bytes {
            return Err(EventError::TooLarge { bytes: bytes.len(), limit_bytes });
        }
        let text = read_utf8(bytes)?;
        let mut members = match parse(text) {
            Ok(Value::Object(members)) => members,
            Ok(other) => return Err(EventError::NotAnObject { found: kind(&other) }),
            Err(source) => return Err(EventError::Json { source }),
        };
        let source =
            key_field(&mut members, "source")?.ok_or(EventError::MissingField { field: "source" })?;
        let id = key_field(&mut members, "id")?;
        let time = text_field(&mut members, "time")?;
        let instant = time.as_deref().map(read_instant).transpose();
        let instant = instant.map_err(|source| EventError::BadTime { source })?;
        let (occurred_at, occurred_at_ms) = instant.unzip();
        let data = members.remove("data").ok_or(EventError::MissingField { field: "data" })?;
        let raw: RawData<'_> =
            serde_json::from_str(text).expect("what the strict reader accepted is JSON with `data`");
        Ok(Self { source, id, occurred_at, occurred_at_ms, data_text: raw.data.get().to_owned(), data })
    }
}

/// The envelope read a second time, only to find where the payload's text begins and ends.
#[derive(Deserialize)]
struct RawData<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
}

fn read_utf8(bytes: &[u8]) -> Result<&str, EventError> {
    std::str::from_utf8(bytes).map_err(|source| {
        let valid = bytes.get(..source.valid_up_to()).unwrap_or_default();
        let (line, column) = line_and_column(&String::from_utf8_lossy(valid));
        EventError::Utf8 { line, column, source }
    })
}

fn read_instant(text: &str) -> Result<(String, i64), TimeError> {
    Ok((time::normalise(text)?, time::parse(text)?))
}

/// An optional text that stands in a key.
fn key_field(members: &mut Map<String, Value>, field: &'static str) -> Result<Option<String>, EventError> {
    match text_field(members, field)? {
        Some(text) if text.len() > KEY_FIELD_LIMIT_BYTES => {
            Err(EventError::FieldTooLong { field, bytes: text.len() })
        }
        Some(text) if text.contains('\0') => Err(EventError::NulInField { field }),
        text => Ok(text),
    }
}

/// An optional text: nothing where it is absent or null, refused where it is blank or no text.
fn text_field(members: &mut Map<String, Value>, field: &'static str) -> Result<Option<String>, EventError> {
    match members.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Err(EventError::BlankField { field }),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(EventError::WrongKind { field, found: kind(&other) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
