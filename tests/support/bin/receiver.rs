//! The receiver as a process: see `support::receiver`.
//!
//! Owns the command line and the one line it prints once it accepts. It refuses options that mean
//! nothing, and fails with the chain of causes on standard error and exit code 1.

use std::io::Write;
use std::num::NonZeroU32;
use std::path::Path;
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use support::receiver::OnCrash;
use support::receiver::Options;
use support::receiver::Receiver;
use support::receiver::flaky::Flaky;
use support::receiver::process::LISTENING;

/// An HTTP CRM that counts, keeps everything through a SIGKILL, and goes wrong on demand.
#[derive(Debug, Parser)]
#[command(name = "onceward-receiver")]
struct Arguments {
    /// The directory of its store, made if need be.
    #[arg(long)]
    dir: PathBuf,
    /// The port on 127.0.0.1; 0 means any free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// A file that the port is written to, once it accepts.
    #[arg(long)]
    port_file: Option<PathBuf>,
    /// How many of a hundred writes meet a random fault: lose-reply, refuse or status:503.
    #[arg(long, value_name = "PERCENT", default_value_t = 0,
        value_parser = clap::value_parser!(u8).range(0..=100))]
    flaky: u8,
    /// The seed of the random faults.
    #[arg(long, default_value_t = 0, requires = "flaky")]
    seed: u64,
    /// Creates a row for a write without an Idempotency-Key, instead of refusing it.
    #[arg(long)]
    key_optional: bool,
    /// How many writes it lets in within a second; more get 429 with Retry-After: 1.
    #[arg(long, value_name = "PER_SECOND")]
    rate: Option<NonZeroU32>,
    /// How long after its creation a row can be found by a search, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    search_lag: u64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let receiver = Receiver::start_with(
        &arguments.dir,
        Options {
            port: arguments.port,
            key_optional: arguments.key_optional,
            flaky: Some(Flaky { percent: arguments.flaky, seed: arguments.seed }),
            rate_per_second: arguments.rate,
            search_lag_ms: arguments.search_lag,
            on_crash: OnCrash::AbortProcess,
        },
    )?;
    let address = receiver.address();
    if let Some(path) = &arguments.port_file {
        write_port(path, address.port())?;
    }
    announce(&format!("{LISTENING}{address}"))?;
    receiver.wait()
}

/// Puts the port into a file that is either absent or whole.
fn write_port(path: &Path, port: u16) -> anyhow::Result<()> {
    let draft = path.with_extension("part");
    std::fs::write(&draft, port.to_string())
        .and_then(|()| std::fs::rename(&draft, path))
        .with_context(|| format!("could not write the port to {}", path.display()))
}

/// Tells the parent process where to connect.
fn announce(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .context("could not tell the address on standard output")
}
