//! `onceward-load`: a load run against the real host, at many connections, with new events and repeats.
//!
//! It fails where anything is lost or done twice. Times are told beside a floor of the same run, since machines differ.

use anyhow::{Context as _, bail};
use clap::Parser;
use std::io::Write as _;
use std::time::{Duration, Instant};
use support::load::Load;
use support::paths;
use support::service::Service;
use support::workspace::Workspace;

/// How long the host may take to finish what it has accepted, in seconds.
const FINISH_LIMIT_S: u64 = 600;

/// Send a load to a host of its own.
#[derive(Debug, Parser)]
struct Args {
    /// Connections at once.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Different events.
    #[arg(long, default_value_t = 10_000)]
    events: usize,
    /// How often each is sent.
    #[arg(long, default_value_t = 2)]
    repeats: usize,
}

fn main() -> anyhow::Result<()> {
    let Args { connections, events, repeats } = Args::parse();
    let dir = tempfile::tempdir().context("making a folder")?;
    let config = format!(
        "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\n[source.echo]\nkind = \"json\"\nopen = true\nid = {{ pointer = \"/id\" }}\n",
        paths::compile_cache().display().to_string(),
        paths::step("echo").display().to_string()
    );
    let workspace = Workspace::with_config(dir.path(), &config)?;
    let mut host = Service::start(&workspace);
    let outcome = Load { connections, events, repeats }.send(host.address(), "echo")?;
    let until = Instant::now() + Duration::from_secs(FINISH_LIMIT_S);
    let finished = format!("onceward_works{{namespace=\"default\",state=\"done\"}} {events}");
    while !host.get("/metrics").text().lines().any(|line| line == finished) {
        if Instant::now() > until {
            bail!("the host has not finished what it accepted: {}", host.get("/metrics").text());
        }
    }
    host.stop();
    if (outcome.accepted, outcome.duplicates) != (events, events * (repeats - 1)) {
        bail!(
            "{} were accepted and {} were duplicates of {events} events sent {repeats} times",
            outcome.accepted,
            outcome.duplicates
        );
    }
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    let ratio = |part: f64| ms(outcome.answers.at(part)) / ms(outcome.floor.at(part)).max(f64::MIN_POSITIVE);
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{events} events, each sent {repeats} times over {connections} connections: none lost, none done twice"
    )?;
    let a_second = (events * repeats) as f64 / outcome.took.as_secs_f64();
    writeln!(out, "{a_second:.0} answers a second, each new event on disk before its answer")?;
    for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
        writeln!(
            out,
            "{name} {:.1} ms; floor (no ledger, same connections) {:.1} ms; ratio {:.1}",
            ms(outcome.answers.at(part)),
            ms(outcome.floor.at(part)),
            ratio(part)
        )?;
    }
    Ok(())
}
