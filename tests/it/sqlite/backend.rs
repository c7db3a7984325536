//! SQLite as a backend of the conformance suite, and files for the tests of its own.

use crate::conformance::harness::Backend;
use async_trait::async_trait;
use onceward::clock::Clock;
use onceward::store::Store;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
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

/// Whatever a test did: what is counted as it happens is what there is.
impl Drop for SqliteBackend {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let counted = counted(&self.path(), COUNTED);
        assert_eq!(counted, self::counted(&self.path(), THERE), "what is counted is not what there is");
    }
}

/// What the triggers have counted.
const COUNTED: &str =
    "SELECT namespace, noun, state, number FROM state_count WHERE number > 0 ORDER BY namespace, noun, state";

/// What there is.
const THERE: &str = "SELECT namespace, noun, state, count(*) FROM (
        SELECT namespace, 'work' AS noun, state FROM work
        UNION ALL SELECT namespace, 'outbox', state FROM outbox
        UNION ALL SELECT namespace, 'quarantine', state FROM quarantine)
    GROUP BY namespace, noun, state ORDER BY namespace, noun, state";

/// A query's rows; none where the file is no ledger, as in tests of files that are none.
fn counted(ledger: &Path, query: &str) -> Option<Vec<(String, String, String, i64)>> {
    let connection = Connection::open_with_flags(ledger, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    let mut query = connection.prepare(query).ok()?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).ok()?;
    rows.collect::<rusqlite::Result<_>>().ok()
}
