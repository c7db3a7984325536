//! What the host's process holds: idle, and for each run that is under way.
//!
//! Memory is what the system counts as resident, less what is shared with files: the ledger's pages are the page cache's.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::sample::{number, wait};
use crate::served::{PLAIN, Setting, config, invoke, start, workspace};
use anyhow::Context as _;
use std::time::Duration;
use support::paths;
use support::service::Service;

/// Runs at once.
const RUNS: usize = 64;

/// How long the model takes that the runs wait for, in milliseconds.
const MODEL_MS: u64 = 3_000;

/// When memory is looked at after the runs began, in milliseconds.
const LOOK_MS: u64 = 1_500;

/// Microseconds of a tick of the system's clock, which has been the same on all of Linux for decades.
const MICROS_A_TICK: f64 = 10_000.0;

/// Bytes of a mebibyte.
pub(crate) const MIB: f64 = 1_048_576.0;

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let mut table = Table::new("memory", "Memory of the host's process");
    let more = format!(
        "[[step]]\nplugin = {:?}\nmodels = [\"slow\"]\n[model.slow]\nkind = \"scripted\"\nrules = \"oracle.rules.json\"\ndelay_ms = {MODEL_MS}\n",
        paths::step("sleeps_in_host").display().to_string()
    );
    // The step asks for the model by the name `oracle`.
    let config = config(&Setting { runtime: &format!("instances = {RUNS}"), more: &more, ..PLAIN })
        .replace("[model.oracle]", "[model.fast]")
        .replace("[model.slow]", "[model.oracle]")
        .replace("\"slow\"", "\"oracle\"");
    let dir = bench.dir()?;
    let host = start(&workspace(dir.path(), &config)?);
    let idle = resident_bytes(&host)?;
    let asked = &host;
    let running = std::thread::scope(|scope| -> anyhow::Result<f64> {
        let length = Duration::from_millis(1);
        let callers = scope.spawn(move || {
            invoke(asked, "sleeps-in-host", RUNS, length, |caller| {
                let mut call = 0;
                move || {
                    call += 1;
                    format!(r#"{{"source":"bench","id":"{caller}-{call}","data":{{"n":{caller}}}}}"#)
                }
            })
        });
        wait(Duration::from_millis(LOOK_MS));
        let running = resident_bytes(&host)?;
        callers.join().map_err(|_| anyhow::anyhow!("the callers have panicked"))??;
        Ok(running)
    })?;
    let each = (running - idle) / number(RUNS as u64);
    table.figures.push(Figure::new("idle, two steps loaded", idle / MIB, "MiB"));
    table.figures.push(Figure::new(
        format!("each of {RUNS} runs that wait for a model"),
        each / 1_024.0,
        "KiB",
    ));
    Ok(table)
}

/// How long a host's process has used a processor since its start, in microseconds.
pub(crate) fn processor_micros(host: &Service) -> anyhow::Result<f64> {
    let path = format!("/proc/{}/stat", host.pid());
    let stat = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    // proc(5): the name in parentheses may hold anything; utime and stime are the twelfth and thirteenth field after it.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace().skip(11).take(2);
    let ticks: Option<u64> = fields.map(|field| field.parse::<u64>().ok()).sum();
    Ok(number(ticks.with_context(|| format!("{path} does not say how long it ran"))?) * MICROS_A_TICK)
}

/// What a host's process has in memory of its own, in bytes.
pub(crate) fn resident_bytes(host: &Service) -> anyhow::Result<f64> {
    let path = format!("/proc/{}/status", host.pid());
    let status = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    Ok(number(kib.with_context(|| format!("{path} does not say how much is resident"))? * 1_024))
}
