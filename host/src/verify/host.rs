//! What one host does: takes events in, runs what is due, delivers, until nothing is left. It is made of the same parts as
//! any other host; only its doors are others.

use crate::clock::Clock;
use crate::contract::tier::Tier;
use crate::dispatch::outbox::{Attempt, Deliverer};
use crate::dispatch::retry::RetryPolicy;
use crate::dispatch::setup::DestinationSetup;
use crate::dispatch::step::{Claimed, DispatchError, Dispatcher};
use crate::identity::event::Event;
use crate::models::Model;
use crate::models::patience::{ModelRetry, Patience};
use crate::runtime::decide::{DecisionDesk, ModelSetup, with_causes};
use crate::runtime::registry::Runtime;
use crate::store::Store;
use crate::store::claim::Standing;
use crate::verify::finding::Finding;
use crate::verify::ledger::LedgerDoor;
use crate::verify::outside::{Destination, MODEL_CALLS, Oracle};
use crate::verify::process::Process;
use crate::verify::subject::NAMESPACE;
use crate::verify::subject::SubjectDestination;
use std::sync::Arc;
use std::time::Duration;

/// Places for runs: one is enough for a host, which does one thing after another.
const PLACES: u32 = 1;

/// Passes after which a host goes in circles.
const PASSES_MAX: usize = 2_000;

/// How long a sender may take, in simulated milliseconds.
const SENDER_LEASE_MS: u64 = 60_000;

/// How long a destination remembers a key, in simulated milliseconds (a day, the least that is common).
const KEY_RETENTION_MS: u64 = 24 * 3_600_000;

/// How long after a write a look-up may still miss it, in simulated milliseconds.
const SETTLING_MS: u64 = 5_000;

/// A host.
pub(super) struct Host {
    process: Arc<Process>,
    dispatcher: Dispatcher,
    deliverer: Deliverer,
    patient: bool,
}

impl Host {
    pub(super) fn boot(process: &Arc<Process>, patient: bool) -> Self {
        let world = process.world();
        let subject = world.subject();
        let clock = world.clock() as Arc<dyn Clock>;
        let store: Arc<dyn Store> = Arc::new(LedgerDoor { process: Arc::clone(process) });
        let model: Arc<dyn Model> = Arc::new(Oracle { process: Arc::clone(process) });
        let retry = ModelRetry { attempts_max: MODEL_CALLS, base_ms: 0, ceiling_ms: 0 };
        let patience = Patience { retry, ..Patience::default() };
        let models = subject.models().into_iter();
        let models = models.map(|name| (name, ModelSetup { model: Arc::clone(&model), patience })).collect();
        let desk = Arc::new(DecisionDesk::new(Arc::clone(&store), Arc::clone(&clock), models));
        let runtime =
            Runtime::over(Arc::clone(&subject.loader), PLACES, desk).probed(Arc::clone(process) as _);
        let dispatcher = Dispatcher::new(
            Arc::clone(&store),
            Arc::new(runtime),
            Arc::clone(&clock),
            NAMESPACE.to_owned(),
            subject.setups(),
            subject.flow.clone(),
            subject.stages.clone().into(),
        )
        .mirror(subject.mirror.clone());
        let destinations = subject.destinations.iter();
        let destinations =
            destinations.map(|(name, destination)| Arc::new(setup(process, name, destination))).collect();
        let deliverer = Deliverer::new(store, clock, NAMESPACE.to_owned(), destinations)
            .alerts(subject.alerts.clone())
            .record_pause(Duration::ZERO);
        Self { process: Arc::clone(process), dispatcher, deliverer, patient }
    }

    /// Do all there is to do.
    pub(super) async fn live(&self) {
        let mut to_send = self.to_send();
        for _ in 0..PASSES_MAX {
            let moved = self.send(&mut to_send).await;
            let Some(due_ms) = self.pass().await else {
                if moved {
                    continue;
                }
                return;
            };
            if !moved && due_ms > self.process.world().now_ms() {
                if !self.patient {
                    return;
                }
                self.process.world().clock().advance_to(due_ms);
            }
        }
        self.process.world().find(Finding::NeverQuiet { hosts: 1 });
    }

