//! How long everything is measured, and where.
//!
//! Owns the folders, which are gone when a measurement ends, and the difference between a quick look and a whole run.

use anyhow::Context as _;
use std::time::Duration;
use support::paths;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Callers at once.
const CALLERS: [usize; 3] = [1, 8, 64];

/// How a run is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bench {
    /// A quick look: a third of the rounds, and no ledger of 10^6 works.
    pub(crate) quick: bool,
}

impl Bench {
    /// How often everything takes its turn.
    pub(crate) const fn rounds(self) -> usize {
        if self.quick { 3 } else { 9 }
    }

    /// How long one turn is.
    pub(crate) const fn length(self) -> Duration {
        Duration::from_millis(if self.quick { 500 } else { 1_000 })
    }

    /// How many callers call at once.
    pub(crate) const fn callers(self) -> [usize; 3] {
        CALLERS
    }

    /// A folder on the disk that is measured.
    pub(crate) fn dir(self) -> anyhow::Result<TempDir> {
        let scratch = paths::scratch();
        std::fs::create_dir_all(&scratch)
            .and_then(|()| tempfile::tempdir_in(&scratch))
            .with_context(|| format!("making a folder in {}", scratch.display()))
    }

    /// What futures of this process run on: as the host's own.
    pub(crate) fn runtime(self) -> anyhow::Result<Runtime> {
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting an async runtime")
    }
}
