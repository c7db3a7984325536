//! Quarantine: events whose identity is on record with other content, kept for a person.
//!
//! A weak key (two leads in one second) must not cost a lead, and other content must not pass for the first. So the event
//! is stored beside the work it collides with, under an id of its own, and a person says which of the two it was.
//!
//! ```text
//!  (mismatch) ──► waiting ──admit──► admitted    new work of its own; a repeat of the event is that work
//!                    └───────drop──► dropped     a repeat is answered so; the record stays
//! ```

use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What happens to an event whose identity is on record with other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMismatch {
    /// It is refused; its sender can correct it.
    Refuse,
    /// It is kept for a person; its sender can't do anything about it.
    Quarantine,
}

/// Where a kept event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuarantineState {
    /// For a person.
    Waiting,
    /// It is work of its own.
    Admitted,
    /// It shall never run.
    Dropped,
}

impl QuarantineState {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Admitted, Self::Dropped];

    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Admitted => "admitted",
            Self::Dropped => "dropped",
        }
    }

    /// The state of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// A kept event.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Quarantined {
    /// The id that it has, or would have, as work of its own. It names the event here.
    pub work_id: WorkId,
    /// The root key that it shares with the first content.
    pub collides_with: RootKey,
    /// The step.
    pub step: String,
    /// The contract version that the contents were compared under.
    pub version: u32,
    /// The readable key that it has, or would have, as work of its own.
    pub readable_key: String,
    /// Where the event came from.
    pub source: String,
    /// The provider's message id.
    pub event_id: Option<String>,
    /// The event's original time, Unix milliseconds.
    pub occurred_at_ms: i64,
    /// The hash of its declared content.
    pub content_hash: ContentHash,
    /// JSON text.
    pub payload: String,
    /// Where it stands.
    pub state: QuarantineState,
    /// How often it came again.
    pub repeats: u64,
    /// Who decided, and why.
    pub decided_by: Option<String>,
    /// When it came, Unix milliseconds.
    pub created_ms: i64,
    /// When it last changed, Unix milliseconds.
    pub updated_ms: i64,
}

/// Which kept events to list.
#[derive(Clone, Debug)]
pub struct QuarantineFilter {
    /// The namespace.
    pub namespace: String,
    /// Only this state.
    pub state: Option<QuarantineState>,
    /// At most so many.
    pub limit: u32,
}

/// What a person says about a kept event. It can be said while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum QuarantineDecision {
    /// It is work of its own.
    Admit,
    /// It shall never run.
    Drop,
}

impl QuarantineDecision {
    /// The state it leads to.
    #[must_use]
    pub const fn to_state(self) -> QuarantineState {
        match self {
            Self::Admit => QuarantineState::Admitted,
            Self::Drop => QuarantineState::Dropped,
        }
    }
}
