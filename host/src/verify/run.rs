//! One run under a schedule, from an empty ledger to its outcome. Runs with one schedule are one and the same: time is
//! simulated, chance is seeded, and everything happens on one thread.

use crate::dispatch::step::DispatchError;
use crate::runtime::decide::with_causes;
use crate::store::claim::Standing;
use crate::store::error::StoreError;
use crate::verify::answers::{Answers, Question};
use crate::verify::finding::Finding;
use crate::verify::host::{Host, Intake};
use crate::verify::outcome::Outcome;
use crate::verify::people;
use crate::verify::process::Process;
use crate::verify::schedule::Schedule;
use crate::verify::subject::{NAMESPACE, Subject};
use crate::verify::trace::Step;
use crate::verify::world::World;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// Rounds in which people act. What is not right after them does not get right.
const ROUNDS_MAX: usize = 3;

/// The ledger's file within a run's folder.
const LEDGER: &str = "verify.db";

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no folder for its ledger.
    #[error("making a run: there is no folder for its ledger; free disk space, or set TMPDIR")]
    Folder(#[source] std::io::Error),
    /// There is no runtime.
    #[error("making a run: the async runtime can't be started")]
    Runtime(#[source] std::io::Error),
    /// The ledger failed, and no fault explains it.
    #[error("making a run: its ledger failed")]
    Ledger(#[from] StoreError),
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What happened, point by point.
    pub trace: Vec<Step>,
    /// What it came to.
    pub outcome: Outcome,
    /// What is wrong with it by itself.
    pub findings: Vec<Finding>,
    /// What was answered to each question that a model was asked.
    pub given: BTreeMap<Question, Vec<String>>,
    /// How often models were asked.
    pub calls: u64,
    /// Why answers could not be made up.
    pub troubles: Vec<String>,
}

/// Where runs of one subject take place.
pub struct Stage {
    subject: Arc<Subject>,
    folder: TempDir,
}

impl Stage {
    /// A stage, with a ledger in which the steps' contracts are recorded; each run begins with a copy of it.
    ///
    /// # Errors
    /// [`RunError`], where the machine does not allow it.
    pub fn new(subject: &Arc<Subject>) -> Result<Self, RunError> {
        let folder = tempfile::tempdir().map_err(RunError::Folder)?;
        let stage = Self { subject: Arc::clone(subject), folder };
        let world = World::new(subject, Schedule::clean(), stage.ledger(), Answers::default())?;
        alone(async {
            for step in &subject.steps {
                world.ledger().contract_register(NAMESPACE, step.plugin.contract()).await?;
            }
            Ok(())
        })?;
        // Whoever closes a ledger last leaves all of it in the one file.
        drop(world);
        Ok(stage)
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
    pub fn run(
        &self,
        schedule: &Schedule,
        fixed: BTreeMap<Question, Option<String>>,
    ) -> Result<Observed, RunError> {
        let folder = tempfile::tempdir_in(self.folder.path()).map_err(RunError::Folder)?;
        let ledger = folder.path().join(LEDGER);
        std::fs::copy(self.ledger(), &ledger).map_err(RunError::Folder)?;
        let answers = Answers::new(self.subject.answers.clone(), fixed);
        let world = World::new(&self.subject, schedule.clone(), ledger, answers)?;
        alone(observe(&world))
    }

    fn ledger(&self) -> PathBuf {
        self.folder.path().join(LEDGER)
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
    for _ in 0..ROUNDS_MAX {
        if people::act(&*world.ledger(), world.receivers()).await? == 0 {
            break;
        }
        world.live(0, true).await;
    }
    world.end_faults();
    repeat(world).await?;
    world.live(0, true).await;
    let outcome = Outcome::read(&*world.ledger(), &world.receivers().written()).await?;
    let (given, calls, troubles) =
        (world.answers().given(), world.answers().calls(), world.answers().troubles());
    let seen = world.take_seen();
    let mut findings = seen.findings;
    findings.extend(collapsed(&seen.acknowledged));
    Ok(Observed { trace: seen.trace, outcome, findings, given, calls, troubles })
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
