//! When a write is on disk.

use crate::store::error::StoreError;
use tokio::sync::watch;

/// The state of a commit.
#[derive(Clone, Debug)]
pub(crate) enum Commit {
    /// It is under way.
    Pending,
    /// It is on disk.
    Done,
    /// It failed; nothing of it was kept.
    Failed(StoreError),
}

/// A claim's commit. A claim may be answered while its commit is under way, since every later write goes through the same
/// writer in order; whoever acts on the outside world, or answers it, waits for this first.
#[derive(Clone, Debug)]
pub struct Durable(Option<watch::Receiver<Commit>>);

impl Durable {
    /// For a backend that answers after its commit.
    #[must_use]
    pub const fn already() -> Self {
        Self(None)
    }

    pub(crate) const fn following(commit: watch::Receiver<Commit>) -> Self {
        Self(Some(commit))
    }

    /// Wait until the write is on disk, or for the error that undid it.
    pub async fn wait(&self) -> Result<(), StoreError> {
        let Some(commit) = &self.0 else { return Ok(()) };
        let mut commit = commit.clone();
        let Ok(end) = commit.wait_for(|state| !matches!(state, Commit::Pending)).await else {
            return Err(StoreError::Stopped);
        };
        match &*end {
            Commit::Failed(error) => Err(error.clone()),
            Commit::Pending | Commit::Done => Ok(()),
        }
    }
}
