//! W over HTTP: a real host, real connections, a sandboxed step; and the same event again and again.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::floor::{Commits, Floor};
use crate::memory::processor_micros;
use crate::sample::{Sample, Subject, in_turns, number};
use crate::served::{PLAIN, ask_health, config, invoke, invoke_new, start_without_delivery, workspace};
use crate::unit::{Decision, Events, STEP, event_text};
use anyhow::bail;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::service::Service;

/// Duplicates a second that are aimed at, with so many callers.
const DUPLICATES_AIM: (usize, f64) = (8, 20_000.0);

/// Different events that duplicates are of.
const REPEATED: usize = 1_000;

/// W through a sandboxed step.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let title = "W over HTTP through a sandboxed step, beside bare SQLite in the same rounds";
    let mut table = Table::new("http", title);
    for callers in bench.callers() {
        let (dir, host_dir, length) = (bench.dir()?, bench.dir()?, bench.length());
        let floor = Floor::open(dir.path())?;
        let mut host = start_without_delivery(&workspace(host_dir.path(), &config(&PLAIN))?)?;
        let (ruled, asked) = (Events::named("ruled"), Events::named("asked"));
        let mut spent = Spent::default();
        let mut subjects: [Subject<'_>; 4] = [
            Box::new(|| floor.drive(callers, length, Commits::One)),
            Box::new(|| floor.drive(callers, length, Commits::Two)),
            Box::new(|| spent.of(&host, || invoke_new(&host, &ruled, Decision::Rule, callers, length))),
            Box::new(|| invoke_new(&host, &asked, Decision::Model, callers, length)),
        ];
        let series = in_turns(bench.rounds(), &mut subjects)?;
        drop(subjects);
        let [one, two, ruled, asked] = &series[..] else { bail!("four subjects have four series") };
        let s = if callers == 1 { "" } else { "s" };
        let named = |what: &str| format!("{what}, {callers} caller{s}");
        table.figures.push(Figure::rate(named("floor, one commit"), one));
        table.figures.push(Figure::rate(named("floor, two commits"), two));
        let figure = Figure::rate(named("W"), ruled).over(ruled, two).at_least_of_floor(0.5);
        let tail = callers == bench.callers().into_iter().max().unwrap_or_default();
        table.figures.push(if tail { figure.tail_at_most(3.0) } else { figure });
        table.figures.push(Figure::rate(named("W with a model asked"), asked).over(asked, two));
        table.figures.push(Figure::new(named("the host's processor time a unit"), spent.each(), "µs"));
        host.stop();
    }
    Ok(table)
}

/// Repeats of events that are on record.
pub(crate) fn duplicates(bench: &Bench) -> anyhow::Result<Table> {
    let title = "Duplicates answered over HTTP with the first result, beside a route that touches no ledger";
    let mut table = Table::new("duplicates", title);
    let (dir, length) = (bench.dir()?, bench.length());
    let mut host = start_without_delivery(&workspace(dir.path(), &config(&PLAIN))?)?;
    let bodies: Vec<String> =
        (0..REPEATED).map(|number| event_text(&format!("known-{number}"), Decision::Rule)).collect();
    let given = AtomicUsize::new(0);
    let next = || {
        let at = given.fetch_add(1, Ordering::Relaxed);
        bodies[at % REPEATED].clone()
    };
    // Each of them once, so that all that is sent from here on is a repeat.
    while given.load(Ordering::Relaxed) < REPEATED {
        invoke(&host, STEP, 8, Duration::from_millis(200), |_| next)?;
    }
    for callers in bench.callers() {
        let mut spent = Spent::default();
        let mut subjects: [Subject<'_>; 2] = [
            Box::new(|| ask_health(&host, callers, length)),
            Box::new(|| spent.of(&host, || invoke(&host, STEP, callers, length, |_| next))),
        ];
        let series = in_turns(bench.rounds(), &mut subjects)?;
        drop(subjects);
        let [floor, repeats] = &series[..] else { bail!("two subjects have two series") };
        let s = if callers == 1 { "" } else { "s" };
        let figure = Figure::rate(format!("duplicates, {callers} caller{s}"), repeats).over(repeats, floor);
        let aimed = callers == DUPLICATES_AIM.0;
        table.figures.push(if aimed { figure.at_least(DUPLICATES_AIM.1) } else { figure });
        let what = format!("the host's processor time a duplicate, {callers} caller{s}");
        table.figures.push(Figure::new(what, spent.each(), "µs"));
    }
    host.stop();
    Ok(table)
}

/// How long the host's process used a processor, and for how many calls.
#[derive(Default)]
struct Spent {
    micros: f64,
    calls: u64,
}

impl Spent {
    fn of(
        &mut self,
        host: &Service,
        calls: impl FnOnce() -> anyhow::Result<Sample>,
    ) -> anyhow::Result<Sample> {
        let before = processor_micros(host)?;
        let sample = calls()?;
        self.micros += processor_micros(host)? - before;
        self.calls += sample.done();
        Ok(sample)
    }

    fn each(&self) -> f64 {
        self.micros / number(self.calls.max(1))
    }
}
