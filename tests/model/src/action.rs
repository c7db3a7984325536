//! What can happen next.

use crate::rules::Tier;
use crate::state::{RowPhase, WorkPhase};

/// One step of anybody.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The event arrives, and is recorded for whoever has time; or for a person.
    Record {
        /// How the work stands then: waiting, or in review.
        phase: WorkPhase,
    },
    /// A host claims the work: the event has arrived (again), or the host has looked for what is due.
    Claim {
        /// Which host.
        host: usize,
    },
    /// Somebody finds that the work is due and its budget used up.
    Die,
    /// The work's lease ends. It may be early or late: nothing may depend on when.
    LeaseEnds,
    /// A host ends its run, with the token that it holds.
    Settle {
        /// Which host.
        host: usize,
        /// How.
        ending: Ending,
    },
    /// A host writes the second half of a split settle.
    SettleRest {
        /// Which host.
        host: usize,
    },
    /// A host takes a row to send it.
    TakeRow {
        /// Which host.
        host: usize,
        /// Which row.
        row: usize,
    },
    /// A row's lease ends.
    RowLeaseEnds {
        /// Which row.
        row: usize,
    },
    /// The request reaches the receiver. The reply may still be lost.
    Arrive {
        /// The host that has sent it.
        host: usize,
    },
    /// A host records what came of its attempt, with the token that it holds.
    Answer {
        /// Which host.
        host: usize,
        /// What it says.
        outcome: Outcome,
    },
    /// A host ends, and begins anew with nothing in its memory.
    Crash {
        /// Which host.
        host: usize,
    },
    /// A person, or a rule in a person's stead, moves a work.
    DecideWork {
        /// Where to.
        to: WorkPhase,
    },
    /// A person, or a rule in a person's stead, moves a row.
    DecideRow {
        /// Which row.
        row: usize,
        /// Where to.
        to: RowPhase,
    },
    /// A person edits a held row: a new revision takes its place, and is held as well.
    Revise {
        /// Which row.
        row: usize,
    },
    /// Other works and rows have drawn tokens.
    Elsewhere {
        /// The latest token then.
        sequence: u64,
    },
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Well, with these rows.
    Done(Vec<NewRow>),
    /// With a part of it done, and these rows; it goes on from its cursor.
    Continue(Vec<NewRow>),
    /// To be tried again.
    Retry,
    /// Cut off by a stop of the host; the attempt does not count.
    GiveBack,
    /// In a state that no run leaves by itself.
    Rest(WorkPhase),
}

/// A row that a settle inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewRow {
    /// How it stands at first: pending, held or suppressed.
    pub phase: RowPhase,
    /// What its receiver can do.
    pub tier: Tier,
}

/// What came of an attempt at a delivery, in the words of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was accepted.
    Sent,
    /// It is to be tried again.
    Again {
        /// Whether it may have been applied.
        maybe_applied: bool,
    },
    /// It can't be delivered, or the budget is used up.
    Blocked {
        /// Whether it may have been applied.
        maybe_applied: bool,
    },
    /// Nobody can know.
    InDoubt,
    /// It was not sent at all, and the attempt does not count: an earlier one may have been applied, or none is left.
    Withheld {
        /// Whether nobody can know what came of the earlier ones.
        in_doubt: bool,
    },
    /// The receiver refuses us: the attempt does not count, and the row waits.
    Paused,
}
