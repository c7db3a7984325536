//! `onceward-torture`: kills the real host again and again while events come in, and says whether everything adds up.
//!
//! Progress goes to standard error. It ends with 1 where something does not add up, and then says the seed, the events and
//! where the ledger is kept.

use anyhow::Context as _;
use clap::Parser;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;
use support::torture::{Torture, Until};

/// Kill a host of its own, again and again.
#[derive(Debug, Parser)]
struct Args {
    /// For so many minutes, and every kind of kill at least once.
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// Where chance begins.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// For programs.
    #[arg(long)]
    json: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let Args { minutes, seed, json } = Args::parse();
    let tell = |line: &str| {
        // Who does not listen to progress does not stop the run.
        let _ = writeln!(std::io::stderr(), "torture: {line}");
    };
    tell(&format!("{minutes} minutes of kills, seed {seed}"));
    let report = Torture { until: Until::Passed(Duration::from_secs(60 * minutes)), seed }.run(tell)?;
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report).context("writing the report")?)?;
    } else {
        writeln!(out, "{report}")?;
    }
    Ok(if report.offences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
