//! SQLite as a backend of the conformance suite, and files for the tests of its own.

use crate::conformance::harness::Backend;
use async_trait::async_trait;
use onceward::clock::Clock;
use onceward::store::Store;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use support::sim_clock::SimClock;
use tempfile::TempDir;

/// A ledger file of its own, and time.
pub(crate) struct SqliteBackend {
    folder: TempDir,
    clock: Arc<SimClock>,
}

impl Default for SqliteBackend {
    fn default() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), clock: Arc::default() }
    }
}

/// Shared, so that a test can look at the file behind the suite's back.
#[async_trait]
impl Backend for Arc<SqliteBackend> {
    async fn open(&self) -> Arc<dyn Store> {
        (**self).open().await
    }

    fn advance(&self, by_ms: i64) {
        (**self).advance(by_ms);
    }
}

#[async_trait]
impl Backend for SqliteBackend {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.store(None))
    }

    fn advance(&self, by_ms: i64) {
        self.clock.advance(by_ms);
    }
}

impl SqliteBackend {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("onceward.db")
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as Arc<dyn Clock>
    }

    pub(super) fn settings(&self, max_bytes: Option<u64>) -> SqliteSettings {
        SqliteSettings { path: self.path(), max_bytes }
    }

    pub(super) fn store(&self, max_bytes: Option<u64>) -> SqliteStore {
        SqliteStore::open(&self.settings(max_bytes), self.clock()).expect("the ledger opens")
    }

    /// The file as any other program sees it.
    pub(super) fn direct(&self) -> Connection {
        Connection::open(self.path()).expect("the file opens")
    }
}
