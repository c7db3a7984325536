//! What a caller said that can't be taken.

use crate::identity::caller_key::CallerKeyError;
use crate::identity::json_text::JsonError;
use crate::runtime::decide::DecideError;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::runtime::row::RowFault;
use crate::store::error::StoreError;

/// How much of a name is quoted that is not usable, in characters.
const QUOTED_CHARS: usize = 64;

/// What a caller said that can't be taken.
#[derive(Debug, thiserror::Error)]
pub enum CallerError {
    /// The scope is no usable name.
    #[error(
        "claiming for a caller: the scope {0:?} is not usable; take lower-case letters, digits and hyphens, as for a step's name"
    )]
    Scope(String),
    /// A name is not usable.
    #[error(
        "naming {what}: {name:?} is blank, longer than {NAME_LIMIT_BYTES} bytes or holds U+0000; give the same short name at each attempt, such as \"crm\""
    )]
    Name {
        /// What it names.
        what: &'static str,
        /// The name, perhaps cut.
        name: String,
    },
    /// The external reference is too long.
    #[error(
        "recording an effect: the reference is blank, longer than {NAME_LIMIT_BYTES} bytes or holds U+0000; give the id that the third party gave"
    )]
    Reference,
    /// The lease is nothing, or too long.
    #[error("taking a lease of {0} ms: a caller's lease is 1 ms to a day; extend it while the work goes on")]
    Lease(u64),
    /// The window is nothing.
    #[error(
        "claiming for a caller: the window is of no length, or its marker has no usable name; leave it out to remember the key for ever"
    )]
    Window,
    /// The work would die before its first attempt.
    #[error("claiming for a caller: no attempt is allowed; allow one at least")]
    Attempts,
    /// The key or the content is no identity.
    #[error("claiming for a caller: the key is not usable")]
    Key(#[from] CallerKeyError),
    /// The result is no JSON.
    #[error("settling a caller's work: the result is not acceptable JSON; correct it")]
    Output(#[source] JsonError),
    /// The claim is not the caller's, or no more.
    #[error(
        "the claim is no longer yours, and nothing was changed; where the effect has happened, record it all the same"
    )]
    LeaseLost,
    /// There is no decision.
    #[error(transparent)]
    Decide(#[from] DecideError),
    /// The row is not usable.
    #[error("enqueuing a row: it is not usable")]
    Row(#[source] RowFault),
    /// The destination is not set up.
    #[error("enqueuing a row: the destination {name:?} is not configured; configured are: {known}")]
    Destination {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The operator has no such stage.
    #[error("moving a handoff: {stage:?} is no stage; the stages are {known}")]
    Stage {
        /// The stage that was given.
        stage: String,
        /// The stages that there are.
        known: String,
    },
    /// The cursor is too long.
    #[error(
        "saving a cursor: it has {bytes} bytes and the limit is {limit_bytes}; keep a place in the list, not the list"
    )]
    Cursor {
        /// Its length in bytes.
        bytes: usize,
        /// The longest in bytes.
        limit_bytes: usize,
    },
    /// Too many items at once.
    #[error(
        "claiming items: {count} were given and the limit is {limit}; claim a chunk, and the next one when it is done"
    )]
    Items {
        /// How many.
        count: usize,
        /// At most so many.
        limit: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CallerError {
    pub(super) fn name(what: &'static str, name: &str) -> Self {
        Self::Name { what, name: name.chars().take(QUOTED_CHARS).collect() }
    }
}
