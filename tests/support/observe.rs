//! What a test looks at, and time moved on to what is due.
//!
//! Everything here reads, or does what a patient worker would do. What is not there is the test's fault: it panics.

use crate::host::NAMESPACE;
use crate::host::TestHost;
use crate::oracle::Oracle;
use crate::sim_clock::SimClock;
use onceward::clock::Clock as _;
use onceward::dispatch::end::End;
use onceward::dispatch::end::Ended;
use onceward::dispatch::outbox::Attempt;
use onceward::dispatch::outbox::DeliveryReport;
use onceward::dispatch::step::Claimed;
use onceward::dispatch::step::Held;
use onceward::identity::event::Event;
use onceward::identity::key::WorkId;
use onceward::store::claim::Answered;
use onceward::store::operate::Actor;
use onceward::store::outbox::OutboxFilter;
use onceward::store::outbox::OutboxRow;
use onceward::store::outbox::RowState;
use onceward::store::pause::PauseScope;
use onceward::store::retention::Cursor;
use onceward::store::work::WorkFilter;
use onceward::store::work::WorkRecord;
use onceward::store::work::WorkRef;
use serde_json::Value;
use std::sync::Arc;

/// More than any test lists.
const LIST_LIMIT: u32 = 1_000;

/// Passes after which a test that moves time on is going in circles.
const PASSES_MAX: usize = 1_000;

impl TestHost {
    /// Claim an event's work that is free.
    pub async fn hold(&self, step: &str, event: &Event) -> Held {
        match self.dispatcher.claim(step, event).await.expect("the claim is answered") {
            Claimed::Held(held) => *held,
            Claimed::Answered(answered) => panic!("the work is not free: {answered:?}"),
        }
    }

    /// Claim due work that is there.
    pub async fn take(&self, step: &str) -> Held {
        self.dispatcher.take(step).await.expect("the ledger works").expect("a work is due")
    }

    /// Run an event whose work is free.
    pub async fn ran(&self, step: &str, event: &Event) -> Ended {
        let run = self.run(step, event).await.expect("the protocol works");
        run.unwrap_or_else(|answered| panic!("the work is not free: {answered:?}"))
    }

    /// How the work of an event stands that is not free.
    pub async fn answered(&self, step: &str, event: &Event) -> Answered {
        match self.run(step, event).await.expect("the protocol works") {
            Ok(ended) => panic!("the work was free: {ended:?}"),
            Err(answered) => answered,
        }
    }

    /// Run an event to its result, which is done without a flag.
    pub async fn done(&self, step: &str, event: &Event) -> Value {
        output(&self.ran(step, event).await)
    }

    /// Run all that is due, and move time on to what becomes due, until no work waits.
    pub async fn work_off(&self) -> Vec<Ended> {
        let mut ended = Vec::new();
        for _ in 0..PASSES_MAX {
            let report = self.dispatcher.run_once().await.expect("the protocol works");
            ended.extend(report.ended);
            let Some(due_ms) = report.next_due_ms else { return ended };
            self.until(due_ms);
        }
        panic!("work comes back for ever: {ended:?}")
    }

    /// Deliver all that is due, and move time on to what becomes due, until no row waits. All attempts are in the report.
    pub async fn deliver_off(&self) -> DeliveryReport {
        let mut attempts: Vec<Attempt> = Vec::new();
        for _ in 0..PASSES_MAX {
            let mut report = self.deliver().await;
            attempts.append(&mut report.attempts);
            let Some(due_ms) = report.next_due_ms else { return DeliveryReport { attempts, ..report } };
            self.until(due_ms);
        }
        panic!("rows come back for ever: {attempts:?}")
    }

    /// End the host as a stop of its process would, and wait until the ledger's file is free: tasks that were cut off let go
    /// of it at their own pace. The doors are left, for the next host.
    pub async fn end(self) -> (Arc<SimClock>, Arc<Oracle>) {
        let Self { clock, oracle, store, runtime, dispatcher, deliverer } = self;
        let held = Arc::downgrade(&store);
        drop((store, runtime, dispatcher, deliverer));
        while held.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
        (clock, oracle)
    }

    /// Let so much time pass. A claim may be answered before its commit, and what joins that commit still has its time, so
    /// time moves only when everything sent so far is on disk.
    pub async fn pass(&self, by_ms: i64) {
        self.store.family_expire("nowhere", Cursor::START, 1).await.expect("the ledger works");
        self.clock.advance(by_ms);
    }

    /// Let something go on that is stopped; whether it was.
    pub async fn unpause(&self, scope: PauseScope) -> bool {
        let actor = Actor { name: "Noor".to_owned(), reason: "it answers again".to_owned(), action: None };
        self.store.pause_lift(NAMESPACE, scope, actor).await.expect("the ledger works")
    }

    /// Move time on to this moment, where it has not come yet.
    pub fn until(&self, at_ms: i64) {
        self.clock.advance(at_ms.saturating_sub(self.clock.now_ms()).max(0));
    }

    /// A work as it is stored.
    pub async fn work(&self, id: WorkId) -> WorkRecord {
        let work = WorkRef { namespace: NAMESPACE.to_owned(), id };
        self.store.work_show(work).await.expect("the ledger works").expect("the work is recorded")
    }

    /// All works, oldest first.
    pub async fn works(&self) -> Vec<WorkRecord> {
        let filter = WorkFilter::all(NAMESPACE, LIST_LIMIT);
        let mut works = self.store.work_list(filter).await.expect("the ledger works");
        works.reverse();
        works
    }

    /// The kinds of evidence of a work, with their details, in order.
    pub async fn evidence(&self, id: WorkId) -> Vec<(String, String)> {
        let work = WorkRef { namespace: NAMESPACE.to_owned(), id };
        let lines = self.store.evidence_list(work).await.expect("the ledger works");
        lines.into_iter().map(|line| (line.kind, line.detail)).collect()
    }

    /// The details of a work's evidence of this kind.
    pub async fn evidence_of(&self, id: WorkId, kind: &str) -> Vec<String> {
        let lines = self.evidence(id).await;
        lines.into_iter().filter(|(of, _)| of == kind).map(|(_, detail)| detail).collect()
    }

    /// All outbox rows, oldest first.
    pub async fn rows(&self) -> Vec<OutboxRow> {
        let filter = OutboxFilter::all(NAMESPACE, LIST_LIMIT);
        let mut rows = self.store.outbox_list(filter).await.expect("the ledger works");
        rows.reverse();
        rows
    }

    /// The only outbox row.
    pub async fn row(&self) -> OutboxRow {
        let mut rows = self.rows().await;
        assert_eq!(rows.len(), 1, "one row is expected: {rows:?}");
        rows.remove(0)
    }

    /// The states of all rows, oldest first.
    pub async fn row_states(&self) -> Vec<RowState> {
        self.rows().await.into_iter().map(|row| row.state).collect()
    }

    /// The stage that a work's handoff has reached.
    pub async fn stage(&self, work: &WorkRecord) -> Option<String> {
        self.store.progress_find(&work.namespace, work.root_key).await.expect("the ledger works")
    }
}

/// The output of a run that is done without a flag.
#[must_use]
pub fn output(ended: &Ended) -> Value {
    match &ended.end {
        End::Done { output, needs_review: None } => serde_json::from_str(output).expect("an output is JSON"),
        other => panic!("the run is not plainly done: {other:?}"),
    }
}
