//! The ledger as a page of plain code would keep it: in memory, without transactions, one operation at a time.
//!
//! It says what a store must answer, and where works and rows then stand. It knows claims, leases, settlements and
//! deliveries; lines of rows, approvals, pauses and people's acts have walks and cases of their own.

use crate::conformance::harness::{ATTEMPTS, LEASE_MS};
use onceward::store::outbox::RowState;
use onceward::store::work::WorkState;

/// The longest hint to whoever finds a work running, in milliseconds.
const RUNNING_HINT_MAX_MS: i64 = 1_000;

/// A row that a settlement brings: its name, and which of its payloads.
pub(super) type Brought = (u8, u8);

/// How a run ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    Done(Vec<Brought>),
    Continue(Vec<Brought>),
    Retry(i64),
    GiveBack,
    Stopped(WorkState),
}

/// How a delivery ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowEnd {
    Sent,
    Again { due_in_ms: i64, maybe_applied: bool },
    Blocked,
    InDoubt,
    Withheld { in_doubt: bool },
}

/// What an operation answers, in the words that the reference and a store share. Tokens are not among them: the
/// reference counts its runs, and a store may number them as it likes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Run { event: u8, attempt: u32, takeover: bool, new: bool, cursor: Option<String> },
    Done { output: String },
    InProgress { state: WorkState, retry_after_ms: i64 },
    Mismatch,
    Ended(WorkState),
    Recorded,
    Nothing,
    Applied,
    RowConflict,
    LeaseLost,
    Sendings(Vec<(u8, u8, u32, bool)>),
}

/// A work as the reference keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) event: u8,
    pub(super) state: WorkState,
    pub(super) attempt: u32,
    pub(super) chunk: u32,
    pub(super) duplicates: u64,
    pub(super) due_ms: Option<i64>,
    pub(super) lease_until_ms: Option<i64>,
    pub(super) cursor: Option<String>,
    pub(super) output: Option<String>,
}

/// A row as the reference keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: u8,
    pub(super) payload: u8,
    pub(super) state: RowState,
    pub(super) attempt: u32,
    pub(super) maybe_applied: bool,
    pub(super) due_ms: Option<i64>,
}

/// What is not seen from outside: the work's content, and the run that holds it.
#[derive(Debug)]
struct Kept {
    work: Work,
    content: bool,
    run: Option<usize>,
}

/// The same of a row: the sender that has it, and until when.
#[derive(Debug)]
struct KeptRow {
    row: Row,
    sender: Option<usize>,
    lease_until_ms: i64,
}

/// The reference ledger. Its time is moved by hand.
#[derive(Debug, Default)]
pub(super) struct Reference {
    pub(super) now_ms: i64,
    works: Vec<Kept>,
    rows: Vec<KeptRow>,
    /// The work of each run there has been.
    runs: Vec<usize>,
    /// The row of each attempt to send.
    senders: Vec<usize>,
}

impl Reference {
    /// An empty ledger at this time.
    pub(super) fn at(now_ms: i64) -> Self {
        Self { now_ms, ..Self::default() }
    }

    /// An event comes, for its work or to be recorded.
    pub(super) fn claim(&mut self, event: u8, content: bool, records: bool) -> Answer {
        let Some(at) = self.works.iter().position(|kept| kept.work.event == event) else {
            return self.claim_new(event, content, records);
        };
        if self.works[at].content == content {
            let takeover = self.works[at].work.state == WorkState::Running;
            if !records && self.free_ms(at).is_some_and(|free_ms| free_ms <= self.now_ms) && self.run(at) {
                return self.given(at, takeover);
            }
            self.works[at].work.duplicates += 1;
            return self.standing(at);
        }
        self.works[at].work.duplicates += 1;
        Answer::Mismatch
    }

    fn claim_new(&mut self, event: u8, content: bool, records: bool) -> Answer {
        let work = Work {
            event,
            state: WorkState::Waiting,
            attempt: 0,
            chunk: 0,
            duplicates: 0,
            due_ms: Some(self.now_ms),
            lease_until_ms: None,
            cursor: None,
            output: None,
        };
        self.works.push(Kept { work, content, run: None });
        let at = self.works.len() - 1;
        if records {
            return Answer::Recorded;
        }
        self.run(at);
        Answer::Run { event, attempt: 1, takeover: false, new: true, cursor: None }
    }

