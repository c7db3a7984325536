//! One run: the ledger, the destinations, the model and time, shared by all hosts that live and die in it.

use crate::clock::Clock;
use crate::clock::sim::SimClock;
use crate::runtime::decide::with_causes;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::sqlite::SqliteStore;
use crate::verify::answers::Answers;
use crate::verify::fault::{Door, Fault};
use crate::verify::finding::Finding;
use crate::verify::host::Host;
use crate::verify::process::Process;
use crate::verify::reached::Reached;
use crate::verify::receiver::Receivers;
use crate::verify::schedule::Schedule;
use crate::verify::subject::Subject;
use crate::verify::tamper::Tamper;
use crate::verify::trace::Step;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// How far time moves while a host stands still, in milliseconds: past every lease of a step and of a sender, and far from
/// the time budgets.
const STANDSTILL_MS: i64 = 10 * 60_000;

/// Hosts that one place of a run may use up; far more than a schedule has deaths.
const LIVES_MAX: usize = 64;

/// How often the ledger's last user is waited for before it is the next owner's. Each wait lets all others go on.
const INHERIT_TRIES: usize = 10_000;

/// One run.
pub(super) struct World {
    subject: Arc<Subject>,
    schedule: Schedule,
    path: PathBuf,
    clock: Arc<SimClock>,
    ledger: Mutex<Option<Arc<SqliteStore>>>,
    receivers: Receivers,
    answers: Answers,
    seen: Mutex<Seen>,
}

/// What has happened so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) trace: Vec<Step>,
    pub(super) findings: Vec<Finding>,
    /// The works that events were told of, by the event's number.
    pub(super) acknowledged: BTreeMap<usize, String>,
    hosts: u32,
    /// No more faults, and no more points.
    over: bool,
}

impl World {
    pub(super) fn new(
        subject: &Arc<Subject>,
        schedule: Schedule,
        clock: &Arc<SimClock>,
        (path, store): (PathBuf, SqliteStore),
        answers: Answers,
    ) -> Arc<Self> {
        let really =
            subject.destinations.iter().map(|(name, destination)| (name.clone(), destination.really));
        Arc::new(Self {
            receivers: Receivers::new(really.collect()),
            subject: Arc::clone(subject),
            schedule,
            path,
            ledger: Mutex::new(Some(Arc::new(store))),
            clock: Arc::clone(clock),
            answers,
            seen: Mutex::default(),
        })
    }

    /// What is left of the ledger after the run, where nobody else has it.
    pub(super) fn leave(&self) -> Option<SqliteStore> {
        self.lock_ledger().take().and_then(Arc::into_inner)
    }

    /// A host lives, and another after it where it dies, until nothing is left to do. A patient one waits for what is due
    /// later; where others stand still, that ends their leases.
    pub(super) fn live(
        self: &Arc<Self>,
        depth: u32,
        patient: bool,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            for _ in 0..LIVES_MAX {
                let process = Arc::new(Process::new(Arc::clone(self), self.next_host(), depth));
                let host = Host::boot(&process, patient);
                let died = tokio::select! {
                    biased;
                    () = process.died() => true,
                    () = host.live() => false,
                };
                drop((host, process));
                if !died {
                    return;
                }
                // Beside a host that stands still the ledger stays open, as it does with a database server.
                if depth == 0
                    && let Err(error) = self.inherit().await
                {
                    self.find(Finding::HostFailed { error: with_causes(&error) });
                    return;
                }
            }
            self.find(Finding::NeverQuiet { hosts: LIVES_MAX });
        })
    }

    /// A point is reached; the fault that happens there.
    pub(super) fn reach(&self, host: u32, depth: u32, door: Door, what: &str) -> Option<Fault> {
        let mut seen = self.lock();
        if seen.over {
            return None;
        }
        let number = seen.trace.len();
        // One host at most stands still behind another: more would be the same again.
        let offered = |fault: &Fault| door.faults().contains(fault) && !(depth > 0 && fault.brings_a_rival());
        let fault = self.schedule.at(number).filter(offered);
        seen.trace.push(Step { number, host, depth, door, what: what.to_owned(), fault });
        fault
    }

    /// From here on nothing goes wrong any more.
    pub(super) fn end_faults(&self) {
        self.lock().over = true;
    }

    /// How many faults were asked for.
    pub(super) fn faults(&self) -> usize {
        self.schedule.len()
    }

    pub(super) fn end_leases(&self) {
        self.clock.advance(STANDSTILL_MS);
    }

    pub(super) fn find(&self, finding: Finding) {
        let findings = &mut self.lock().findings;
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }

    pub(super) fn acknowledge(&self, event: usize, work: String) {
        self.lock().acknowledged.entry(event).or_insert(work);
    }

    pub(super) fn is_acknowledged(&self, event: usize) -> bool {
        self.lock().acknowledged.contains_key(&event)
    }

    pub(super) fn take_seen(&self) -> Seen {
        std::mem::take(&mut *self.lock())
    }

    pub(super) fn subject(&self) -> &Arc<Subject> {
        &self.subject
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn clock(&self) -> Arc<SimClock> {
        Arc::clone(&self.clock)
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    pub(super) fn receivers(&self) -> &Receivers {
        &self.receivers
    }

    pub(super) fn answers(&self) -> &Answers {
        &self.answers
    }

    pub(super) fn tamper(&self) -> Arc<dyn Tamper> {
        Arc::clone(&self.subject.tamper)
    }

    /// The real ledger.
    pub(super) fn ledger(&self) -> Arc<dyn Store> {
        let ledger = self.lock_ledger();
        Arc::clone(ledger.as_ref().expect("it is open but while one host follows another")) as Arc<dyn Store>
    }

    /// The states that were entered in the run.
    pub(super) async fn reached(&self) -> Result<Reached, StoreError> {
        let ledger = self.lock_ledger().clone();
        match ledger {
            Some(ledger) => Ok(Reached::new(ledger.reached().await?)),
            None => Ok(Reached::default()),
        }
    }

    /// The last owner of the ledger has died: it is the next one's, as after a crash.
    async fn inherit(&self) -> Result<(), StoreError> {
        let mut ledger = self.lock_ledger().take();
        for _ in 0..INHERIT_TRIES {
            match ledger.take().map(Arc::try_unwrap) {
                Some(Err(used)) => {
                    ledger = Some(used);
                    tokio::task::yield_now().await;
                }
                Some(Ok(left)) => {
                    let next = left.inherited(Arc::clone(&self.clock) as Arc<dyn Clock>)?;
                    *self.lock_ledger() = Some(Arc::new(next.ok_or(StoreError::Stopped)?));
                    return Ok(());
                }
                None => break,
            }
        }
        Err(StoreError::Owned { path: self.path.clone() })
    }

    fn lock_ledger(&self) -> std::sync::MutexGuard<'_, Option<Arc<SqliteStore>>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_host(&self) -> u32 {
        let mut seen = self.lock();
        seen.hosts += 1;
        seen.hosts
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
