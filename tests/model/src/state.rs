//! What the store, the hosts and the receiver hold at a moment.

use crate::rules::Tier;
use std::collections::BTreeSet;

/// Everything at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The latest fencing token. Works and rows draw from the one sequence.
    pub sequence: u64,
    /// The work, once its event has arrived.
    pub work: Option<Work>,
    /// Its outbox rows.
    pub rows: Vec<Row>,
    /// What each host holds in memory, whether the store still agrees or not.
    pub hosts: Vec<Host>,
    /// What has happened so far that must not be forgotten when the rest is compared.
    pub witness: Witness,
}

impl State {
    /// The next token of the one sequence.
    pub(crate) fn next_token(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }
}

/// How a work stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkPhase {
    /// It waits to be taken.
    Waiting,
    /// A claim holds it until the lease ends.
    Running,
    /// It has ended well.
    Done,
    /// It waits for a person.
    Review,
    /// Its step has refused it for good.
    Rejected,
    /// Its budget is used up.
    Dead,
    /// A person has ended it.
    Cancelled,
}

impl WorkPhase {
    /// Whether nothing may ever change such a work.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Rejected | Self::Cancelled)
    }
}

/// A work as the store has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Work {
    /// How it stands.
    pub phase: WorkPhase,
    /// Attempts that are counted since it began, or since it last got on.
    pub attempt: u64,
    /// The token of the latest claim.
    pub token: u64,
    /// Whether the lease of that claim has ended.
    pub lease_ended: bool,
}

/// How a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowPhase {
    /// It waits for an approval.
    Held,
    /// Another row says the same.
    Suppressed,
    /// It waits to be taken.
    Pending,
    /// A sender holds it until the lease ends.
    Sending,
    /// The receiver has accepted it.
    Sent,
    /// It can't be delivered.
    Blocked,
    /// It may or may not have been applied, and is listed for a person.
    InDoubt,
    /// A person has ended it, or its approval came to no end.
    Cancelled,
    /// An edited revision has taken its place.
    Superseded,
}

/// A row as the store has it, with what its receiver remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// How it stands.
    pub phase: RowPhase,
    /// What its receiver can do.
    pub tier: Tier,
    /// Attempts that are counted.
    pub attempt: u64,
    /// The token of the latest take.
    pub token: u64,
    /// Whether the lease of that take has ended.
    pub lease_ended: bool,
    /// Whether it may have been applied. Once so, for good.
    pub maybe_applied: bool,
    /// Whether a person has said that it shall go out once more all the same.
    pub by_word: bool,
    /// The receiver's side.
    pub receiver: Receiver,
}

/// What the receiver of a row has done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Receiver {
    /// The idempotency keys that it has seen.
    pub keys: BTreeSet<u64>,
    /// How often it has done what the row asks for.
    pub effects: u64,
    /// How often a request has arrived.
    pub arrivals: u64,
}

/// What a host has in its memory. A crash takes it away; the end of a lease does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host {
    /// The token of the work that it runs.
    pub run: Option<u64>,
    /// Whether the second half of a settle is still to be written. It happens with [`crate::rules::Flaw::SplitSettle`] alone.
    pub half_settled: bool,
    /// The row that it sends.
    pub sending: Option<Sending>,
}

/// What a sender knows of the row that it has taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sending {
    /// Which row.
    pub row: usize,
    /// The token of the take.
    pub token: u64,
    /// The attempt that it makes.
    pub attempt: u64,
    /// Whether the row was marked as perhaps applied when it was taken.
    pub maybe_applied: bool,
    /// Whether a person's word lets it go out all the same.
    pub by_word: bool,
    /// Whether the request has reached the receiver.
    pub arrived: bool,
}

/// What has happened, as seen by somebody who compares before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Witness {
    /// How often the work became done.
    pub dones: u64,
    /// Runs that were begun since the work began, or last got on.
    pub starts: u64,
    /// Whether a finished work was changed.
    pub finished_changed: bool,
    /// Whether somebody with an old token changed a work or a row.
    pub stale_changed: bool,
    /// What persons have said about rows.
    pub words: u64,
    /// Whether a work was taken from a host whose lease had ended.
    pub taken_over: bool,
}