    /// When the work may be taken, where it may be at all.
    fn free_ms(&self, at: usize) -> Option<i64> {
        let work = &self.works[at].work;
        match work.state {
            WorkState::Waiting => work.due_ms,
            WorkState::Running => work.lease_until_ms,
            _ => None,
        }
    }

    fn standing(&self, at: usize) -> Answer {
        let work = &self.works[at].work;
        match work.state {
            WorkState::Done => Answer::Done { output: work.output.clone().unwrap_or_default() },
            state @ (WorkState::Waiting | WorkState::Running) => {
                let left_ms = (self.free_ms(at).unwrap_or(self.now_ms) - self.now_ms).max(0);
                let hint_max_ms = if state == WorkState::Running { RUNNING_HINT_MAX_MS } else { i64::MAX };
                Answer::InProgress { state, retry_after_ms: left_ms.min(hint_max_ms) }
            }
            state => Answer::Ended(state),
        }
    }

    /// Give a free work to a new run; not where its attempts are used up, and then it is dead.
    fn run(&mut self, at: usize) -> bool {
        let kept = &mut self.works[at];
        kept.work.due_ms = None;
        if kept.work.attempt >= ATTEMPTS {
            kept.work.state = WorkState::Dead;
            kept.work.lease_until_ms = None;
            return false;
        }
        kept.work.state = WorkState::Running;
        kept.work.attempt += 1;
        kept.work.lease_until_ms = Some(self.now_ms + LEASE_MS);
        kept.run = Some(self.runs.len());
        self.runs.push(at);
        true
    }

    fn given(&self, at: usize, takeover: bool) -> Answer {
        let Work { event, attempt, cursor, .. } = self.works[at].work.clone();
        Answer::Run { event, attempt, takeover, new: false, cursor }
    }

    /// A worker asks for work: it gets what has been free for longest.
    pub(super) fn take(&mut self) -> Answer {
        loop {
            let free = (0..self.works.len()).filter_map(|at| Some((self.free_ms(at)?, at)));
            let Some((_, at)) = free.filter(|(free_ms, _)| *free_ms <= self.now_ms).min() else {
                return Answer::Nothing;
            };
            let takeover = self.works[at].work.state == WorkState::Running;
            if self.run(at) {
                return self.given(at, takeover);
            }
        }
    }

    /// A run ends, which may have lost its work long ago.
    pub(super) fn settle(&mut self, run: usize, end: &End) -> Answer {
        let at = self.runs[run];
        if self.works[at].work.state != WorkState::Running || self.works[at].run != Some(run) {
            return Answer::LeaseLost;
        }
        self.works[at].work.lease_until_ms = None;
        if let End::Done(brought) | End::Continue(brought) = end {
            if self.conflicts(brought) {
                self.works[at].work.state = WorkState::Dead;
                return Answer::RowConflict;
            }
            self.enqueue(brought);
        }
        let now_ms = self.now_ms;
        let work = &mut self.works[at].work;
        let (state, due_ms) = match end {
            End::Done(_) => (WorkState::Done, None),
            End::Continue(_) | End::GiveBack => (WorkState::Waiting, Some(now_ms)),
            End::Retry(due_in_ms) => (WorkState::Waiting, Some(now_ms + due_in_ms)),
            End::Stopped(state) => (*state, None),
        };
        (work.state, work.due_ms) = (state, due_ms);
        match end {
            End::Done(_) => work.output = Some(output(run)),
            End::Continue(_) => {
                work.cursor = Some(cursor(run));
                work.attempt = 0;
                work.chunk += 1;
            }
            End::GiveBack => work.attempt -= 1,
            End::Retry(_) | End::Stopped(_) => {}
        }
        Answer::Applied
    }

