//! How long a host takes from its start until it says that it is ready, with 50 different steps: compiled, and from the cache.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::sample::Spread;
use crate::served::start;
use crate::unit::{COMPONENT, STEP};
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;
use support::paths;
use support::workspace::Workspace;

/// Steps of the host.
const STEPS: usize = 50;

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let title = format!("Start until ready, {STEPS} steps of different content");
    let mut table = Table::new("start-up", title);
    let (mut cold, mut cached) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds().div_ceil(3) {
        let dir = bench.dir()?;
        let workspace = fifty_steps(dir.path())?;
        cold.push(started(&workspace)?);
        for _ in 0..3 {
            cached.push(started(&workspace)?);
        }
    }
    let (cold, cached) = (Spread::of(cold).median, Spread::of(cached).median);
    table.figures.push(Figure::new("cold, every step compiled", cold, "ms"));
    table.figures.push(Figure::new("cached", cached, "ms").beside(cold));
    Ok(table)
}

/// From the start until it says that it is ready, in milliseconds.
fn started(workspace: &Workspace) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let mut host = start(workspace);
    let ready = host.get("/readyz");
    let took = begun.elapsed();
    ensure!(ready.status() == Some(200), "a host that listens is not ready: {}", ready.text());
    host.stop();
    Ok(took.as_secs_f64() * 1_000.0)
}

/// A folder with the unit's step fifty times, under names of their own: no two have the same digest.
fn fifty_steps(dir: &Path) -> anyhow::Result<Workspace> {
    let mut config = "[runtime]\ncache_dir = \"cache\"\n".to_owned();
    let bytes = paths::step_bytes(COMPONENT);
    for number in 0..STEPS {
        let name = format!("stores-{number:04}");
        let file = format!("{name}.wasm");
        std::fs::write(dir.join(&file), renamed(&bytes, &name)?)
            .with_context(|| format!("writing {file}"))?;
        writeln!(config, "[[step]]\nplugin = {file:?}")?;
    }
    Workspace::with_config(dir, &config)
}

/// The component under another name of the same length.
fn renamed(bytes: &[u8], name: &str) -> anyhow::Result<Vec<u8>> {
    let (mut renamed, length) = (bytes.to_vec(), STEP.len());
    ensure!(name.len() == length, "{name:?} is not as long as {STEP:?}");
    let at = |bytes: &[u8]| bytes.windows(length).position(|window| window == STEP.as_bytes());
    let mut found = 0;
    while let Some(at) = at(&renamed) {
        renamed[at..at + length].copy_from_slice(name.as_bytes());
        found += 1;
    }
    ensure!(found > 0, "the step's file does not hold its name {STEP:?}");
    Ok(renamed)
}
