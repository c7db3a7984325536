//! The search: every single fault, then pairs, then deeper schedules by chance, until one fails or the budget is used up.

use crate::clock::Clock;
use crate::clock::sim::SimClock;
use crate::verify::fault::Fault;
use crate::verify::finding::Finding;
use crate::verify::judge::Judge;
use crate::verify::reached::{Reached, StatesOf};
use crate::verify::run::{Observed, RunError};
use crate::verify::schedule::Schedule;
use crate::verify::subject::Subject;
use crate::verify::trace::Step;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Faults of a deeper schedule, at least and at most.
const DEEP_FAULTS: (u64, u64) = (3, 6);

/// Points past the end of a clean run at which a deeper schedule may still have a fault: faults make runs longer.
const DEEP_BEYOND: u64 = 20;

/// What a search may cost.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How long pairs and deeper schedules are tried. Single faults are all tried, whatever it takes.
    pub time: Duration,
    /// Deeper schedules.
    pub deep: usize,
    /// Where their chance begins.
    pub seed: u64,
    /// Runs at once.
    pub workers: usize,
}

/// Which part of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// One fault at every place.
    Single,
    /// Two faults.
    Pairs,
    /// Several, by chance.
    Deep,
}

/// How far a phase is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Which.
    pub phase: Phase,
    /// Runs that were made.
    pub done: usize,
    /// Runs that there are.
    pub of: usize,
}

/// What a phase came to.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseReport {
    /// Which.
    pub phase: Phase,
    /// Runs that there are.
    pub schedules: usize,
    /// Runs that were made.
    pub tried: usize,
    /// How long they took, in milliseconds.
    pub took_ms: u64,
}

/// A run that is not as good as one without faults.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its faults, as few as make it fail.
    pub schedule: Schedule,
    /// What happened.
    pub observed: Observed,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The points of the run without faults.
    pub points: usize,
    /// What the run without faults came to, by its parts.
    pub clean: BTreeMap<String, String>,
    /// The phases that were begun.
    pub phases: Vec<PhaseReport>,
    /// How often each fault has happened.
    pub faults: BTreeMap<Fault, u64>,
    /// How often each state of works, rows, decisions and handoffs was entered, in all runs.
    pub states: Vec<StatesOf>,
    /// How many distinct outcomes there were.
    pub outcomes: usize,
    /// Why answers could not be made up.
    pub troubles: Vec<String>,
    /// The first failure, shrunk.
    pub failure: Option<Failure>,
}

/// Search.
///
/// # Errors
/// [`RunError`], where the machine does not allow it.
pub fn search(
    subject: &Arc<Subject>,
    budget: Budget,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, RunError> {
    let judge = Judge::new(subject)?;
    let mut search = Search {
        judge: &judge,
        workers: budget.workers,
        progress,
        tally: Mutex::default(),
        report: Report {
            points: judge.clean().trace.len(),
            clean: judge.clean().outcome.parts.clone(),
            phases: Vec::new(),
            faults: BTreeMap::new(),
            states: Vec::new(),
            outcomes: 0,
            troubles: judge.clean().troubles.clone(),
            failure: None,
        },
    };
    search.whole(budget)?;
    let Search { tally, mut report, .. } = search;
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.faults = tally.faults;
    report.states = tally.reached.all(&subject.stages);
    report.outcomes = tally.outcomes.len();
    Ok(report)
}

/// One run again, for its story.
///
/// # Errors
/// [`RunError`], where the machine does not allow it.
pub fn replay(subject: &Arc<Subject>, schedule: &Schedule) -> Result<Failure, RunError> {
    let (observed, findings) = Judge::new(subject)?.try_out(schedule)?;
    Ok(Failure { schedule: schedule.clone(), observed, findings })
}

#[derive(Default)]
struct Tally {
    faults: BTreeMap<Fault, u64>,
    reached: Reached,
    outcomes: BTreeSet<String>,
}

struct Search<'a> {
    judge: &'a Judge,
    workers: usize,
    progress: &'a (dyn Fn(Progress) + Sync),
    tally: Mutex<Tally>,
    report: Report,
}

