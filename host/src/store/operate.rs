//! What a person decides: dead letters, works in review, works and rows in doubt.
//!
//! Every act names who did it and why, and stands in the evidence. An act is conditional on the state the person saw; doing it
//! twice is one act, since the second finds the state changed.

use crate::store::outbox::RowState;
use crate::store::work::WorkState;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who acts, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// A person's name.
    pub name: String,
    /// The reason, for those who read the evidence.
    pub reason: String,
    /// The id of the act, where whoever sends it may send it again; see [`crate::store::action`].
    pub action: Option<String>,
}

/// What a person says about a work that can't go on by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum WorkDecision {
    /// Run it again under the same identity, with a fresh budget. From dead and review.
    Replay {
        /// When, in milliseconds from now: many replays at once are spread.
        due_in_ms: i64,
    },
    /// It shall never run. From dead and review.
    Reject,
    /// Stop it. From waiting and review; a running one is cancelled at its settle, or when its lease ends without one.
    Cancel,
    /// It has happened; the work is done. What was open of its effects is recorded. From in doubt.
    Done {
        /// The result for those who ask again: JSON text.
        output: String,
        /// The id the third party gave; it goes to the effect that was open last.
        external_reference: Option<String>,
    },
    /// It has not happened: run it again, with a fresh budget. What was open of its effects is withdrawn, and what is
    /// recorded stays so. From in doubt.
    Again {
        /// When, in milliseconds from now: many at once are spread.
        due_in_ms: i64,
    },
    /// Leave it: it is a dead letter, and what was open of its effects stays unknown. From in doubt.
    Dead,
}

impl WorkDecision {
    /// The states it can be said in.
    #[must_use]
    pub const fn from_states(&self) -> &'static [WorkState] {
        match self {
            Self::Replay { .. } | Self::Reject => &[WorkState::Dead, WorkState::Review],
            Self::Cancel => &[WorkState::Waiting, WorkState::Running, WorkState::Review],
            Self::Done { .. } | Self::Again { .. } | Self::Dead => &[WorkState::InDoubt],
        }
    }

    /// The state it leads to.
    #[must_use]
    pub const fn to_state(&self) -> WorkState {
        match self {
            Self::Replay { .. } | Self::Again { .. } => WorkState::Waiting,
            Self::Reject => WorkState::Rejected,
            Self::Cancel => WorkState::Cancelled,
            Self::Done { .. } => WorkState::Done,
            Self::Dead => WorkState::Dead,
        }
    }
}

/// What a person says about a row that can't go on by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum RowDecision {
    /// It has been applied, under this reference. From blocked and in doubt.
    Sent {
        /// The id the third party gave.
        external_reference: Option<String>,
    },
    /// Send it again, with a fresh budget. Where it may have been applied this is the person's word that it was not, and it
    /// holds for one attempt. From blocked and in doubt.
    Again {
        /// When, in milliseconds from now: many at once are spread.
        due_in_ms: i64,
    },
    /// Let the destination tell: it goes out again where a repeat does nothing (by its key, within the time that is kept, or
    /// by its field), and where the record can be looked up that is done first. Where it can't tell, the row is in doubt again. With a fresh
    /// number of attempts. From blocked and in doubt.
    Check {
        /// When, in milliseconds from now: many at once are spread.
        due_in_ms: i64,
    },
    /// It shall not go out. From held, suppressed, pending, blocked and in doubt.
    Cancel,
}

impl RowDecision {
    /// The states it can be said in.
    #[must_use]
    pub const fn from_states(&self) -> &'static [RowState] {
        match self {
            Self::Sent { .. } | Self::Again { .. } | Self::Check { .. } => {
                &[RowState::Blocked, RowState::InDoubt]
            }
            Self::Cancel => &[
                RowState::Held,
                RowState::Suppressed,
                RowState::Pending,
                RowState::Blocked,
                RowState::InDoubt,
            ],
        }
    }

    /// The state it leads to. A row that nobody has approved is held instead of pending.
    #[must_use]
    pub const fn to_state(&self) -> RowState {
        match self {
            Self::Sent { .. } => RowState::Sent,
            Self::Again { .. } | Self::Check { .. } => RowState::Pending,
            Self::Cancel => RowState::Cancelled,
        }
    }
}

/// What became of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "outcome", content = "detail", rename_all = "kebab-case")]
pub enum Decided<S> {
    /// It is durable.
    Applied,
    /// It is durable, and comes into effect when the run that is under way ends.
    Asked,
    /// It can't be said in this state; nothing changed.
    Refused(S),
    /// There is nothing of this id.
    Unknown,
}
