//! The executor: runs claimed works beside each other, each in a task of its own.
//!
//! ```text
//!  intake, invoke ─claim─┐
//!                        ├─► start ─► run (lease renewed, may be stopped) ─► settle ─► waiters, duties are told
//!  pass ────────take─────┘
//! ```
//! Owns the tasks: how many there are is the runtime's to say, and a work is taken only where a place is free. A run ends
//! before its time where a person cancels the work, where its lease is lost, and where the host shuts down and the time
//! for that is over; then the claim is given back and the attempt does not count. It keeps no truth of its own: whoever
//! waits for a work looks at the store.

use crate::clock::Clock;
use crate::contract::fence::Token;
use crate::dispatch::duty::{Duty, Pass};
use crate::dispatch::nudge::Nudge;
use crate::dispatch::persistent::Persistent;
use crate::dispatch::signal::Signals;
use crate::dispatch::step::{DispatchError, Dispatcher, Held};
use crate::dispatch::under_way::UnderWay;
use crate::identity::key::WorkId;
use crate::runtime::stop::Stop;
use crate::store::error::StoreError;
use crate::store::intent::{Extended, Extension};
use crate::store::work::{Holder, WorkRecord, WorkRef, WorkState};
use crate::telemetry::metrics::Metrics;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// How often whoever waits for a work looks at the store without a signal, in milliseconds: its runner may be elsewhere.
const LOOK_EVERY_MS: u64 = 250;

/// A lease is renewed when this part of it has passed.
const RENEWALS_A_LEASE: u64 = 3;

/// Runs works beside each other.
pub struct Executor {
    dispatcher: Arc<Dispatcher>,
    clock: Arc<dyn Clock>,
    nudge: Nudge,
    signals: Signals,
    under_way: UnderWay,
    tasks: TaskTracker,
    /// Whoever waits is to be told how it stands.
    closed: CancellationToken,
    /// Runs that are left are to be stopped.
    drained: CancellationToken,
    metrics: Metrics,
}

impl Executor {
    /// An executor that nudges whoever has to do with what it settles.
    #[must_use]
    pub fn new(
        dispatcher: Arc<Dispatcher>,
        clock: Arc<dyn Clock>,
        nudge: Nudge,
        metrics: Metrics,
    ) -> Arc<Self> {
        Arc::new(Self {
            dispatcher,
            clock,
            nudge,
            signals: Signals::default(),
            under_way: UnderWay::default(),
            tasks: TaskTracker::new(),
            closed: CancellationToken::new(),
            drained: CancellationToken::new(),
            metrics,
        })
    }

    /// The steps behind it.
    #[must_use]
    pub fn dispatcher(&self) -> &Arc<Dispatcher> {
        &self.dispatcher
    }

    /// How many runs are under way.
    #[must_use]
    pub fn running(&self) -> usize {
        self.under_way.number()
    }

    /// Bring a claimed work to its end in the background.
    pub fn start(self: &Arc<Self>, held: Held) {
        tokio::spawn(self.run(held));
    }

    /// Bring a claimed work to its end in the caller's own task, and wait for that until then; what is left of the run then goes on
    /// in the background, also where the caller goes away. The work where it is done; none where it is not, or not yet.
    pub async fn finish(self: &Arc<Self>, held: Held, until: tokio::time::Instant) -> Option<WorkRecord> {
        let run = Persistent::new(self.run(held));
        tokio::select! {
            done = run => done,
            () = tokio::time::sleep_until(until) => None,
            () = self.closed.cancelled() => None,
        }
    }

