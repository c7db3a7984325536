//! The step protocol: claim, run, settle. One type a phase, so that none is skipped or repeated.
//!
//! ```text
//!  Dispatcher::claim ──► Held ──run──► Ran ──settle──► Ended
//!  Dispatcher::take  ──┘
//! ```
//! A run that is dropped between two phases loses what it collected and nothing else: its lease ends, and the next claim
//! counts one more attempt.

use crate::clock::Clock;
use crate::contract::capability::Mode;
use crate::contract::fence::Token;
use crate::contract::response::Response;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::dispatch::end::{End, Ended};
pub use crate::dispatch::error::DispatchError;
use crate::dispatch::mirror::Mirror;
use crate::dispatch::retry::RetryPolicy;
use crate::dispatch::setup::StepSetup;
use crate::identity::event::Event;
use crate::identity::readable_key::under;
use crate::identity::work_id::identify;
use crate::identity::work_id::{follow_up_content, follow_up_id};
use crate::runtime::decide::Origin;
use crate::runtime::job::{Holds, Job};
use crate::runtime::registry::{Place, Runtime};
use crate::runtime::run::Ended as RunEnded;
use crate::runtime::run::Run;
use crate::runtime::stop::Stop;
use crate::store::Store;
use crate::store::claim::{Acquired, Answered, Arrival, Candidate, Claim, Taking};
use crate::store::durable::Durable;
use crate::store::quarantine::OnMismatch;
use crate::store::raw::Raw;
use crate::store::work::{Collected, FollowUp, Holder, Outcome, Settled, Settlement, WorkRecord, WorkRef};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Chunks of one batch: far more than any batch has, and an end for a step that never comes to one.
const CHUNKS_MAX: u32 = 100_000;

/// The steps, and the doors they need.
pub struct Dispatcher {
    store: Arc<dyn Store>,
    pub(super) runtime: Arc<Runtime>,
    pub(super) clock: Arc<dyn Clock>,
    namespace: String,
    steps: BTreeMap<String, Arc<StepSetup>>,
    flow: Vec<String>,
    stages: Arc<[String]>,
    receipt_steps: Arc<BTreeMap<String, u32>>,
    mirror: Option<Mirror>,
}

/// What a claim came to.
pub enum Claimed {
    /// The work is ours to run.
    Held(Box<Held>),
    /// It is not, and this is how it stands.
    Answered(Answered),
}

/// Phase one is done: the work is claimed.
pub struct Held {
    setup: Arc<StepSetup>,
    job: Arc<Job>,
    takeover: bool,
    new: bool,
    /// Where it runs; none where it waits for a place first.
    place: Option<Place>,
}

/// Phase two is done: the step has run, and nothing of it is committed.
pub struct Ran {
    setup: Arc<StepSetup>,
    job: Arc<Job>,
    takeover: bool,
    run: Run,
}

