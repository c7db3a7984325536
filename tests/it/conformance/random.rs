//! Operations at random, each answered by the store and by the reference ledger: the answers are the same, and so is what
//! is then on record. A failure is shrunk to the shortest sequence of operations that shows it.

use crate::conformance::harness::{
    Bench, CRM, LEASE_MS, STEP, TERMS, again, arrival, blocked, done_with, in_doubt, other_content, retry,
    row, row_id, sent, take,
};
use crate::conformance::reference::{Answer, Brought, End, Reference, Row, RowEnd, Work, cursor, output};
use crate::property::holds;
use onceward::contract::fence::Token;
use onceward::store::claim::{Acquired, Arrival, Claim, Repeat, Standing, Taking};
use onceward::store::outbox::{OutboxFilter, RowOutcome, RowRef, RowSettled, Take};
use onceward::store::work::{Collected, Outcome, Settled, Settlement, WorkFilter, WorkRef, WorkState};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;
use std::cell::Cell;
use support::sim_clock::START_MS;

/// How many sequences are played, and how long the longest is. More find little more, and each operation is a commit.
const SEQUENCES: u32 = 64;
const OPERATIONS_MAX: usize = 40;

/// How many events and rows there are: so few that the operations meet.
const EVENTS: u8 = 3;
const ROWS: u8 = 4;

/// More than a sequence has of anything.
const LIST_LIMIT: u32 = 1_000;

/// One thing that happens to a ledger.
#[derive(Clone, Debug)]
enum Operation {
    Claim {
        event: u8,
        other_content: bool,
        records: bool,
    },
    Take,
    /// The end of any run there has been, also of one that has lost its work. They are counted round and round.
    Settle(usize, End),
    RowTake(u32),
    RowSettle(usize, RowEnd),
    Pass(i64),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0..EVENTS, prop::bool::weighted(0.1), prop::bool::weighted(0.2))
            .prop_map(|(event, other_content, records)| Operation::Claim { event, other_content, records }),
        2 => Just(Operation::Take),
        5 => (0..OPERATIONS_MAX, end()).prop_map(|(run, end)| Operation::Settle(run, end)),
        2 => (1_u32..3).prop_map(Operation::RowTake),
        3 => (0..OPERATIONS_MAX, row_end()).prop_map(|(sender, end)| Operation::RowSettle(sender, end)),
        3 => select(vec![1, LEASE_MS / 2, LEASE_MS]).prop_map(Operation::Pass),
    ]
}

fn end() -> impl Strategy<Value = End> {
    // Another payload under the same name is a conflict, and seldom.
    let brought = || vec((0..ROWS, prop::bool::weighted(0.1).prop_map(u8::from)), 0..3);
    let stopped = [WorkState::Dead, WorkState::Review, WorkState::Rejected, WorkState::InDoubt];
    prop_oneof![
        3 => brought().prop_map(End::Done),
        2 => brought().prop_map(End::Continue),
        3 => select(vec![0, 1, LEASE_MS]).prop_map(End::Retry),
        1 => Just(End::GiveBack),
        1 => select(stopped.to_vec()).prop_map(End::Stopped),
    ]
}

fn row_end() -> impl Strategy<Value = RowEnd> {
    prop_oneof![
        2 => Just(RowEnd::Sent),
        2 => (select(vec![0, 1, LEASE_MS]), any::<bool>())
            .prop_map(|(due_in_ms, maybe_applied)| RowEnd::Again { due_in_ms, maybe_applied }),
        1 => Just(RowEnd::Blocked),
        1 => Just(RowEnd::InDoubt),
        1 => any::<bool>().prop_map(|in_doubt| RowEnd::Withheld { in_doubt }),
    ]
}

/// A sequence that is being played: in a namespace of its own, which shares nothing with those before it.
struct Game<'a> {
    bench: &'a Bench,
    /// The store's time, which goes on from game to game.
    now_ms: &'a Cell<i64>,
    namespace: String,
    reference: Reference,
    runs: Vec<(WorkRef, Token)>,
    senders: Vec<(RowRef, Token)>,
}

