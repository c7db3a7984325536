//! What people say about decisions: a decision is a plan that can be read, approved or stopped before anything is applied.
//!
//! ```text
//!            held                approve ──► the next run gets the answer
//!  pinned ─────────► waits ──────reject ───► the next run is told so, and goes on without
//!     └───────────────┴──────────renew ────► open, revision + 1: the next run asks anew
//! ```
//! An approval binds the revision and the answer that a person saw. Doing it twice is one act. A renewal is refused once
//! effects of the first answer have been committed.

use crate::identity::key::AnswerHash;
use crate::store::work::{WorkRef, WorkState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What people have said about an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum SlotApproval {
    /// Nobody has been asked.
    NotAsked,
    /// A run was held for it, and nobody has answered.
    Waiting {
        /// When the request can't be approved any more, Unix milliseconds.
        expires_ms: Option<i64>,
    },
    /// A person let it through.
    Approved {
        /// Who.
        by: String,
        /// When, Unix milliseconds.
        at_ms: i64,
    },
    /// A person stopped it.
    Rejected {
        /// Who, and why.
        reason: String,
        /// When, Unix milliseconds.
        at_ms: i64,
    },
}

impl SlotApproval {
    /// The word that is shown.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NotAsked => "not-asked",
            Self::Waiting { .. } => "waiting",
            Self::Approved { .. } => "approved",
            Self::Rejected { .. } => "rejected",
        }
    }
}

/// A decision by its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlotRef {
    /// The work.
    pub work: WorkRef,
    /// The decision's name within it.
    pub slot: String,
}

/// What a person saw when they decided. What is given must still be so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The pin's revision.
    pub revision: Option<u32>,
    /// The answer.
    pub answer: Option<AnswerHash>,
}

/// What a person says about a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SlotDecision {
    /// The run may have the answer. Of one that waits.
    Approve(Seen),
    /// No run shall have the answer. Of one that waits, its time being up or not.
    Reject(Seen),
    /// Ask the model anew, even though the question has a cached answer. Of any, until effects have been committed.
    Renew(Seen),
}

impl SlotDecision {
    /// What the person saw.
    #[must_use]
    pub const fn seen(&self) -> &Seen {
        match self {
            Self::Approve(seen) | Self::Reject(seen) | Self::Renew(seen) => seen,
        }
    }
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "outcome", content = "detail", rename_all = "kebab-case")]
pub enum SlotDecided {
    /// It is durable, and the work stands like this now.
    Applied {
        /// The work's state.
        work: WorkState,
    },
    /// The same had been said before; nothing changed.
    Already,
    /// There is no such work, or no answer in this slot.
    Unknown,
    /// The revision or the answer is another one now.
    Changed {
        /// The pin's revision.
        revision: u32,
        /// Its answer.
        answer: AnswerHash,
    },
    /// No run is held for it.
    NotAsked,
    /// The opposite had been said before.
    Contrary(SlotApproval),
    /// The request was open until then, Unix milliseconds.
    Expired(i64),
    /// It can't be said of a work in this state.
    Refused(WorkState),
    /// Effects of the first answer have been committed.
    Committed,
}