impl Dispatcher {
    /// A dispatcher over steps by name, and a flow: the order in which one step's result becomes the next one's work.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        runtime: Arc<Runtime>,
        clock: Arc<dyn Clock>,
        namespace: String,
        steps: BTreeMap<String, Arc<StepSetup>>,
        flow: Vec<String>,
        stages: Arc<[String]>,
    ) -> Self {
        // A step of the flow has a next one, and the receipts of two rows would have one next work between them.
        let able = |(name, setup): &(&String, &Arc<StepSetup>)| {
            setup.contract().mode == Mode::Recorded && !flow.contains(*name)
        };
        let versions =
            steps.iter().filter(able).map(|(name, setup)| (name.clone(), setup.contract().version));
        let receipt_steps = Arc::new(versions.collect());
        Self { store, runtime, clock, namespace, steps, flow, stages, receipt_steps, mirror: None }
    }

    /// Tell each stage that a handoff reaches elsewhere.
    #[must_use]
    pub fn mirror(mut self, mirror: Option<Mirror>) -> Self {
        self.mirror = mirror;
        self
    }

    /// The names of the steps.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.steps.keys().map(String::as_str)
    }

    /// The names of the steps whose runs are recorded; a worker takes their work.
    pub fn recorded_steps(&self) -> impl Iterator<Item = &str> {
        let recorded = self.steps.iter().filter(|(_, setup)| setup.contract().mode == Mode::Recorded);
        recorded.map(|(name, _)| name.as_str())
    }

    /// The steps that can go on from a receipt, and their contract versions.
    #[must_use]
    pub fn receipt_steps(&self) -> &Arc<BTreeMap<String, u32>> {
        &self.receipt_steps
    }

    /// What a step's duplicate gets.
    ///
    /// # Errors
    /// [`DispatchError::UnknownStep`], where there is none of this name.
    pub fn response(&self, step: &str) -> Result<Response, DispatchError> {
        Ok(self.setup(step)?.response)
    }

    /// Whether the step only reads.
    ///
    /// # Errors
    /// [`DispatchError::UnknownStep`], where there is none of this name.
    pub fn reads_only(&self, step: &str) -> Result<bool, DispatchError> {
        Ok(self.setup(step)?.contract().mode == Mode::ReadOnly)
    }

    /// The store behind it.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The namespace it works in.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Claim the work that an event stands for.
    pub async fn claim(&self, step: &str, event: &Event) -> Result<Claimed, DispatchError> {
        self.arrive(step, event, OnMismatch::Refuse).await
    }

    /// The same, and say what happens where the event's identity is on record with other content.
    pub async fn arrive(
        &self,
        step: &str,
        event: &Event,
        on_mismatch: OnMismatch,
    ) -> Result<Claimed, DispatchError> {
        let setup = self.recorded(step)?;
        let arrival = Arrival { on_mismatch, ..self.arrival(setup, event)? };
        // The run waits for its place, and not the claim: a repeat is answered, and an invoker waits no longer than it said.
        self.claimed(setup, arrival, None).await
    }

    /// Take in an event without waiting for a place to run it in: where every place is taken its work is recorded and not
    /// claimed, so that no lease runs out in a queue. `raw` is the event as it arrived. One whose identity is on record with
    /// other content is kept for a person.
    pub async fn receive(
        &self,
        step: &str,
        event: &Event,
        raw: Option<Raw>,
    ) -> Result<Claimed, DispatchError> {
        let setup = self.recorded(step)?;
        let place = self.runtime.free_place();
        let taking = if place.is_some() { Taking::Claim } else { Taking::Record };
        let on_mismatch = OnMismatch::Quarantine;
        let arrival = Arrival { on_mismatch, raw, taking, ..self.arrival(setup, event)? };
        self.claimed(setup, arrival, place).await
    }

    /// What the store says to an arrival. Its run has this place, or waits for one.
    async fn claimed(
        &self,
        setup: &Arc<StepSetup>,
        arrival: Arrival,
        place: Option<Place>,
    ) -> Result<Claimed, DispatchError> {
        Ok(match self.store.work_claim(arrival, setup.terms()).await? {
            Claim::Acquired(acquired) => Claimed::Held(Box::new(self.held(setup, *acquired, place))),
            Claim::Answered(answered) => Claimed::Answered(answered),
        })
    }

    /// A place to run in, where one is free now.
    pub fn free_place(&self) -> Option<Place> {
        self.runtime.free_place()
    }

    /// Claim the step's next due work.
    pub async fn take(&self, step: &str) -> Result<Option<Held>, DispatchError> {
        // The place comes before the claim, so that no lease runs out while a worker waits for one.
        let place = self.runtime.place().await;
        self.take_in(step, place).await
    }

    /// Claim the step's next due work, to run it in this place.
    pub async fn take_in(&self, step: &str, place: Place) -> Result<Option<Held>, DispatchError> {
        let setup = self.recorded(step)?;
        Ok(match self.store.work_take(&self.namespace, step, setup.terms()).await? {
            Some(Claim::Acquired(acquired)) => Some(self.held(setup, *acquired, Some(place))),
            Some(Claim::Answered(_)) | None => None,
        })
    }

    /// The setup of a step whose runs are recorded.
    fn recorded(&self, step: &str) -> Result<&Arc<StepSetup>, DispatchError> {
        let setup = self.setup(step)?;
        match setup.contract().mode {
            Mode::Recorded => Ok(setup),
            Mode::ReadOnly => Err(DispatchError::ReadOnly { step: step.to_owned() }),
        }
    }

    pub(super) fn setup(&self, step: &str) -> Result<&Arc<StepSetup>, DispatchError> {
        self.steps.get(step).ok_or_else(|| DispatchError::UnknownStep {
            step: step.to_owned(),
            known: self.steps.keys().cloned().collect::<Vec<_>>().join(", "),
        })
    }

    fn held(&self, setup: &Arc<StepSetup>, acquired: Acquired, place: Option<Place>) -> Held {
        crash_point::reach(CrashPoint::Claimed);
        let job = Job {
            work: Arc::new(acquired.work),
            token: acquired.token,
            durable: acquired.durable,
            mode: setup.contract().mode,
            grants: Arc::clone(&setup.grants),
            holds: Arc::clone(&setup.holds),
            stages: Arc::clone(&self.stages),
            receipt_steps: Arc::clone(&self.receipt_steps),
        };
        let (takeover, new) = (acquired.takeover, acquired.new);
        Held { setup: Arc::clone(setup), job: Arc::new(job), takeover, new, place }
    }

    /// The event's identity under the contract, and under the contracts before it.
    fn arrival(&self, setup: &StepSetup, event: &Event) -> Result<Arrival, DispatchError> {
        let contract = setup.contract();
        let candidate = |contract: &crate::contract::step::StepContract| {
            let identity = &contract.identity;
            identify(&self.namespace, &contract.name, contract.version, identity, &contract.rules, event).map(
                |identified| Candidate {
                    version: contract.version,
                    work_id: identified.work_id,
                    root_key: identified.root_key,
                    readable_key: identified.readable_key,
                    content_hash: identified.content_hash,
                },
            )
        };
        let current = candidate(contract)
            .map_err(|source| DispatchError::Identity { step: contract.name.clone(), source })?;
        // An event that an earlier contract could not identify was never recorded under it.
        let earlier = setup.earlier.iter().filter_map(|contract| candidate(contract).ok()).collect();
        Ok(Arrival {
            namespace: self.namespace.clone(),
            step: contract.name.clone(),
            current,
            earlier,
            source: event.source.clone(),
            event_id: event.id.clone(),
            occurred_at_ms: event.occurred_at_ms,
            payload: event.data_text.clone(),
            raw: None,
            window: setup.window.clone(),
            response: setup.response,
            taking: Taking::Claim,
            on_mismatch: OnMismatch::Refuse,
            holder: Holder::Host,
            intent: None,
        })
    }

    /// What a run collected, with the row that tells its stage elsewhere.
    async fn mirrored(
        &self,
        work: &WorkRecord,
        mut collected: Collected,
    ) -> Result<Collected, DispatchError> {
        if let (Some(mirror), Some(mark)) = (&self.mirror, &mut collected.mark) {
            let family = self.store.work_family(&work.namespace, work.root_key).await?;
            let root = family.first().unwrap_or(work);
            mark.mirror = Some(Box::new(mirror.row(root, &mark.stage, self.clock.now_ms())));
        }
        Ok(collected)
    }

    /// The work of the flow's next step, where there is one.
    fn follow_up(&self, work: &WorkRecord, output: &str) -> Option<Box<FollowUp>> {
        let place = self.flow.iter().position(|step| *step == work.step)?;
        let setup = self.steps.get(self.flow.get(place + 1)?)?;
        let next = setup.contract();
        let root = &work.root_key;
        let id = follow_up_id(&work.namespace, root, work.root_version, &next.name, next.version);
        Some(Box::new(FollowUp {
            work_id: id,
            readable_key: under(&work.readable_key, &next.name, next.version),
            step: next.name.clone(),
            version: next.version,
            payload: output.to_owned(),
            content_hash: follow_up_content(output),
            window: setup.window.clone(),
        }))
    }
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
        self.new
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
        let Self { setup, job, takeover, place, .. } = self;
        let limits = Arc::clone(&setup.limits);
        let place = match place {
            Some(place) => place,
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