impl Game<'_> {
    async fn play(mut self, operations: &[Operation]) -> Result<(), TestCaseError> {
        for operation in operations {
            let (expected, answered) = self.both(operation).await;
            prop_assert_eq!(answered, expected, "the answer to {:?}", operation);
            prop_assert_eq!(self.works().await, self.reference.works(), "the works after {:?}", operation);
            prop_assert_eq!(self.rows().await, self.reference.rows(), "the rows after {:?}", operation);
            prop_assert_eq!(self.next_due().await, self.reference.next_due(), "due after {:?}", operation);
        }
        Ok(())
    }

    /// What the reference answers, and what the store does.
    async fn both(&mut self, operation: &Operation) -> (Answer, Answer) {
        match operation {
            Operation::Claim { event, other_content, records } => (
                self.reference.claim(*event, *other_content, *records),
                self.claim(*event, *other_content, *records).await,
            ),
            Operation::Take => (self.reference.take(), self.take().await),
            Operation::Settle(run, end) if !self.runs.is_empty() => {
                let run = run % self.runs.len();
                (self.reference.settle(run, end), self.settle(run, end).await)
            }
            Operation::RowTake(limit) => {
                (self.reference.row_take(*limit as usize), self.row_take(*limit).await)
            }
            Operation::RowSettle(sender, end) if !self.senders.is_empty() => {
                let sender = sender % self.senders.len();
                (self.reference.row_settle(sender, *end), self.row_settle(sender, *end).await)
            }
            Operation::Pass(by_ms) => {
                self.bench.advance(*by_ms);
                self.now_ms.set(self.now_ms.get() + by_ms);
                self.reference.now_ms = self.now_ms.get();
                (Answer::Nothing, Answer::Nothing)
            }
            Operation::Settle(..) | Operation::RowSettle(..) => (Answer::Nothing, Answer::Nothing),
        }
    }

    async fn claim(&mut self, event: u8, other: bool, records: bool) -> Answer {
        let id = event.to_string();
        let arrival = Arrival {
            namespace: self.namespace.clone(),
            taking: if records { Taking::Record } else { Taking::Claim },
            ..if other { other_content(&id) } else { arrival(&id) }
        };
        match self.bench.store.work_claim(arrival, TERMS).await.expect("the store works") {
            Claim::Acquired(held) => self.given(*held).await,
            Claim::Answered(answered) => match answered.standing {
                Standing::Done(Repeat::Original { output, needs_review: None }) => Answer::Done { output },
                Standing::InProgress { state, retry_after_ms } => {
                    Answer::InProgress { state, retry_after_ms }
                }
                Standing::Mismatch { .. } => Answer::Mismatch,
                Standing::Recorded => Answer::Recorded,
                Standing::InReview { .. } => Answer::Ended(WorkState::Review),
                Standing::InDoubt { .. } => Answer::Ended(WorkState::InDoubt),
                Standing::Dead { .. } => Answer::Ended(WorkState::Dead),
                Standing::Rejected { .. } => Answer::Ended(WorkState::Rejected),
                other => panic!("nothing here leads to {other:?}"),
            },
        }
    }

    async fn take(&mut self) -> Answer {
        match self.bench.store.work_take(&self.namespace, STEP, TERMS).await.expect("the store works") {
            Some(Claim::Acquired(held)) => self.given(*held).await,
            Some(Claim::Answered(answered)) => panic!("a worker is given work: {answered:?}"),
            None => Answer::Nothing,
        }
    }

    async fn given(&mut self, held: Acquired) -> Answer {
        held.durable.wait().await.expect("the claim is committed");
        let Acquired { work, token, takeover, new, .. } = held;
        let at = WorkRef { namespace: self.namespace.clone(), id: work.work_id };
        assert!(self.runs.iter().all(|(_, earlier)| *earlier < token), "tokens only grow");
        self.runs.push((at, token));
        Answer::Run {
            event: number(work.event_id),
            attempt: work.attempt,
            takeover,
            new,
            cursor: work.cursor,
        }
    }

    async fn settle(&self, run: usize, end: &End) -> Answer {
        let cause = || "random".to_owned();
        let outcome = match end {
            End::Done(brought) => match done_with(collected(brought)) {
                Outcome::Done { collected, follow_up, needs_review, .. } => {
                    Outcome::Done { output: output(run), needs_review, follow_up, collected }
                }
                other => other,
            },
            End::Continue(brought) => {
                Outcome::Continue { cursor: cursor(run), collected: collected(brought) }
            }
            End::Retry(due_in_ms) => retry(*due_in_ms),
            End::GiveBack => Outcome::GiveBack { cause: cause() },
            End::Stopped(WorkState::Dead) => Outcome::Dead { cause: cause() },
            End::Stopped(WorkState::Review) => Outcome::Review { cause: cause() },
            End::Stopped(WorkState::Rejected) => Outcome::Reject { cause: cause() },
            End::Stopped(_) => Outcome::InDoubt { cause: cause() },
        };
        let (work, token) = self.runs[run].clone();
        let settlement = Settlement { work, token, outcome, notes: Vec::new(), replays: Vec::new() };
        match self.bench.store.work_settle(settlement).await.expect("the store works") {
            Settled::Applied => Answer::Applied,
            Settled::RowConflict { .. } => Answer::RowConflict,
            Settled::LeaseLost => Answer::LeaseLost,
            other => panic!("nothing here leads to {other:?}"),
        }
    }

    async fn row_take(&mut self, limit: u32) -> Answer {
        let order = Take { namespace: self.namespace.clone(), limit, ..take() };
        let mut sendings = Vec::new();
        for sending in self.bench.take_rows(order).await {
            let name = (0..ROWS).find(|name| row_id(&name.to_string()) == sending.row.id);
            let name = name.expect("the row was enqueued");
            sendings.push((name, number(Some(sending.payload)), sending.attempt, sending.maybe_applied));
            self.senders.push((sending.row, sending.token));
        }
        Answer::Sendings(sendings)
    }

    async fn row_settle(&self, sender: usize, end: RowEnd) -> Answer {
        let outcome = match end {
            RowEnd::Sent => sent(),
            RowEnd::Again { due_in_ms, maybe_applied } => again(due_in_ms, maybe_applied),
            RowEnd::Blocked => blocked(),
            RowEnd::InDoubt => in_doubt(),
            RowEnd::Withheld { in_doubt } => RowOutcome::Withheld { cause: "too late".to_owned(), in_doubt },
        };
        let (row, token) = self.senders[sender].clone();
        match self.bench.store.outbox_settle(row, token, outcome).await.expect("the store works") {
            RowSettled::Applied => Answer::Applied,
            RowSettled::LeaseLost => Answer::LeaseLost,
        }
    }

    async fn works(&self) -> Vec<Work> {
        let filter = WorkFilter::all(&self.namespace, LIST_LIMIT);
        let works = self.bench.store.work_list(filter).await.expect("the store works");
        let work = |work: onceward::store::work::WorkRecord| Work {
            event: number(work.event_id),
            state: work.state,
            attempt: work.attempt,
            chunk: work.chunk,
            duplicates: work.duplicates,
            due_ms: work.due_ms,
            lease_until_ms: work.lease_until_ms,
            cursor: work.cursor,
            output: work.output,
        };
        works.into_iter().rev().map(work).collect()
    }

    async fn rows(&self) -> Vec<Row> {
        let filter = OutboxFilter::all(&self.namespace, LIST_LIMIT);
        let rows = self.bench.store.outbox_list(filter).await.expect("the store works");
        let row = |row: onceward::store::outbox::OutboxRow| Row {
            name: (0..ROWS).find(|name| row_id(&name.to_string()) == row.row_id).expect("it was enqueued"),
            payload: number(Some(row.payload)),
            state: row.state,
            attempt: row.attempt,
            maybe_applied: row.maybe_applied,
            due_ms: row.due_ms,
        };
        rows.into_iter().rev().map(row).collect()
    }

    async fn next_due(&self) -> (Option<i64>, Option<i64>) {
        let work = self.bench.store.work_next_due(&self.namespace, STEP).await.expect("the store works");
        let row = self.bench.store.outbox_next_due(&self.namespace, CRM).await.expect("the store works");
        (work, row.map(|next| next.at_ms))
    }
}

fn collected(brought: &[Brought]) -> Collected {
    let rows = brought.iter().map(|(name, payload)| row(&name.to_string(), &payload.to_string()));
    Collected { rows: rows.collect(), ..Collected::default() }
}

/// An event's id or a row's payload, which are numbers here.
fn number(text: Option<String>) -> u8 {
    text.and_then(|text| text.parse().ok()).expect("a number that the game gave")
}

pub(super) async fn work_settle_and_all_around_it_at_random_is_as_in_the_reference_ledger(bench: Bench) {
    let (games, now_ms) = (Cell::new(0_u32), Cell::new(START_MS));
    holds(SEQUENCES, vec(operation(), 1..OPERATIONS_MAX), move |runtime, operations| {
        games.set(games.get() + 1);
        let game = Game {
            bench: &bench,
            now_ms: &now_ms,
            namespace: format!("game {}", games.get()),
            reference: Reference::at(now_ms.get()),
            runs: Vec::new(),
            senders: Vec::new(),
        };
        runtime.block_on(game.play(&operations))
    })
    .await;
}
