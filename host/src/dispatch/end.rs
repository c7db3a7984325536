//! What a run came to.

use crate::runtime::decide::Origin;
use crate::store::work::{WorkRecord, WorkState};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Phase three is done.
#[derive(Debug)]
pub struct Ended {
    /// The work as it was claimed.
    pub work: Arc<WorkRecord>,
    /// Whether an earlier run had been lost.
    pub takeover: bool,
    /// Slots that the step got an answer to, and where that came from: all but the asked ones cost nothing.
    pub decided: BTreeMap<String, Origin>,
    /// What the run came to.
    pub end: End,
}

impl Ended {
    /// The work as it stands now, where it is done: nothing changes it any more.
    #[must_use]
    pub fn done(&self) -> Option<WorkRecord> {
        let End::Done { output, needs_review } = &self.end else { return None };
        Some(WorkRecord {
            state: WorkState::Done,
            lease_until_ms: None,
            output: Some(output.clone()),
            needs_review: needs_review.clone(),
            ..WorkRecord::clone(&self.work)
        })
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Finished.
    Done {
        /// JSON text.
        output: String,
        /// Why a person is asked to look.
        needs_review: Option<String>,
    },
    /// A chunk is done; the work goes on.
    Continued,
    /// Another attempt, later.
    Retried {
        /// Why.
        cause: String,
        /// When, in milliseconds from now.
        due_in_ms: i64,
    },
    /// A person must decide.
    Review(String),
    /// It can never succeed.
    Rejected(String),
    /// Budget used up, or a row that conflicts.
    Dead(String),
    /// A person cancelled the work while it ran.
    Cancelled(String),
    /// The host shut down before the run had ended: the claim was given back, and the attempt does not count.
    GivenBack,
    /// Another run has the work; this one changed nothing.
    LeaseLost,
}

impl End {
    /// The word for programs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::Continued => "continued",
            Self::Retried { .. } => "retried",
            Self::Review(_) => "review",
            Self::Rejected(_) => "rejected",
            Self::Dead(_) => "dead",
            Self::Cancelled(_) => "cancelled",
            Self::GivenBack => "given-back",
            Self::LeaseLost => "lease-lost",
        }
    }
}
