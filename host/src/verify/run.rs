//! One run under a schedule, from an empty ledger to its outcome. Runs with one schedule are one and the same: time is
//! simulated, chance is seeded, and everything happens on one thread.

use crate::clock::sim::SimClock;
use crate::dispatch::step::DispatchError;
use crate::runtime::decide::with_causes;
use crate::store::claim::Standing;
use crate::verify::answers::{Answers, Fixed, Question};
use crate::verify::finding::Finding;
use crate::verify::host::{Host, Intake};
use crate::verify::ledgers::Ledgers;
use crate::verify::outcome::Outcome;
use crate::verify::people;
use crate::verify::process::Process;
use crate::verify::reached::Reached;
use crate::verify::schedule::Schedule;
use crate::verify::subject::Subject;
use crate::verify::told;
use crate::verify::trace::Step;
use crate::verify::world::World;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

pub use crate::verify::ledgers::RunError;

/// Rounds in which people act, besides one for each fault, which may put something in doubt, and two for each step, which may
/// ask for a person's word about what it decides and about what it sends. What is not right after them does not get right.
const ROUNDS: usize = 3;

/// Rounds for each step.
const ROUNDS_A_STEP: usize = 2;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What happened, point by point.
    pub trace: Vec<Step>,
    /// What it came to.
    pub outcome: Outcome,
    /// The states that works, rows, decisions and handoffs were in.
    pub reached: Reached,
    /// What is wrong with it by itself.
    pub findings: Vec<Finding>,
    /// What was answered to each question that a model was asked.
    pub given: BTreeMap<Question, Vec<String>>,
    /// What a model said last to each question that it was asked.
    pub last: Fixed,
    /// How often models were asked.
    pub calls: u64,
    /// Why answers could not be made up.
    pub troubles: Vec<String>,
}

/// Where runs of one subject take place.
pub struct Stage {
    subject: Arc<Subject>,
    ledgers: Ledgers,
}

impl Stage {
    /// A stage, with a ledger in which the steps' contracts are recorded; each run begins with a copy of it.
    ///
    /// # Errors
    /// [`RunError`], where the machine does not allow it.
    pub fn new(subject: &Arc<Subject>) -> Result<Self, RunError> {
        Ok(Self { subject: Arc::clone(subject), ledgers: alone(Ledgers::new(subject))? })
    }

    /// What runs here.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Run once. `fixed` answers are given to their questions; other questions get another answer each time.
    ///
    /// # Errors
    /// [`RunError`], where the machine does not allow it.
    pub fn run(&self, schedule: &Schedule, fixed: Fixed) -> Result<Observed, RunError> {
        let clock = Arc::new(SimClock::default());
        let (place, store) = self.ledgers.lend(&clock)?;
        let answers = Answers::new(self.subject.answers.clone(), fixed);
        let world = World::new(&self.subject, schedule.clone(), &clock, (place.path(), store), answers);
        let observed = alone(observe(&world));
        self.ledgers.give_back(place, world.leave());
        observed
    }
}

/// Run on this thread alone.
fn alone<T>(work: impl Future<Output = Result<T, RunError>>) -> Result<T, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(RunError::Runtime)?;
    let done = runtime.block_on(work);
    // What dead hosts left behind waits at closed doors for ever.
    runtime.shutdown_background();
    done
}

async fn observe(world: &Arc<World>) -> Result<Observed, RunError> {
    world.live(0, true).await;
    for _ in 0..ROUNDS + world.faults() + ROUNDS_A_STEP * world.subject().steps.len() {
        let ledger = world.ledger();
        if let Some(alerts) = &world.subject().alerts {
            told::missing(&*ledger, alerts).await?.into_iter().for_each(|untold| world.find(untold));
        }
        let acts = people::act(&*ledger, world.receivers()).await?;
        drop(ledger);
        if acts == 0 {
            break;
        }
        world.live(0, true).await;
    }
    world.end_faults();
    repeat(world).await?;
    world.live(0, true).await;
    let outcome = Outcome::read(&*world.ledger(), &world.receivers().written(), world.subject()).await?;
    let reached = world.reached().await?;
    let answers = world.answers();
    let (given, last) = (answers.given(), answers.last());
    let (calls, troubles) = (answers.calls(), answers.troubles());
    let seen = world.take_seen();
    let mut findings = seen.findings;
    findings.extend(collapsed(&seen.acknowledged));
    Ok(Observed { trace: seen.trace, outcome, reached, findings, given, last, calls, troubles })
}

/// Every event arrives again, when all is done.
async fn repeat(world: &Arc<World>) -> Result<(), RunError> {
    let process = Arc::new(Process::new(Arc::clone(world), 0, 0));
    let host = Host::boot(&process, true);
    for (number, sent) in world.subject().events.iter().enumerate() {
        // What was refused at first is a finding already.
        if !world.is_acknowledged(number) {
            continue;
        }
        for again in std::iter::once(&sent.event).chain(&sent.again) {
            let event = number + 1;
            match host.take_in(again).await {
                Ok(Intake::Claimed(work)) => world.find(Finding::RepeatIsNew { event, work }),
                Ok(Intake::Known(_, Standing::Mismatch { .. })) => {
                    let why = "it has the identity of the first, and other content".to_owned();
                    world.find(Finding::RepeatRefused { event, why });
                }
                Ok(Intake::Known(..)) => {}
                Err(DispatchError::Store(error)) => return Err(error.into()),
                Err(error) => world.find(Finding::RepeatRefused { event, why: with_causes(&error) }),
            }
        }
    }
    Ok(())
}

/// Events that became one work.
fn collapsed(acknowledged: &BTreeMap<usize, String>) -> Option<Finding> {
    let mut first_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, work) in acknowledged {
        if let Some(first) = first_of.insert(work, *number) {
            return Some(Finding::Collapsed { first: first + 1, second: number + 1, work: work.clone() });
        }
    }
    None
}