    /// The events that a sender sends to this host: those that nobody has acknowledged; to a rival all of them, since their
    /// sender waits in vain for the host that stands still.
    fn to_send(&self) -> Vec<usize> {
        let world = self.process.world();
        let all = 0..world.subject().events.len();
        all.filter(|event| self.process.depth() > 0 || !world.is_acknowledged(*event)).collect()
    }

    /// Send what is to be sent; whether something was.
    async fn send(&self, to_send: &mut Vec<usize>) -> bool {
        let Some(number) = to_send.first().copied() else { return false };
        let world = self.process.world();
        let Some(sent) = world.subject().events.get(number) else { return false };
        match self.take_in(&sent.event).await {
            Ok(Intake::Claimed(work) | Intake::Known(work, _)) => {
                world.acknowledge(number, work);
                to_send.remove(0);
            }
            // A sender that hears of an error sends again.
            Err(error) if is_transient(&error) => {}
            Err(error) => {
                world.find(Finding::Refused { event: number + 1, why: with_causes(&error) });
                to_send.remove(0);
            }
        }
        true
    }

    /// An event arrives: it is claimed and run, or known.
    pub(super) async fn take_in(&self, event: &Event) -> Result<Intake, DispatchError> {
        let step = self.process.world().subject().first_step();
        match self.dispatcher.claim(step, event).await? {
            Claimed::Held(held) => {
                held.durable().wait().await?;
                let work = held.work().readable_key.clone();
                match held.run(&self.dispatcher).await.settle(&self.dispatcher).await {
                    // The event is on record; what became of the run is a worker's to find out.
                    Err(error) if !is_transient(&error) => Err(error),
                    _ => Ok(Intake::Claimed(work)),
                }
            }
            Claimed::Answered(answered) => Ok(Intake::Known(answered.readable_key, answered.standing)),
        }
    }

    /// Run and deliver what is due; when the next is due, where anything waits.
    async fn pass(&self) -> Option<i64> {
        let worked = self.dispatcher.run_once().await.map(|report| report.next_due_ms);
        let delivered = self.deliverer.run_once().await.map_err(DispatchError::from);
        let world = self.process.world();
        let now_ms = world.now_ms();
        // What a delivery has stopped is told in the next pass.
        let to_tell = |attempts: &[Attempt]| world.subject().alerts.is_some() && !attempts.is_empty();
        let delivered = delivered.map(|report| match to_tell(&report.attempts) {
            true => Some(now_ms),
            false => report.next_due_ms,
        });
        let mut next: Option<i64> = None;
        for due in [worked, delivered] {
            let due = match due {
                Ok(due) => due,
                Err(error) if is_transient(&error) => Some(now_ms),
                Err(error) => {
                    self.process.world().find(Finding::HostFailed { error: with_causes(&error) });
                    None
                }
            };
            next = next.into_iter().chain(due).min();
        }
        next
    }
}

/// What became of an event.
pub(super) enum Intake {
    /// It was new, and has been run.
    Claimed(String),
    /// It was known, and this is how its work stands.
    Known(String, Standing),
}

fn setup(process: &Arc<Process>, name: &str, destination: &SubjectDestination) -> DestinationSetup {
    let connector =
        Destination { process: Arc::clone(process), name: name.to_owned(), declared: destination.declared };
    DestinationSetup {
        name: name.to_owned(),
        envelope: destination.addressed(),
        tier: destination.declared,
        retention_ms: KEY_RETENTION_MS,
        settling_ms: if destination.declared == Tier::Lookup { SETTLING_MS } else { 0 },
        retry: RetryPolicy::default(),
        lease_ms: SENDER_LEASE_MS,
        // One after another, so that every run with one schedule is the same run.
        concurrency: 1,
        rate: None,
        breaker: None,
        connector: Arc::new(connector),
    }
}

fn is_transient(error: &DispatchError) -> bool {
    matches!(error, DispatchError::Store(error) if error.is_transient())
}
