//! Why bytes are no event: one variant for each thing that a message lacks.
//!
//! Owns the words alone; every one names the field and what to send instead.

use std::str::Utf8Error;

use crate::identity::event::KEY_FIELD_LIMIT_BYTES;
use crate::identity::json_text::JsonError;
use crate::identity::time::TimeError;

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