    /// A run, counted among those that are to come to their end before the host does.
    fn run(self: &Arc<Self>, held: Held) -> impl Future<Output = Option<WorkRecord>> + Send + 'static {
        let this = Arc::clone(self);
        let (work, step) = (held.work().work_id, &held.work().step);
        let span = tracing::info_span!("run", %work, step, attempt = held.work().attempt);
        self.tasks.track_future(async move { this.bring_to_end(held).await }.instrument(span))
    }

    /// Stop the run of a work that a person has cancelled, also one that is claimed and has not begun yet. Where there is none
    /// here, whoever runs the work hears of the cancellation at the settle: the store knows of it.
    pub fn cancel(&self, work: WorkId) {
        self.under_way.cancel(work);
    }

    /// Wait until a work neither runs nor waits, at most until then. How it stands then; none where it is not there.
    ///
    /// # Errors
    /// [`StoreError`], where the store fails.
    pub async fn rest(
        &self,
        work: &WorkRef,
        until: tokio::time::Instant,
    ) -> Result<Option<WorkRecord>, StoreError> {
        let ear = self.signals.listen(work.id);
        loop {
            let signal = ear.next();
            let found = self.dispatcher.store().work_show(work.clone()).await?;
            let moving = |found: &WorkRecord| matches!(found.state, WorkState::Running | WorkState::Waiting);
            let now = tokio::time::Instant::now();
            if now >= until || self.closed.is_cancelled() || !found.as_ref().is_some_and(moving) {
                return Ok(found);
            }
            let look = (now + Duration::from_millis(LOOK_EVERY_MS)).min(until);
            tokio::select! {
                () = signal => {}
                () = tokio::time::sleep_until(look) => {}
                () = self.closed.cancelled() => {}
            }
        }
    }

    /// Tell whoever waits for a work how it stands now, and let nobody wait any more: the host is about to stop.
    pub fn close(&self) {
        self.closed.cancel();
    }

    /// Let the runs come to their end, at most until then, and stop those that are left: their claims are given back. No
    /// work may be started after this.
    pub async fn drain(&self, until: tokio::time::Instant) {
        self.tasks.close();
        if tokio::time::timeout_at(until, self.tasks.wait()).await.is_err() {
            tracing::warn!(runs = self.running(), "the time to shut down is over; claims are given back");
            self.drained.cancel();
            self.tasks.wait().await;
        }
    }

    async fn bring_to_end(&self, held: Held) -> Option<WorkRecord> {
        let (work, token) = (held.work_ref(), held.token());
        let cancelled = self.under_way.begin(work.id, token);
        let stop = self.stop(work.clone(), token, held.lease_ms(), cancelled);
        let ended = held.run_until(&self.dispatcher, stop).await.settle(&self.dispatcher).await;
        self.under_way.end(work.id, token);
        let done = match ended {
            Ok(ended) => {
                tracing::info!(work = %work.id, step = ended.work.step, end = ?ended.end.word(), "a run ended");
                self.metrics.run(&work.namespace, &ended.work.step, ended.end.word());
                ended.done()
            }
            // The lease ends, and the work is taken over.
            Err(error) => {
                tracing::error!(work = %work.id, error = &error as &dyn std::error::Error, "a run could not be settled");
                None
            }
        };
        self.signals.tell(work.id);
        self.nudge.all();
        done
    }

    /// What ends a run from outside. Until then its lease is renewed.
    async fn stop(&self, work: WorkRef, token: Token, lease_ms: i64, cancelled: CancellationToken) -> Stop {
        let renew_ms = u64::try_from(lease_ms).unwrap_or(0) / RENEWALS_A_LEASE;
        loop {
            tokio::select! {
                () = cancelled.cancelled() => return Stop::Cancelled,
                () = self.drained.cancelled() => return Stop::Drained,
                () = tokio::time::sleep(Duration::from_millis(renew_ms.max(1))) => {}
            }
            let extension = Extension { token, holder: Holder::Host, lease_ms, intent: None };
            match self.dispatcher.store().lease_extend(work.clone(), extension).await {
                Ok(Extended::Applied { .. }) => {}
                Ok(Extended::LeaseLost) => return Stop::LeaseLost,
                Err(error) => {
                    tracing::warn!(work = %work.id, error = &error as &dyn std::error::Error, "a lease was not renewed");
                }
            }
        }
    }

    /// Start the next due work of a step, where there is one and a place for it.
    async fn start_next(self: &Arc<Self>, step: &str) -> Result<Next, DispatchError> {
        let dispatcher = &self.dispatcher;
        // Looked at first, since looking takes no transaction.
        match dispatcher.store().work_next_due(dispatcher.namespace(), step).await? {
            Some(due_ms) if due_ms <= self.clock.now_ms() => {}
            due => return Ok(Next::Later(due)),
        }
        // A host that is about to stop begins nothing that it would have to give back.
        let place = (!self.closed.is_cancelled()).then(|| dispatcher.free_place()).flatten();
        let Some(place) = place else { return Ok(Next::NoPlace) };
        match dispatcher.take_in(step, place).await? {
            Some(held) => {
                self.start(held);
                Ok(Next::Started)
            }
            // The step is paused, or what was due has died of its attempts.
            None => Ok(Next::Later(None)),
        }
    }
}

/// What became of looking for due work.
enum Next {
    Started,
    Later(Option<i64>),
    NoPlace,
}

/// The duty of an executor: to take due works while places are free, and to notice lost callers.
pub struct Worker(pub Arc<Executor>);

#[async_trait]
impl Duty for Worker {
    fn name(&self) -> String {
        format!("worker of {}", self.0.dispatcher.namespace())
    }

    async fn pass(&self) -> Result<Pass, DispatchError> {
        let dispatcher = &self.0.dispatcher;
        dispatcher.store().work_lapse(dispatcher.namespace()).await?;
        let mut pass = Pass::default();
        let mut steps: Vec<&str> = dispatcher.recorded_steps().collect();
        // One of each step in turn, so that the backlog of one does not stop the others.
        while !steps.is_empty() {
            let mut left = Vec::new();
            for step in steps {
                match self.0.start_next(step).await? {
                    Next::Started => left.push(step),
                    Next::Later(due) => pass.next_due_ms = pass.next_due_ms.into_iter().chain(due).min(),
                    // The end of a run is a nudge.
                    Next::NoPlace => return Ok(pass),
                }
            }
            steps = left;
        }
        Ok(pass)
    }
}
