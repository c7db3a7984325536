//! `bench`: what the host costs, measured on optimised programs.
//!
//! Owns what has to be built: the guests, and the programs in the release profile, for which the wasm compiler is built once
//! more. Figures of the tests' profile would be untrue. It fails where something can't be built or measured.

use crate::command;
use crate::guests;
use crate::paths::Paths;
use crate::test::SELECTION;
use std::process::Command;

/// Build, and measure as these arguments say.
pub(crate) fn run(paths: &Paths, args: &[String]) -> anyhow::Result<()> {
    guests::build(paths)?;
    eprintln!(
        "bench: building optimised programs; the first time takes many minutes, most of them for the wasm compiler"
    );
    command::run(command::cargo(paths).arg("build").args(SELECTION).args(["--bins", "--release"]))?;
    let mut command = Command::new(paths.target.join("release/onceward-bench"));
    command::run(command.current_dir(&paths.root).args(args))
}
