//! Why a request at invoke is no event, where it is not the event itself that is wrong.
//!
//! Owns the words alone; every one names the header or the attribute and the remedy.

use crate::identity::event::EventError;
use crate::inbound::headers::HeaderError;

/// Why a request was not read as an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloudEventError {
    /// A header can't be read.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Envelope or payload can't be an event's.
    #[error(transparent)]
    Event(#[from] EventError),
    /// Many events in one request.
    #[error(
        "read a CloudEvent: batched mode (`application/cloudevents-batch`) is not supported; send each event in a request of its own"
    )]
    Batched,
    /// An event format other than JSON.
    #[error(
        "read a CloudEvent: the event format `{found}` is not supported; send `application/cloudevents+json`"
    )]
    Format {
        /// The beginning of the type.
        found: String,
    },
    /// A body of another type.
    #[error(
        "read an event: its `content-type` is `{found}`, and only JSON is read; send JSON, as `application/json`"
    )]
    ContentType {
        /// The beginning of the type.
        found: String,
    },
    /// An attribute that every CloudEvent has is not there.
    #[error(
        "read a CloudEvent: it has no `{attribute}`; send `specversion`, `id` and `source` with every event"
    )]
    MissingAttribute {
        /// The attribute.
        attribute: &'static str,
    },
    /// Another version of the specification.
    #[error("read a CloudEvent: its `specversion` is not \"1.0\"; send an event of CloudEvents 1.0")]
    SpecVersion,
    /// Binary data.
    #[error(
        "read a CloudEvent: it has `data_base64`, and a payload is JSON here; send `data`, and a reference to what is binary"
    )]
    DataBase64,
    /// The attributes say that `data` is no JSON.
    #[error(
        "read a CloudEvent: its `datacontenttype` is not JSON; send JSON in `data`, as `application/json`"
    )]
    DataContentType,
    /// A header that breaks the encoding of attributes.
    #[error(
        "read a CloudEvent: the header `{header}` is {problem}; percent-encode its value as UTF-8, as the HTTP binding says"
    )]
    Encoding {
        /// The header.
        header: &'static str,
        /// What is wrong.
        problem: &'static str,
    },
}
