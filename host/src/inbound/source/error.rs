//! Why a request of a source is no event: unproved, unreadable, or without an identity.
//!
//! Owns the words alone; every one names the source, the header or the field, and the remedy.

use crate::identity::event::EventError;
use crate::inbound::headers::HeaderError;
use crate::inbound::signature::SignatureError;
use crate::inbound::source::place::PlaceError;

/// Why a request was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It is not proved to come from the source.
    #[error(
        "take a message of the source `{name}`: it is not proved to come from there; nothing of it was kept"
    )]
    Unproved {
        /// The source.
        name: String,
        /// Which header, and why.
        #[source]
        source: SignatureError,
    },
    /// A header that says what the message is can't be read.
    #[error(
        "take a message of the source `{name}`: a header that says what it is can't be read; correct the sender"
    )]
    Header {
        /// The source.
        name: String,
        /// Which, and why.
        #[source]
        source: HeaderError,
    },
    /// The body is no JSON, by its type.
    #[error(
        "take a message of the source `{name}`: its `content-type` is `{found}`, and only JSON is read; {remedy}"
    )]
    ContentType {
        /// The source.
        name: String,
        /// The beginning of the type.
        found: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Body, key or time can't be an event's.
    #[error("take a message of the source `{name}`: it can't be read as an event; correct the sender")]
    Event {
        /// The source.
        name: String,
        /// What is wrong and where.
        #[source]
        source: EventError,
    },
    /// What stands in the place of the id or the time is none.
    #[error(
        "take a message of the source `{name}`: its {what} can't be read; correct the sender, or the source's `{what}`"
    )]
    Place {
        /// The source.
        name: String,
        /// `id` or `time`.
        what: &'static str,
        /// Which place, and why.
        #[source]
        source: PlaceError,
    },
    /// Nothing tells this message from another one.
    #[error(
        "take a message of the source `{name}`: it has no identity, since there is nothing at {places}; \
         send it there, or correct where the source's `id` and `time` look for it"
    )]
    NoIdentity {
        /// The source.
        name: String,
        /// Where id and time were looked for.
        places: String,
    },
    /// The part that is the payload is not there.
    #[error(
        "take a message of the source `{name}`: there is nothing at `{pointer}` of the body, which is its payload; \
         correct the sender, or the source's `data`"
    )]
    NoData {
        /// The source.
        name: String,
        /// Where the payload should be.
        pointer: String,
    },
    /// The provider asks for an answer without saying which.
    #[error(
        "take a message of the source `{name}`: it asks for its `challenge` back and has none that could be sent; \
         correct the sender"
    )]
    NoChallenge {
        /// The source.
        name: String,
    },
}
