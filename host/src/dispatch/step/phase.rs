//! The phases after the claim: a work that is held, and a step that has run.

use crate::contract::fence::Token;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::dispatch::end::{End, Ended};
use crate::dispatch::error::DispatchError;
use crate::dispatch::retry::RetryPolicy;
use crate::dispatch::setup::StepSetup;
use crate::dispatch::step::Dispatcher;
use crate::runtime::decide::Origin;
use crate::runtime::job::{Holds, Job};
use crate::runtime::room::Room;
use crate::runtime::run::Ended as RunEnded;
use crate::runtime::run::Run;
use crate::runtime::stop::Stop;
use crate::store::durable::Durable;
use crate::store::work::{Outcome, Settled, Settlement, WorkRecord, WorkRef};
use std::sync::Arc;

/// Chunks of one batch: far more than any batch has, and an end for a step that never comes to one.
const CHUNKS_MAX: u32 = 100_000;

/// Phase one is done: the work is claimed.
pub struct Held {
    pub(super) setup: Arc<StepSetup>,
    pub(super) job: Arc<Job>,
    pub(super) takeover: bool,
    /// Where it runs, or waits to run.
    pub(super) room: Option<Room>,
}

/// Phase two is done: the step has run, and nothing of it is committed.
pub struct Ran {
    setup: Arc<StepSetup>,
    job: Arc<Job>,
    takeover: bool,
    run: Run,
}

impl Held {
    /// The work.
    #[must_use]
    pub fn work(&self) -> &WorkRecord {
        &self.job.work
    }

    /// Whether it was recorded with this claim.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.job.new
    }

    /// The work by its identity.
    #[must_use]
    pub fn work_ref(&self) -> WorkRef {
        self.job.work_ref()
    }

    /// The claim's proof.
    #[must_use]
    pub fn token(&self) -> Token {
        self.job.token
    }

    /// How long the claim holds, in milliseconds from when it was made.
    #[must_use]
    pub fn lease_ms(&self) -> i64 {
        self.setup.terms().lease_ms
    }

    /// When the claim is on disk.
    #[must_use]
    pub fn durable(&self) -> &Durable {
        &self.job.durable
    }

    /// Run the step in a fresh instance.
    pub async fn run(self, dispatcher: &Dispatcher) -> Ran {
        self.run_until(dispatcher, std::future::pending()).await
    }

    /// The same, unless the run is to be stopped before it ends by itself.
    pub async fn run_until(self, dispatcher: &Dispatcher, stop: impl Future<Output = Stop>) -> Ran {
        let Self { setup, job, takeover, room, .. } = self;
        let limits = Arc::clone(&setup.limits);
        let place = match room {
            Some(room) => room.place().await,
            None => dispatcher.runtime.place().await,
        };
        let run = dispatcher.runtime.run_in(place, &setup.plugin, Arc::clone(&job), limits, stop).await;
        crash_point::reach(CrashPoint::StepRan);
        Ran { setup, job, takeover, run }
    }
}

impl Ran {
    /// What the sandbox reported.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Commit what the run came to, in one transaction.
    pub async fn settle(self, dispatcher: &Dispatcher) -> Result<Ended, DispatchError> {
        let Self { setup, job, takeover, run } = self;
        let again = |cause, asked_ms| again(dispatcher, &setup.retry, &job.work, cause, asked_ms);
        let Run { ended, collected, notes, decided } = run;
        let replays = decided.iter().filter(|(_, origin)| **origin == Origin::Pinned);
        let replays = replays.map(|(slot, _)| slot.clone()).collect();
        let work = Arc::clone(&job.work);
        let end_of = |end| Ended { work, takeover, decided, end };
        let (outcome, end) = match ended {
            RunEnded::Stopped(Stop::LeaseLost) => return Ok(end_of(End::LeaseLost)),
            // The store is not there to settle with; the lease ends, and the work is taken over.
            RunEnded::Stopped(Stop::Store(error)) => return Err(error.into()),
            RunEnded::Finished { output, needs_review } => {
                let follow_up = dispatcher.follow_up(&job.work, &output);
                let end = End::Done { output: output.clone(), needs_review: needs_review.clone() };
                let collected = dispatcher.mirrored(&job.work, collected).await?;
                (Outcome::Done { output, needs_review, follow_up, collected }, end)
            }
            RunEnded::Continue { .. } if job.work.chunk >= CHUNKS_MAX => {
                let cause = format!("more than {CHUNKS_MAX} chunks: the step continues without end");
                (Outcome::Dead { cause: cause.clone() }, End::Dead(cause))
            }
            RunEnded::Continue { cursor } => {
                let collected = dispatcher.mirrored(&job.work, collected).await?;
                (Outcome::Continue { cursor, collected }, End::Continued)
            }
            RunEnded::Retry { reason, after_ms } => again(reason, after_ms),
            RunEnded::Stopped(stop @ Stop::Held { .. }) => held(stop, &job.holds),
            RunEnded::Stopped(stop @ Stop::Drained) => {
                (Outcome::GiveBack { cause: stop.to_string() }, End::GivenBack)
            }
            RunEnded::Stopped(stop) => again(stop.to_string(), None),
            RunEnded::Review(cause) => (Outcome::Review { cause: cause.clone() }, End::Review(cause)),
            RunEnded::Reject(cause) => (Outcome::Reject { cause: cause.clone() }, End::Rejected(cause)),
        };
        let work = WorkRef { namespace: job.work.namespace.clone(), id: job.work.work_id };
        let settlement = Settlement { work, token: job.token, outcome, notes, replays };
        let settled = dispatcher.store.work_settle(settlement).await?;
        crash_point::reach(CrashPoint::Settled);
        Ok(end_of(match settled {
            Settled::Applied => end,
            Settled::RowConflict { cause } => End::Dead(cause),
            Settled::Cancelled { cause } => End::Cancelled(cause),
            Settled::LeaseLost => {
                // Where the claim itself was never committed, nobody has the work, and the caller must hear why.
                job.durable.wait().await?;
                End::LeaseLost
            }
        }))
    }
}

/// A person must approve an answer first.
fn held(stop: Stop, holds: &Holds) -> (Outcome, End) {
    let cause = stop.to_string();
    let end = End::Review(cause.clone());
    let Stop::Held { slot, by_rule } = stop else { return (Outcome::Review { cause }, end) };
    let expires_in_ms = holds.expires_ms.map(|expires_ms| i64::try_from(expires_ms).unwrap_or(i64::MAX));
    (Outcome::Hold { slot, by_rule, expires_in_ms, cause }, end)
}

/// Another attempt, or the end of the budget.
fn again(
    dispatcher: &Dispatcher,
    policy: &RetryPolicy,
    work: &WorkRecord,
    cause: String,
    asked_ms: Option<u64>,
) -> (Outcome, End) {
    // Both are of the claim: how long ago the first attempt since the last restart of the count began.
    let age_ms = work.updated_ms.saturating_sub(work.budget_from_ms.unwrap_or(work.updated_ms));
    if let Some(exhausted) = policy.exhausted(work.attempt, age_ms) {
        let cause = format!("{exhausted}: {cause}");
        return (Outcome::Dead { cause: cause.clone() }, End::Dead(cause));
    }
    let due_in_ms = policy.delay_ms(&*dispatcher.clock, work.attempt, asked_ms);
    (Outcome::Retry { cause: cause.clone(), due_in_ms }, End::Retried { cause, due_in_ms })
}
