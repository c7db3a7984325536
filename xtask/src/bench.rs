//! `bench`: what the host costs, measured on optimised programs.
//!
//! Owns what has to be built: the guests, and the programs in the release profile, for which the wasm compiler is built once
//! more. Figures of the tests' profile would be untrue. It fails where something can't be built or measured.

use crate::command;
use crate::guests;
use crate::paths::Paths;
use crate::test::SELECTION;
use std::process::Command;

/// Where the tables stand.
const DOCUMENT: &str = "docs/performance.md";

/// What to measure, and where to.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    /// A quick look: fewer rounds, and no ledger of 10^6 works.
    #[arg(long)]
    quick: bool,
    /// One measurement alone; more than one where it is said again.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Put the tables into docs/performance.md as well; what is written between them stays.
    #[arg(long)]
    write: bool,
}

/// Build, and measure.
pub(crate) fn run(paths: &Paths, bench: &Bench) -> anyhow::Result<()> {
    guests::build(paths)?;
    eprintln!(
        "bench: building optimised programs; the first time takes many minutes, most of them for the wasm compiler"
    );
    command::run(command::cargo(paths).arg("build").args(SELECTION).args(["--bins", "--release"]))?;
    let mut command = Command::new(paths.target.join("release/onceward-bench"));
    for (flag, wanted) in [("--quick", bench.quick), ("--json", bench.json)] {
        command.args(wanted.then_some(flag));
    }
    for name in &bench.only {
        command.args(["--only", name]);
    }
    if bench.write {
        command.arg("--write").arg(paths.root.join(DOCUMENT));
    }
    command::run(&mut command)
}
