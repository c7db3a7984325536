//! Outbox rows, as the store takes and gives them.
//!
//! ```text
//!  held ──approve──► pending ──take (lease, token)──► sending ──accepted──► sent
//!    └ superseded        ▲                               │ certainly not applied, or ambiguous and the tier may send again
//!      by an edit        ├───────────────────────────────┤   (then the row is marked maybe-applied for good)
//!                        │                               ├ permanent, conflict, budget used up ──► blocked
//!  suppressed ───────────┤ sender gone (lease ends)      └ ambiguous and the tier can't tell ────► in doubt
//!    (another row says   │
//!     the same)  that one ends unsent
//! ```
//! Rows with one ordering key stand in a line: whoever is held, pending, sending, blocked or in doubt makes those after it
//! wait.

use crate::contract::fence::Token;
use crate::contract::sameness::SameText;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::hash_text;
use crate::store::pace::{Breaker, Health, Rate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A row by its identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct RowRef {
    /// The namespace.
    pub namespace: String,
    /// The row's id.
    pub id: RowId,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowState {
    /// A person must approve it first.
    Held,
    /// Another row says the same to the same recipient.
    Suppressed,
    /// It waits until it is due.
    Pending,
    /// An attempt was counted and may be under way.
    Sending,
    /// The destination accepted it. It never changes.
    Sent,
    /// It needs an operator.
    Blocked,
    /// It may or may not have been applied, and nobody here can know.
    InDoubt,
    /// An operator stopped it, or nobody approved it in time. It never changes.
    Cancelled,
    /// An edit took its place. It never changes.
    Superseded,
}

impl RowState {
    /// All states, in the order of the lifecycle.
    pub const ALL: [Self; 9] = [
        Self::Held,
        Self::Suppressed,
        Self::Pending,
        Self::Sending,
        Self::Sent,
        Self::Blocked,
        Self::InDoubt,
        Self::Cancelled,
        Self::Superseded,
    ];

    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Suppressed => "suppressed",
            Self::Pending => "pending",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Blocked => "blocked",
            Self::InDoubt => "in-doubt",
            Self::Cancelled => "cancelled",
            Self::Superseded => "superseded",
        }
    }

    /// Whether nothing is left to be done about the row. Of a suppressed one that holds while the row that says the same
    /// is sent or on its way.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Sent | Self::Suppressed | Self::Cancelled | Self::Superseded)
    }

    /// The state of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// A row to be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRow {
    /// Its id.
    pub id: RowId,
    /// The destination by the operator's name.
    pub destination: String,
    /// The effect's name within the handoff.
    pub slot: String,
    /// The effect's own version.
    pub effect_version: u32,
    /// The JSON text that will be sent, to the byte.
    pub payload: String,
    /// The hash of the canonical payload.
    pub payload_hash: [u8; 32],
    /// Rows of one destination with the same key leave in the order in which they were committed.
    pub ordering_key: Option<String>,
    /// Where a person must approve it first.
    pub approval: Option<Approval>,
    /// The step that goes on from the receipt.
    pub receipt_step: Option<ReceiptStep>,
    /// What it is compared by with others that say the same to the same recipient.
    pub same: Option<SameText>,
}

/// What a person is asked to approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Why a person is asked.
    pub reason: String,
    /// How long it can be approved after it was recorded, in milliseconds. Without: for ever.
    pub expires_after_ms: Option<i64>,
}

/// A step that goes on from a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptStep {
    /// Its name.
    pub step: String,
    /// Its contract version.
    pub version: u32,
}

/// An order to take rows for sending.
#[derive(Clone, Debug)]
pub struct Take {
    /// The namespace.
    pub namespace: String,
    /// The destination.
    pub destination: String,
    /// What is frozen beside the payload at a row's first attempt: address, account, tier.
    pub envelope: String,
    /// How long the sender may take, in milliseconds.
    pub lease_ms: i64,
    /// Whether the lease runs its time even where the sender is known to be gone, because the receiver may still be at
    /// work on the request.
    pub patient: bool,
    /// At most so many rows.
    pub limit: u32,
    /// Rows that the caller is sending: they are not taken over from itself, where the clock has jumped past their leases.
    pub mine: Vec<RowId>,
    /// How often the destination may be called.
    pub rate: Option<Rate>,
    /// When it rests after failures.
    pub breaker: Option<Breaker>,
}

