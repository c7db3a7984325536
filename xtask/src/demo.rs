//! `demo`: the project's promise, to watch.
//!
//! Owns what has to be there before the story starts. It fails before the story where something cannot be built.

use crate::command;
use crate::guests;
use crate::paths::Paths;
use crate::test::SELECTION;

/// Prepare, then let `onceward-demo` tell.
pub(crate) fn run(paths: &Paths) -> anyhow::Result<()> {
    guests::build(paths)?;
    eprintln!(
        "demo: building the host; the first time takes several minutes, most of them for the wasm compiler"
    );
    command::run(command::cargo(paths).arg("build").args(SELECTION).arg("--bins"))?;
    command::run(std::process::Command::new(paths.program("onceward-demo")).arg(paths.target.join("demo")))
}
