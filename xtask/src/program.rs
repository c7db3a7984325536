//! `demo`, `load`, `torture`: programs that stand on the real host and its steps.
//!
//! Owns what has to be there before one of them starts. It fails before that where something cannot be built.

use crate::command;
use crate::guests;
use crate::paths::Paths;
use crate::test::SELECTION;
use std::ffi::OsStr;
use std::process::Command;

/// Build everything, then run `onceward-NAME` with these arguments.
pub(crate) fn run(paths: &Paths, name: &str, args: &[impl AsRef<OsStr>]) -> anyhow::Result<()> {
    guests::build(paths)?;
    eprintln!(
        "{name}: building the host; the first time takes several minutes, most of them for the wasm compiler"
    );
    command::run(command::cargo(paths).arg("build").args(SELECTION).arg("--bins"))?;
    command::run(Command::new(paths.program(&format!("onceward-{name}"))).args(args))
}