/// A row that the caller must send now. The attempt has been counted.
#[derive(Clone, Debug)]
pub struct Sending {
    /// The row.
    pub row: RowRef,
    /// The work it came from.
    pub work_id: WorkId,
    /// The effect's name.
    pub slot: String,
    /// The body, to the byte.
    pub payload: String,
    /// What was frozen at the first attempt.
    pub envelope: String,
    /// This attempt, from 1.
    pub attempt: u32,
    /// Proof of the take.
    pub token: Token,
    /// Whether an earlier attempt may have been applied.
    pub maybe_applied: bool,
    /// Whether a person has said, for this attempt alone, that it was not.
    pub by_word: bool,
    /// When the first attempt was made, Unix milliseconds.
    pub first_attempt_ms: i64,
    /// When the take happened, Unix milliseconds of the store's time.
    pub taken_ms: i64,
}

/// When a destination's next row goes out, if nothing else happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextDue {
    /// When the first row is due, Unix milliseconds.
    pub row_ms: i64,
    /// When the destination may be called for it, Unix milliseconds: not before it wants to be called again, and has rested.
    pub at_ms: i64,
    /// Whether the destination has failed so often that it rests, or is tried with one row at a time.
    pub resting: bool,
}

/// What came of an attempt.
#[derive(Clone, Debug)]
pub enum RowOutcome {
    /// The destination accepted it.
    Sent {
        /// The receipt's text, perhaps cut.
        receipt: String,
        /// Whether it was cut.
        truncated: bool,
        /// The id the third party gave.
        external_reference: Option<String>,
        /// Why a person should look at the receipt.
        flag: Option<String>,
    },
    /// Another attempt, later.
    Again {
        /// Why.
        cause: String,
        /// When, in milliseconds from now.
        due_in_ms: i64,
        /// Whether this attempt may have been applied.
        maybe_applied: bool,
        /// What the attempt shows of the destination.
        health: Health,
    },
    /// It needs an operator.
    Blocked {
        /// Why.
        cause: String,
        /// Whether this attempt may have been applied.
        maybe_applied: bool,
        /// What the attempt shows of the destination.
        health: Health,
    },
    /// Nobody here can know.
    InDoubt {
        /// Why.
        cause: String,
        /// What the attempt shows of the destination.
        health: Health,
    },
    /// Nothing was sent this time, and nothing will be by itself: the attempt is given back.
    Withheld {
        /// Why.
        cause: String,
        /// Whether nobody here can know what earlier attempts did.
        in_doubt: bool,
    },
    /// The destination refuses us altogether: it is paused, and its rows wait without losing an attempt. What was
    /// frozen is taken off a row that certainly was not applied, so that it goes out as the operator corrects it.
    Paused {
        /// Why.
        cause: String,
    },
}

impl RowOutcome {
    /// The word for programs and figures.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Sent { .. } => "sent",
            Self::Again { .. } => "again",
            Self::Blocked { .. } | Self::Withheld { in_doubt: false, .. } => "blocked",
            Self::InDoubt { .. } | Self::Withheld { in_doubt: true, .. } => "in-doubt",
            Self::Paused { .. } => "paused",
        }
    }

    /// What the attempt shows of the destination, where it shows anything.
    #[must_use]
    pub const fn health(&self) -> Option<Health> {
        match self {
            Self::Sent { .. } => Some(Health::Well),
            Self::Again { health, .. } | Self::Blocked { health, .. } | Self::InDoubt { health, .. } => {
                Some(*health)
            }
            Self::Withheld { .. } | Self::Paused { .. } => None,
        }
    }
}

/// What became of an outcome's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSettled {
    /// It is durable.
    Applied,
    /// The row is no longer the caller's. Nothing changed.
    LeaseLost,
}