    /// Whether a row is there with another payload, in the ledger or beside it.
    fn conflicts(&self, brought: &[Brought]) -> bool {
        let kept = self.rows.iter().map(|kept| (kept.row.name, kept.row.payload));
        let all: Vec<Brought> = kept.chain(brought.iter().copied()).collect();
        brought.iter().any(|(name, payload)| all.iter().any(|(other, is)| other == name && is != payload))
    }

    fn enqueue(&mut self, brought: &[Brought]) {
        for (name, payload) in brought.iter().copied() {
            if self.rows.iter().any(|kept| kept.row.name == name) {
                continue;
            }
            let row = Row {
                name,
                payload,
                state: RowState::Pending,
                attempt: 0,
                maybe_applied: false,
                due_ms: Some(self.now_ms),
            };
            self.rows.push(KeptRow { row, sender: None, lease_until_ms: 0 });
        }
    }

    fn row_free_ms(kept: &KeptRow) -> Option<i64> {
        match kept.row.state {
            RowState::Pending => kept.row.due_ms,
            RowState::Sending => Some(kept.lease_until_ms),
            _ => None,
        }
    }

    /// A sender asks for so many rows. Where the last one has gone, the row may have been applied.
    pub(super) fn row_take(&mut self, limit: usize) -> Answer {
        let free = self.rows.iter().enumerate().filter_map(|(at, kept)| Some((Self::row_free_ms(kept)?, at)));
        let mut free: Vec<_> = free.filter(|(free_ms, _)| *free_ms <= self.now_ms).collect();
        free.sort_unstable();
        let mut sendings = Vec::new();
        for (_, at) in free.into_iter().take(limit) {
            let kept = &mut self.rows[at];
            kept.row.maybe_applied |= kept.row.state == RowState::Sending;
            kept.row.state = RowState::Sending;
            kept.row.attempt += 1;
            kept.row.due_ms = None;
            kept.lease_until_ms = self.now_ms + LEASE_MS;
            kept.sender = Some(self.senders.len());
            self.senders.push(at);
            sendings.push((kept.row.name, kept.row.payload, kept.row.attempt, kept.row.maybe_applied));
        }
        Answer::Sendings(sendings)
    }

    /// An attempt to send ends, whose row another sender may have long since.
    pub(super) fn row_settle(&mut self, sender: usize, end: RowEnd) -> Answer {
        let kept = &mut self.rows[self.senders[sender]];
        if kept.row.state != RowState::Sending || kept.sender != Some(sender) {
            return Answer::LeaseLost;
        }
        let row = &mut kept.row;
        match end {
            RowEnd::Sent => row.state = RowState::Sent,
            RowEnd::Again { due_in_ms, maybe_applied } => {
                row.state = RowState::Pending;
                row.due_ms = Some(self.now_ms + due_in_ms);
                row.maybe_applied |= maybe_applied;
            }
            RowEnd::Blocked => row.state = RowState::Blocked,
            RowEnd::InDoubt => {
                row.state = RowState::InDoubt;
                row.maybe_applied = true;
            }
            RowEnd::Withheld { in_doubt } => {
                row.state = if in_doubt { RowState::InDoubt } else { RowState::Blocked };
                row.attempt -= 1;
            }
        }
        Answer::Applied
    }

    /// All works, oldest first.
    pub(super) fn works(&self) -> Vec<Work> {
        self.works.iter().map(|kept| kept.work.clone()).collect()
    }

    /// All rows, oldest first.
    pub(super) fn rows(&self) -> Vec<Row> {
        self.rows.iter().map(|kept| kept.row.clone()).collect()
    }

    /// When the next work is free, and the next row.
    pub(super) fn next_due(&self) -> (Option<i64>, Option<i64>) {
        let works = (0..self.works.len()).filter_map(|at| self.free_ms(at));
        (works.min(), self.rows.iter().filter_map(Self::row_free_ms).min())
    }
}

/// What the run of this number puts out, so that the first result is told from a later one.
pub(super) fn output(run: usize) -> String {
    format!(r#"{{"run":{run}}}"#)
}

/// Where the run of this number leaves off.
pub(super) fn cursor(run: usize) -> String {
    format!("after run {run}")
}
