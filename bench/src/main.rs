//! `onceward-bench`: what the host costs, beside what the same rows cost without it.
//!
//! Owns the command line and the order of measurements. Tables go to standard output, progress to standard error. It fails where
//! something can't be measured, and not where an aim is missed: that stands in the table.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod bench;
mod deliveries;
mod document;
mod figure;
mod floor;
mod growth;
mod guests;
mod hostile;
mod in_process;
mod ledger_unit;
mod machine;
mod memory;
mod over_http;
mod sample;
mod served;
mod startup;
mod unit;

use crate::bench::Bench;
use crate::figure::Table;
use anyhow::{Context as _, bail};
use clap::Parser;
use std::io::Write as _;
use std::path::PathBuf;

/// Measure what the host costs.
#[derive(Debug, Parser)]
#[command(name = "onceward-bench")]
struct Args {
    /// A quick look: fewer rounds, and no ledger of 10^6 works.
    #[arg(long)]
    quick: bool,
    /// One measurement alone; more than one where it is said again.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Put the tables into this document as well, each between its marks; what is written between them stays.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/performance.md")]
    write: Option<PathBuf>,
}

/// A measurement.
type Measure = fn(&Bench) -> anyhow::Result<Table>;

/// The measurements, in their order.
const MEASUREMENTS: [(&str, Measure); 10] = [
    ("machine", machine::measure),
    ("in-process", in_process::measure),
    ("http", over_http::measure),
    ("duplicates", over_http::duplicates),
    ("guests", guests::measure),
    ("hostile", hostile::measure),
    ("deliveries", deliveries::measure),
    ("memory", memory::measure),
    ("start-up", startup::measure),
    ("growth", growth::measure),
];

fn main() -> anyhow::Result<()> {
    let Args { quick, only, json, write } = Args::parse();
    if let Some(unknown) = only.iter().find(|name| !MEASUREMENTS.iter().any(|(known, _)| known == name)) {
        let known: Vec<&str> = MEASUREMENTS.iter().map(|(name, _)| *name).collect();
        bail!("choosing a measurement: there is no {unknown:?}; take one of {}", known.join(", "));
    }
    let bench = Bench { quick };
    let mut tables = Vec::new();
    let mut out = std::io::stdout().lock();
    for (name, measure) in MEASUREMENTS {
        if only.is_empty() || only.iter().any(|wanted| wanted == name) {
            eprintln!("bench: {name}");
            let table = measure(&bench).with_context(|| format!("measuring {name}"))?;
            if !json {
                writeln!(out, "{}", table.markdown())?;
            }
            tables.push(table);
        }
    }
    if json {
        serde_json::to_writer_pretty(&mut out, &tables)?;
        writeln!(out)?;
    }
    match write {
        Some(path) => document::write(&path, &tables),
        None => Ok(()),
    }
}
