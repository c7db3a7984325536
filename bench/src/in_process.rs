//! W in this process: the ledger's operations alone, and a claimed, run and settled step.
//!
//! Owns no server and no connection. Each caller is a thread that waits for its unit, as the floor's are.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::floor::{Commits, Floor};
use crate::ledger_unit::{LedgerUnits, store_unit};
use crate::sample::{Sample, Subject, drive, in_turns, number};
use crate::unit::{COMPONENT, Decision, Events, STEP, event};
use anyhow::{Context as _, bail};
use onceward::clock::SystemClock;
use onceward::dispatch::end::End;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use std::sync::Arc;
use std::time::Duration;
use support::host::{HostBuilder, TestHost};
use tokio::runtime::Runtime;

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let mut table =
        Table::new("in-process", "W in process, beside bare SQLite with one writer and group commit");
    let runtime = bench.runtime()?;
    for callers in bench.callers() {
        let dir = bench.dir()?;
        let (floor, length) = (Floor::open(dir.path())?, bench.length());
        let path = dir.path().join("ledger.db");
        let store = SqliteStore::open(&SqliteSettings { path, max_bytes: None }, Arc::new(SystemClock))?;
        let units = LedgerUnits::named("ledger");
        let host_dir = bench.dir()?;
        let host = runtime.block_on(HostBuilder::new(host_dir.path()).step(COMPONENT).start());
        let events = Events::named("sandbox");
        let (mut done, mut commits) = (0, 0);
        let mut subjects: [Subject<'_>; 4] = [
            Box::new(|| floor.drive(callers, length, Commits::One)),
            Box::new(|| floor.drive(callers, length, Commits::Two)),
            Box::new(|| {
                let before = store.commits();
                let sample = drive(callers, length, |_| Ok(|| runtime.block_on(store_unit(&store, &units))))?;
                done += sample.done();
                commits += store.commits() - before;
                Ok(sample)
            }),
            Box::new(|| sandboxed(&runtime, &host, &events, callers, length)),
        ];
        let series = in_turns(bench.rounds(), &mut subjects)?;
        drop(subjects);
        let [one, two, ledger, sandboxed] = &series[..] else { bail!("four subjects have four series") };
        let s = if callers == 1 { "" } else { "s" };
        let named = |what: &str| format!("{what}, {callers} caller{s}");
        table.figures.push(Figure::rate(named("floor, one commit"), one));
        table.figures.push(Figure::rate(named("floor, two commits"), two));
        table
            .figures
            .push(Figure::rate(named("ledger alone"), ledger).over(ledger, two).at_least_of_floor(0.8));
        table.figures.push(
            Figure::rate(named("through the sandbox"), sandboxed).over(sandboxed, two).at_least_of_floor(0.8),
        );
        table.notes.push(format!(
            "Ledger alone, {callers} caller{s}: {:.2} transactions a unit.",
            number(commits) / number(done.max(1))
        ));
    }
    Ok(table)
}

fn sandboxed(
    runtime: &Runtime,
    host: &TestHost,
    events: &Events,
    callers: usize,
    length: Duration,
) -> anyhow::Result<Sample> {
    drive(callers, length, |_| {
        Ok(|| {
            let event = event(&events.id(), Decision::Rule)?;
            let ended = runtime.block_on(host.run(STEP, &event)).context("running a step in process")?;
            match ended.map(|ended| ended.end) {
                Ok(End::Done { .. }) => Ok(()),
                other => bail!("a unit in process came to {other:?}"),
            }
        })
    })
}