impl Search<'_> {
    fn whole(&mut self, budget: Budget) -> Result<(), RunError> {
        let (schedule, clean) = (Schedule::clean(), self.judge.clean());
        self.count(clean);
        // A step that is wrong without any fault is told so first.
        let findings = self.judge.findings(&schedule, clean)?;
        if !findings.is_empty() {
            self.report.failure = Some(Failure { schedule, observed: clean.clone(), findings });
            return Ok(());
        }
        let singles = after(&schedule, &clean.trace, None);
        let (traces, failed) = self.phase(Phase::Single, &singles, None)?;
        if self.keep(failed)? {
            return Ok(());
        }
        let until = Instant::now() + budget.time;
        let mut pairs: Vec<Schedule> = traces
            .iter()
            .flat_map(|(schedule, trace)| {
                let last = schedule.faults().last().map(|(point, _)| point);
                after(schedule, trace, last)
            })
            .collect();
        // In an order by chance, so that a budget that ends early has tried some of all.
        let chance = SimClock::seeded(budget.seed);
        shuffle(&mut pairs, &chance);
        // A quarter of the time is left for the deeper ones.
        let (_, failed) = self.phase(Phase::Pairs, &pairs, Some(until - budget.time / 4))?;
        if self.keep(failed)? {
            return Ok(());
        }
        let deep: Vec<Schedule> = (0..budget.deep).map(|_| self.deeper(&chance)).collect();
        let (_, failed) = self.phase(Phase::Deep, &deep, Some(until))?;
        self.keep(failed)?;
        Ok(())
    }

    /// A schedule by chance.
    fn deeper(&self, chance: &SimClock) -> Schedule {
        let (least, most) = DEEP_FAULTS;
        let count = least + chance.random_up_to(most - least);
        let points = self.judge.clean().trace.len() as u64 + DEEP_BEYOND;
        (0..count).fold(Schedule::clean(), |schedule, _| {
            let point = usize::try_from(chance.random_up_to(points)).unwrap_or(usize::MAX);
            let door = self.judge.clean().trace.get(point).map(|step| step.door);
            // What a point past the end is, nobody knows; a fault that it does not offer does not happen.
            let offered = door.map_or(&Fault::ALL[..], |door| door.faults());
            let place = chance.random_up_to(offered.len() as u64 - 1);
            schedule.and(point, offered[usize::try_from(place).unwrap_or(0)])
        })
    }

    fn phase(
        &mut self,
        phase: Phase,
        schedules: &[Schedule],
        until: Option<Instant>,
    ) -> Result<(Traces, Option<Schedule>), RunError> {
        let begun = Instant::now();
        let found = self.phase_of(phase, schedules, until)?;
        let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let tried = found.0.len();
        self.report.phases.push(PhaseReport { phase, schedules: schedules.len(), tried, took_ms });
        Ok(found)
    }

    /// Try schedules, several at once, until one fails; the traces of all that were tried, and the first that failed.
    fn phase_of(
        &self,
        phase: Phase,
        schedules: &[Schedule],
        until: Option<Instant>,
    ) -> Result<(Traces, Option<Schedule>), RunError> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found: Mutex<Vec<(usize, Result<Tried, RunError>)>> = Mutex::default();
        let failed_at = AtomicUsize::new(usize::MAX);
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::SeqCst);
                let Some(schedule) = schedules.get(place) else { return };
                let late = until.is_some_and(|until| Instant::now() >= until);
                if late || place > failed_at.load(Ordering::SeqCst) {
                    return;
                }
                let tried = self.judge.try_out(schedule).map(|(observed, findings)| {
                    self.count(&observed);
                    if !findings.is_empty() {
                        failed_at.fetch_min(place, Ordering::SeqCst);
                    }
                    Tried { trace: observed.trace, failed: !findings.is_empty() }
                });
                if tried.is_err() {
                    failed_at.fetch_min(place, Ordering::SeqCst);
                }
                found.lock().unwrap_or_else(PoisonError::into_inner).push((place, tried));
                let done = done.fetch_add(1, Ordering::SeqCst) + 1;
                (self.progress)(Progress { phase, done, of: schedules.len() });
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.workers.max(1) {
                scope.spawn(work);
            }
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // In the order of the schedules, so that the first failure is the same however many run at once.
        found.sort_by_key(|(place, _)| *place);
        let (mut traces, mut failed) = (Vec::new(), None);
        for (place, tried) in found {
            let tried = tried?;
            if tried.failed && failed.is_none() {
                failed = Some(schedules[place].clone());
            }
            traces.push((schedules[place].clone(), tried.trace));
        }
        Ok((traces, failed))
    }

    /// Keep a failure, with as few faults as make it fail; whether there was one.
    fn keep(&mut self, failed: Option<Schedule>) -> Result<bool, RunError> {
        let Some(mut schedule) = failed else { return Ok(false) };
        while let Some(smaller) = self.smaller(&schedule)? {
            schedule = smaller;
        }
        let (observed, findings) = self.judge.try_out(&schedule)?;
        self.report.failure = Some(Failure { schedule, observed, findings });
        Ok(true)
    }

    /// The schedule without one of its faults, where it fails all the same.
    fn smaller(&self, schedule: &Schedule) -> Result<Option<Schedule>, RunError> {
        for (point, _) in schedule.faults() {
            let smaller = schedule.without(point);
            if !self.judge.try_out(&smaller)?.1.is_empty() {
                return Ok(Some(smaller));
            }
        }
        Ok(None)
    }

    fn count(&self, observed: &Observed) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        for fault in observed.trace.iter().filter_map(|step| step.fault) {
            *tally.faults.entry(fault).or_default() += 1;
        }
        tally.reached.add(&observed.reached);
        tally.outcomes.insert(format!("{:?}", observed.outcome.parts));
    }
}

/// Schedules with their traces.
type Traces = Vec<(Schedule, Vec<Step>)>;

struct Tried {
    trace: Vec<Step>,
    failed: bool,
}

/// A schedule with one fault more, at every point after the last, of every kind that is offered there.
fn after(schedule: &Schedule, trace: &[Step], last: Option<usize>) -> Vec<Schedule> {
    let later = trace.iter().filter(|step| last.is_none_or(|last| step.number > last));
    later.flat_map(|step| step.offers().map(|fault| schedule.and(step.number, fault))).collect()
}

/// Fisher and Yates (1938), in the form of Durstenfeld (1964).
fn shuffle(schedules: &mut [Schedule], chance: &SimClock) {
    for place in (1..schedules.len()).rev() {
        let other = usize::try_from(chance.random_up_to(place as u64)).unwrap_or(0);
        schedules.swap(place, other);
    }
}
