//! Why rules or a payload were refused: one variant for each fault.
//!
//! Owns the words alone; every one names the list or the field and the remedy.

use crate::identity::builtin;
use crate::identity::pointer::POINTER_LIMIT_BYTES;
use crate::identity::pointer::PointerError;
use crate::identity::rules::ENTRIES_LIMIT;
use crate::identity::time::TimeError;
use crate::identity::url::UrlError;

/// Why rules are unusable, or why a payload could not be brought into its normal form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The built-in lists of this revision are not known here.
    #[error(
        "read the contract's rules: they count on revision {revision} of the built-in lists, and this host knows \
         1 to {}; run a host at least as new as the one that recorded the contract",
        builtin::LATEST
    )]
    UnknownBuiltin {
        /// The revision.
        revision: u32,
    },
    /// A list has too many entries.
    #[error(
        "read the contract's list `{list}`: it has {entries} entries and the limit is {ENTRIES_LIMIT}; \
         name what they have in common, with `*` or by the member that holds them"
    )]
    TooManyEntries {
        /// The list.
        list: &'static str,
        /// How many it has.
        entries: usize,
    },
    /// An entry is too long.
    #[error(
        "read the contract's list `{list}`: entry {position} has {bytes} bytes and the limit is \
         {POINTER_LIMIT_BYTES}; correct the entry"
    )]
    EntryTooLong {
        /// The list.
        list: &'static str,
        /// Which entry, counted from 1.
        position: usize,
        /// Its length in bytes.
        bytes: usize,
    },
    /// An entry is not a JSON Pointer.
    #[error("read the contract's list `{list}`: an entry is no JSON Pointer; correct the entry")]
    BadPointer {
        /// The list that holds the entry.
        list: &'static str,
        /// What is wrong with it.
        #[source]
        source: PointerError,
    },
    /// A volatile entry is neither a pointer nor a member's name.
    #[error(
        "read the contract's list `volatile`: `{entry}` is neither a JSON Pointer nor a member's name; \
             begin a pointer with `/`, and write a name without one"
    )]
    BadName {
        /// The entry.
        entry: String,
    },
    /// A content field is always taken out before anything is compared.
    #[error(
        "read the contract's list `content_fields`: `{pointer}` is volatile and would never be compared; \
             take it off the list, or give the field another name"
    )]
    NeverCompared {
        /// The entry.
        pointer: String,
    },
    /// A field that must hold text holds something else.
    #[error(
        "normalise `{pointer}`, declared in `{list}`: it holds {found} instead of text; \
         send text, or drop the declaration"
    )]
    WrongKind {
        /// Pointer of the field.
        pointer: String,
        /// The list that declares it.
        list: &'static str,
        /// What the field holds.
        found: &'static str,
    },
    /// A field does not hold a usable address.
    #[error(
        "normalise `{pointer}`, declared in `urls`: it holds no comparable address; \
         correct it or leave it out"
    )]
    BadUrl {
        /// Pointer of the field.
        pointer: String,
        /// What is wrong with it.
        #[source]
        source: UrlError,
    },
    /// A field does not hold an instant.
    #[error(
        "normalise `{pointer}`, declared in `times`: it holds no comparable time; correct it or leave it out"
    )]
    BadTime {
        /// Pointer of the field.
        pointer: String,
        /// What is wrong with it.
        #[source]
        source: TimeError,
    },
}

impl RulesError {
    /// The stable name of the refusal, as the shared vectors write it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownBuiltin { .. } => "unknown-builtin",
            Self::TooManyEntries { .. } => "too-many-entries",
            Self::EntryTooLong { .. } => "entry-too-long",
            Self::BadPointer { .. } => "bad-pointer",
            Self::BadName { .. } => "bad-name",
            Self::NeverCompared { .. } => "never-compared",
            Self::WrongKind { .. } => "wrong-kind",
            Self::BadUrl { .. } => "bad-url",
            Self::BadTime { .. } => "bad-time",
        }
    }
}
