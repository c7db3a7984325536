//! The machine that figures are of: processor, memory, kernel, file system, and what its disk can confirm.
//!
//! What the system does not tell is said to be unknown; it ends no measurement.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::sample::{Sample, Series, Subject, in_turns};
use anyhow::Context as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// What is appended before each `fdatasync`, in bytes: a page.
const PAGE_BYTES: usize = 4_096;

/// The machine, and how many pages a second its disk confirms to one writer.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let dir = bench.dir()?;
    let mut subjects: [Subject<'_>; 1] = [Box::new(|| synced(bench, dir.path()))];
    let series = in_turns(bench.rounds(), &mut subjects)?;
    let mut table = Table::new("machine", "The machine, and how often its disk confirms an appended page");
    if let [series] = &series[..] {
        table.figures.push(rate(series));
    }
    table.notes.push(format!("{}.", told(dir.path())));
    Ok(table)
}

fn rate(series: &Series) -> Figure {
    Figure::rate("fdatasync of an appended page", series)
}

fn synced(bench: &Bench, dir: &Path) -> anyhow::Result<Sample> {
    let mut file = File::create(dir.join("synced")).context("making a file to sync")?;
    let (begun, page, mut times) = (Instant::now(), [0; PAGE_BYTES], Vec::new());
    while begun.elapsed() < bench.length() {
        let begun = Instant::now();
        file.write_all(&page).and_then(|()| file.sync_data()).context("syncing a page")?;
        times.push(begun.elapsed());
    }
    Sample::of(&times)
}

/// The machine in words.
fn told(dir: &Path) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = field("/proc/cpuinfo", "model name");
    let memory = field("/proc/meminfo", "MemTotal");
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let (file_system, kernel) = (file_system(dir), kernel.trim());
    format!("{cores} cores of {model}, {memory} of memory, Linux {kernel}, {file_system}")
}

fn field(path: &str, name: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or(": unknown");
    line.trim_start_matches([' ', '\t', ':']).to_owned()
}

/// The type of the file system that a folder is on: that of the longest mount point above it.
fn file_system(dir: &Path) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let above = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (point, kind) = (fields.next()?, fields.next()?);
        dir.starts_with(point).then_some((point.len(), kind))
    });
    above.max_by_key(|(length, _)| *length).map_or("an unknown file system", |(_, kind)| kind).to_owned()
}