/// One row as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OutboxRow {
    /// The namespace.
    pub namespace: String,
    /// The row's id, which is also the idempotency key that goes out.
    pub row_id: RowId,
    /// The work it came from.
    pub work_id: WorkId,
    /// The destination.
    pub destination: String,
    /// The effect's name.
    pub slot: String,
    /// JSON text.
    pub payload: String,
    /// The hash of the canonical payload.
    #[serde(with = "hash_text")]
    #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
    pub payload_hash: [u8; 32],
    /// Which revision of the slot's row it is, from 1.
    pub revision: u32,
    /// Where it stands.
    pub state: RowState,
    /// Rows of the destination with the same key leave in order.
    pub ordering_key: Option<String>,
    /// The row that is ahead of it in that order and has not come to its end.
    pub behind: Option<RowId>,
    /// Why a person must approve it.
    pub approval_reason: Option<String>,
    /// Until when it can be approved, Unix milliseconds.
    pub approval_until_ms: Option<i64>,
    /// Who approved it.
    pub approved_by: Option<String>,
    /// The row that says the same to the same recipient.
    pub suppressed_by: Option<RowId>,
    /// The step that goes on from the receipt.
    pub receipt_step: Option<String>,
    /// Attempts so far.
    pub attempt: u32,
    /// Whether an attempt may have been applied without our knowing. It never goes back.
    pub maybe_applied: bool,
    /// When it is due, where it is pending.
    pub due_ms: Option<i64>,
    /// The last cause of a failure, or the flag of a receipt.
    pub cause: Option<String>,
    /// What the destination answered.
    pub receipt: Option<String>,
    /// The id the third party gave.
    pub external_reference: Option<String>,
    /// When its payload and receipt were erased on request, Unix milliseconds. They are a mark since.
    pub erased_ms: Option<i64>,
    /// When it was recorded, Unix milliseconds.
    pub created_ms: i64,
    /// When it last changed, Unix milliseconds.
    pub updated_ms: i64,
}

/// Which rows to list.
#[derive(Clone, Debug)]
pub struct OutboxFilter {
    /// The namespace.
    pub namespace: String,
    /// Only this state.
    pub state: Option<RowState>,
    /// Only this work's rows.
    pub work: Option<WorkId>,
    /// Only rows for this destination.
    pub destination: Option<String>,
    /// Only those that were recorded before this one. None at all, where there is no such row.
    pub before: Option<RowId>,
    /// At most so many.
    pub limit: u32,
}

impl OutboxFilter {
    /// The newest rows of a namespace, whatever they are.
    #[must_use]
    pub fn all(namespace: impl Into<String>, limit: u32) -> Self {
        Self { namespace: namespace.into(), state: None, work: None, destination: None, before: None, limit }
    }
}

/// What a destination has before it: rows that are held, pending, sending, blocked or in doubt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DestinationRows {
    /// The destination, be it configured or not.
    pub destination: String,
    /// State and count, for states that have any.
    pub by_state: std::collections::BTreeMap<RowState, u64>,
}

impl DestinationRows {
    /// Those that go out by themselves: pending and sending.
    #[must_use]
    pub fn on_their_way(&self) -> u64 {
        let of = |state| self.by_state.get(&state).copied().unwrap_or(0);
        of(RowState::Pending) + of(RowState::Sending)
    }
}

/// How many rows are in each state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutboxCounts {
    /// State and count, for states that have any.
    pub by_state: std::collections::BTreeMap<RowState, u64>,
}

impl OutboxCounts {
    /// How many are in this state.
    #[must_use]
    pub fn of(&self, state: RowState) -> u64 {
        self.by_state.get(&state).copied().unwrap_or(0)
    }
}

/// What became of a row that an outside caller enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// It is there: recorded now, or before with the same payload.
    There {
        /// The slot's live revision.
        id: RowId,
        /// Where that stands.
        state: RowState,
    },
    /// It was recorded before with another payload, which stands.
    Conflict {
        /// The slot's live revision.
        id: RowId,
    },
}

/// A row that was enqueued before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRow {
    /// The hash of the payload that was enqueued first, which stands.
    pub payload_hash: [u8; 32],
    /// The slot's live revision.
    pub live: RowId,
}
