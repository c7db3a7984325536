//! `load`: many connections at once against the real host, which must lose nothing.

use crate::command;
use crate::guests;
use crate::paths::Paths;
use crate::test::SELECTION;

/// Build what it needs, then hand the arguments to `onceward-load`.
pub(crate) fn run(paths: &Paths, args: &[String]) -> anyhow::Result<()> {
    guests::build(paths)?;
    eprintln!(
        "load: building the host; the first time takes several minutes, most of them for the wasm compiler"
    );
    command::run(command::cargo(paths).arg("build").args(SELECTION).arg("--bins"))?;
    command::run(std::process::Command::new(paths.program("onceward-load")).args(args))
}
