//! What it costs that there is much already: W, repeats and looks at ledgers of 10^4, 10^5 and 10^6 finished works.
//!
//! Owns the filling: by the ledger's own operations, many at once, and rows that are marked as sent by one statement, through
//! all constraints. The hosts stand beside each other and take turns.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::ledger_unit::{LedgerUnits, store_unit};
use crate::memory::{MIB, resident_bytes};
use crate::sample::{Sample, Series, Subject, in_turns, number};
use crate::served::{PLAIN, config, invoke_new, start_without_delivery, workspace};
use crate::unit::{Decision, Events};
use anyhow::Context as _;
use onceward::clock::SystemClock;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::service::Service;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Finished works of each ledger.
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// Callers at once.
const CALLERS: usize = 8;

/// How many fill a ledger at once.
const FILLERS: u64 = 256;

/// How much dearer the largest ledger may be than the smallest.
const FLAT: f64 = 1.3;

/// The rows of the filling are sent.
const SENT: &str = "UPDATE outbox SET state = 'sent', due_ms = NULL, attempt = 1, token = 1, envelope = '{}',
    first_attempt_ms = created_ms, receipt = x'7b7d', external_reference = '1' WHERE state = 'pending'";

/// What is looked at: the newest works, one state's, and the figures.
const LOOKS: [(&str, &str); 3] = [
    ("the newest 50 works", "/v1/works?limit=50"),
    ("works in review", "/v1/works?state=review"),
    ("the figures", "/metrics"),
];

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let mut table = Table::new("growth", "W, and looks, at ledgers that hold finished works already");
    let runtime = bench.runtime()?;
    let sizes = if bench.quick { &SIZES[..2] } else { &SIZES[..] };
    let mut hosts = Vec::new();
    for (dir, size) in filled(bench, &runtime, sizes, &mut table)? {
        let begun = Instant::now();
        let host = start_without_delivery(&workspace(dir.path(), &config(&PLAIN))?)?;
        table
            .notes
            .push(format!("At {size} works the host was ready after {} ms.", begun.elapsed().as_millis()));
        hosts.push((dir, size, host, Events::named(&format!("at-{size}"))));
    }
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for (_, _, host, events) in &hosts {
        subjects.push(Box::new(|| invoke_new(host, events, Decision::Rule, CALLERS, bench.length())));
    }
    for (_, path) in LOOKS {
        for (_, _, host, _) in &hosts {
            subjects.push(Box::new(move || looked(bench, host, path)));
        }
    }
    let series = in_turns(bench.rounds(), &mut subjects)?;
    drop(subjects);
    let told: Vec<&str> = std::iter::once("W, 8 callers").chain(LOOKS.map(|(what, _)| what)).collect();
    for (what, series) in told.into_iter().zip(series.chunks(hosts.len())) {
        table.figures.extend(beside_the_smallest(what, sizes, series));
    }
    if let Some((_, size, host, _)) = hosts.last() {
        let held = resident_bytes(host)? / MIB;
        table.figures.push(Figure::new(format!("memory of the host at {size} works"), held, "MiB"));
    }
    Ok(table)
}

/// Each size against the smallest: how many times as fast it is.
fn beside_the_smallest(what: &str, sizes: &[u64], series: &[Series]) -> Vec<Figure> {
    let Some(smallest) = series.first() else { return Vec::new() };
    let figure = |(size, series): (&u64, &Series)| {
        let figure = Figure::rate(format!("{what}, {size} works"), series);
        if std::ptr::eq(series, smallest) {
            return figure;
        }
        figure.over(series, smallest).at_least_of_floor((100.0 / FLAT).round() / 100.0)
    };
    sizes.iter().zip(series).map(figure).collect()
}

fn looked(bench: &Bench, host: &Service, path: &str) -> anyhow::Result<Sample> {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < bench.length() / 4 {
        let begun = Instant::now();
        let answer = host.get(path);
        anyhow::ensure!(answer.status() == Some(200), "{path} was answered {}", answer.text());
        times.push(begun.elapsed());
    }
    Sample::of(&times)
}

/// A ledger of each size, each a copy of what the next one grew from.
fn filled(
    bench: &Bench,
    runtime: &Runtime,
    sizes: &[u64],
    table: &mut Table,
) -> anyhow::Result<Vec<(TempDir, u64)>> {
    let growing = bench.dir()?;
    let path = growing.path().join("onceward.db");
    let units = Arc::new(LedgerUnits::named("fill"));
    let (mut copies, mut works) = (Vec::new(), 0);
    for size in sizes {
        let begun = Instant::now();
        fill(&path, runtime, &units, size - works)?;
        works = *size;
        let copy = bench.dir()?;
        std::fs::copy(&path, copy.path().join("onceward.db")).context("copying a filled ledger")?;
        let bytes = std::fs::metadata(&path).context("looking at a filled ledger")?.len();
        if Some(size) == sizes.last() {
            let each = number(bytes) / number(works);
            table.figures.push(Figure::new("bytes on disk a work", each, "B"));
        }
        eprintln!("bench: a ledger of {size} works after {} s", begun.elapsed().as_secs());
        copies.push((copy, *size));
    }
    Ok(copies)
}

/// Add so many finished works, and leave the file whole.
fn fill(path: &Path, runtime: &Runtime, units: &Arc<LedgerUnits>, works: u64) -> anyhow::Result<()> {
    let settings = SqliteSettings { path: path.to_owned(), max_bytes: None };
    let store = Arc::new(SqliteStore::open(&settings, Arc::new(SystemClock))?);
    runtime.block_on(async {
        let mut fillers = JoinSet::new();
        for filler in 0..FILLERS {
            let (store, units) = (Arc::clone(&store), Arc::clone(units));
            // The shares of all of them are the works.
            let share = (works + filler) / FILLERS;
            fillers.spawn(async move {
                for _ in 0..share {
                    store_unit(&*store, &units).await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(filled) = fillers.join_next().await {
            filled.context("filling a ledger")??;
        }
        anyhow::Ok(())
    })?;
    drop(store);
    let connection = rusqlite::Connection::open(path).context("opening a filled ledger")?;
    connection.busy_timeout(Duration::from_secs(60)).context("opening a filled ledger")?;
    connection.execute(SENT, []).context("marking the filled rows as sent")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).context("moving the log")?;
    Ok(())
}
