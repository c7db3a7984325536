//! Why there is no identity: one variant for each thing an event lacks or a contract got wrong.
//!
//! Owns the words alone; every one names the field and what to send or to declare instead.

use crate::identity::pointer::POINTER_LIMIT_BYTES;
use crate::identity::pointer::PointerError;
use crate::identity::rules::RulesError;
use crate::identity::work_id::FIELDS_LIMIT;
use crate::identity::work_id::VALUE_LIMIT_BYTES;

/// Why an event has no identity, or a contract's identity is unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// The event has neither an id nor a time.
    #[error(
        "identify an event by its source's key: it has neither `id` nor `time`; \
             send the provider's message id as `id`, or the original event time as `time`"
    )]
    NoIdentity,
    /// A business-key field is absent, null or blank.
    #[error(
        "identify an event by its business key: `{pointer}` is missing, null or blank; \
         send it with every event"
    )]
    MissingField {
        /// Pointer of the field.
        pointer: String,
    },
    /// A business-key field is taken out as volatile.
    #[error(
        "identify an event by its business key: `{pointer}` is volatile, so a retry would be new work; \
             choose a field that stays the same when the event is sent again"
    )]
    VolatileField {
        /// Pointer of the field.
        pointer: String,
    },
    /// A business-key field holds an object or an array.
    #[error(
        "identify an event by its business key: `{pointer}` holds {found}; \
         name the text, number or truth value inside it"
    )]
    NotScalar {
        /// Pointer of the field.
        pointer: String,
        /// What it holds.
        found: &'static str,
    },
    /// A business-key field holds more than a key.
    #[error(
        "identify an event by its business key: `{pointer}` has {bytes} bytes and the limit is {VALUE_LIMIT_BYTES}; \
         send a key there, or declare another identity"
    )]
    ValueTooLong {
        /// Pointer of the field.
        pointer: String,
        /// The length of its canonical text in bytes.
        bytes: usize,
    },
    /// The normal payload has nothing in it.
    #[error(
        "identify an event by its content: `data` holds nothing but volatile fields; \
         send the payload, or declare another identity"
    )]
    EmptyPayload,
    /// The business key has no fields.
    #[error("read the contract's business key: it names no field; name at least one, like `/order/id`")]
    NoFields,
    /// The business key has too many fields.
    #[error(
        "read the contract's business key: it names {fields} fields and the limit is {FIELDS_LIMIT}; \
         name those that tell two events apart, or take the whole payload as identity"
    )]
    TooManyFields {
        /// How many it names.
        fields: usize,
    },
    /// A business-key field's pointer is too long.
    #[error(
        "read the contract's business key: field {position} is a pointer of {bytes} bytes and the limit is \
         {POINTER_LIMIT_BYTES}; correct the field"
    )]
    PointerTooLong {
        /// Which field, counted from 1.
        position: usize,
        /// The pointer's length in bytes.
        bytes: usize,
    },
    /// A business-key field uses `*`.
    #[error(
        "read the contract's business key: `{pointer}` can name several places; name one field, without `*`"
    )]
    WildField {
        /// The pointer.
        pointer: String,
    },
    /// A business-key field is no pointer.
    #[error("read the contract's business key: a field is no JSON Pointer; correct the field")]
    BadPointer {
        /// What is wrong with it.
        #[source]
        source: PointerError,
    },
    /// The payload could not be brought into its normal form.
    #[error(
        "identify an event: its payload could not be normalised by the contract's rules; \
         correct the payload or the rules"
    )]
    Rules {
        /// Which field, and why.
        #[source]
        source: RulesError,
    },
}

impl IdentityError {
    /// The stable name of the refusal, as the shared vectors write it; for the rules that of the
    /// [`RulesError`].
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoIdentity => "no-identity",
            Self::MissingField { .. } => "missing-field",
            Self::VolatileField { .. } => "volatile-field",
            Self::NotScalar { .. } => "not-scalar",
            Self::ValueTooLong { .. } => "value-too-long",
            Self::TooManyFields { .. } => "too-many-fields",
            Self::PointerTooLong { .. } => "pointer-too-long",
            Self::EmptyPayload => "empty-payload",
            Self::NoFields => "no-fields",
            Self::WildField { .. } => "wild-field",
            Self::BadPointer { .. } => "bad-pointer",
            Self::Rules { source } => source.code(),
        }
    }
}
