//! The step protocol: claim, run, settle. One type a phase, so that none is skipped or repeated.
//!
//! ```text
//!  Dispatcher::claim ──► Held ──run──► Ran ──settle──► Ended
//!  Dispatcher::take  ──┘
//! ```
//! A run that is dropped between two phases loses what it collected and nothing else: its lease ends, and the next claim
//! counts one more attempt.

mod phase;

pub use phase::{Held, Ran};

use crate::clock::Clock;
use crate::contract::capability::Mode;
use crate::contract::response::Response;
use crate::crash_point;
use crate::crash_point::CrashPoint;
pub use crate::dispatch::error::DispatchError;
use crate::dispatch::mirror::Mirror;
use crate::dispatch::setup::StepSetup;
use crate::identity::event::Event;
use crate::identity::readable_key::under;
use crate::identity::work_id::identify;
use crate::identity::work_id::{follow_up_content, follow_up_id};
use crate::runtime::job::Job;
use crate::runtime::registry::Runtime;
use crate::runtime::room::{Place, Room};
use crate::store::Store;
use crate::store::claim::{Acquired, Answered, Arrival, Candidate, Claim, Taking};
use crate::store::quarantine::OnMismatch;
use crate::store::raw::Raw;
use crate::store::work::{Collected, FollowUp, Holder, WorkRecord, WorkRef};
use std::collections::BTreeMap;
use std::sync::Arc;

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
        let room = self.runtime.spot();
        // A repeat needs no room, and gets its answer.
        if room.is_none() && !self.is_known(&arrival).await? {
            return Err(self.busy(step));
        }
        self.claimed(setup, arrival, room).await
    }

    /// No more callers may wait.
    pub(super) fn busy(&self, step: &str) -> DispatchError {
        DispatchError::Busy { step: step.to_owned(), waiting: self.runtime.queue_max() }
    }

    /// Whether the event's work is on record, under the present contract or an earlier one.
    async fn is_known(&self, arrival: &Arrival) -> Result<bool, DispatchError> {
        for candidate in arrival.candidates() {
            let work = WorkRef { namespace: self.namespace.clone(), id: candidate.work_id };
            if self.store.work_show(work).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
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
        let room = self.runtime.free_place().map(Room::Place);
        let on_mismatch = OnMismatch::Quarantine;
        let arrival = Arrival { on_mismatch, raw, ..self.arrival(setup, event)? };
        self.claimed(setup, arrival, room).await
    }

    /// What the store says to an arrival. Without room for its run it is recorded, where it is new, and not claimed.
    async fn claimed(
        &self,
        setup: &Arc<StepSetup>,
        arrival: Arrival,
        room: Option<Room>,
    ) -> Result<Claimed, DispatchError> {
        let taking = if room.is_some() { Taking::Claim } else { Taking::Record };
        let arrival = Arrival { taking, ..arrival };
        Ok(match self.store.work_claim(arrival, setup.terms()).await? {
            Claim::Acquired(acquired) => Claimed::Held(Box::new(self.held(setup, *acquired, room))),
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
            Some(Claim::Acquired(acquired)) => Some(self.held(setup, *acquired, Some(Room::Place(place)))),
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

    fn held(&self, setup: &Arc<StepSetup>, acquired: Acquired, room: Option<Room>) -> Held {
        crash_point::reach(CrashPoint::Claimed);
        let job = Job {
            work: Arc::new(acquired.work),
            token: acquired.token,
            new: acquired.new,
            durable: acquired.durable,
            mode: setup.contract().mode,
            grants: Arc::clone(&setup.grants),
            holds: Arc::clone(&setup.holds),
            stages: Arc::clone(&self.stages),
            receipt_steps: Arc::clone(&self.receipt_steps),
        };
        Held { setup: Arc::clone(setup), job: Arc::new(job), takeover: acquired.takeover, room }
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
