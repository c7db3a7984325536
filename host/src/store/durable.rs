//! When a write is on disk.

use crate::store::error::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
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

/// Somebody waits for a commit that its writer keeps open.
#[derive(Debug)]
pub(crate) struct Hurry {
    wanted: AtomicBool,
    writer: Thread,
}

impl Hurry {
    /// For a transaction of the writer in this thread.
    pub(crate) fn here() -> Arc<Self> {
        Arc::new(Self { wanted: AtomicBool::new(false), writer: std::thread::current() })
    }

    /// Whether anybody waits.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Acquire)
    }

    fn want(&self) {
        if !self.wanted.swap(true, Ordering::AcqRel) {
            self.writer.unpark();
        }
    }
}

/// A claim's commit. A claim may be answered while its commit is under way, since every later write goes through the same
/// writer in order; whoever acts on the outside world, or answers it, waits for this first. The writer may keep the
/// transaction open for a moment in which nobody waits.
#[derive(Clone, Debug)]
pub struct Durable(Option<(watch::Receiver<Commit>, Arc<Hurry>)>);

impl Durable {
    /// For a backend that answers after its commit.
    #[must_use]
    pub const fn already() -> Self {
        Self(None)
    }

    pub(crate) const fn following(commit: watch::Receiver<Commit>, hurry: Arc<Hurry>) -> Self {
        Self(Some((commit, hurry)))
    }

    /// Whether the write is on disk, or was undone.
    pub(crate) fn is_over(&self) -> bool {
        self.0.as_ref().is_none_or(|(commit, _)| !matches!(&*commit.borrow(), Commit::Pending))
    }

    /// Wait until the write is on disk, or for the error that undid it.
    pub async fn wait(&self) -> Result<(), StoreError> {
        let Some((commit, hurry)) = &self.0 else { return Ok(()) };
        hurry.want();
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
