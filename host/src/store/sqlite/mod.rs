//! The SQLite backend: one file, one owner, one writer thread with group commit, readers on connections of their own.
//!
//! Owns every SQL statement of this backend (`queries/`, named like the methods) and the schema's migrations. It
//! refuses a file that another process owns, that is no ledger, or that a newer version wrote. Full disks and busy
//! files are errors that lose nothing; a write that the disk fails stops the writer for good.

mod action;
mod alert;
mod approval;
mod bulk;
mod claim;
mod contract;
mod decision;
mod enqueue;
mod erase;
mod evidence;
mod family;
mod group_commit;
mod insert_row;
mod inspect;
mod intent;
mod item;
mod ledger;
mod migrate;
mod model_total;
mod open;
mod operate;
mod outbox;
mod pace;
mod pause;
mod progress;
mod queue;
mod raw;
mod readers;
mod receipt;
mod quarantine;
mod reprocess;
mod retention;
mod rows;
mod scrub;
mod settle;
mod slot;
mod token;
mod tx;
mod wal;

use crate::clock::Clock;
use crate::store::error::StoreError;
use crate::store::sqlite::group_commit::Writer;
use crate::store::sqlite::open::FileLock;
use crate::store::sqlite::readers::Readers;
use crate::store::sqlite::wal::Wal;
use std::path::PathBuf;
use std::sync::Arc;

pub use crate::store::sqlite::migrate::{SCHEMA, SCHEMA_VERSION};

/// Where the ledger is, and how large it may become.
#[derive(Clone, Debug)]
pub struct SqliteSettings {
    /// The file.
    pub path: PathBuf,
    /// A write past this size is refused before the disk is full. Bytes. The write-ahead log beside the file is held to the same
    /// limit, or to 64 MiB where that is more.
    pub max_bytes: Option<u64>,
}

/// What a commit outlives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlives {
    /// The machine's power (`synchronous=FULL`).
    Power,
    /// The process alone (`synchronous=OFF`): for ledgers of simulated hosts, which no machine's end concerns.
    Process,
}

/// A ledger in a SQLite file.
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    /// None where nothing is written.
    clock: Option<Arc<dyn Clock>>,
    _lock: Option<FileLock>,
}

impl SqliteStore {
    /// Open the file, creating it where it is missing, and become its one owner. Runs that the last owner left are free
    /// to be taken over at once.
    pub fn open(settings: &SqliteSettings, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_to(Outlives::Power, settings, clock)
    }

    /// The same, and say what its commits outlive.
    pub fn open_to(
        outlives: Outlives,
        settings: &SqliteSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let lock = FileLock::take(&settings.path)?;
        let connection = open::writable(settings)?;
        // Before anything is written: a file that is not ours stays as it is.
        migrate::refuse(&connection, &settings.path)?;
        open::configure(&connection, settings, outlives)?;
        migrate::migrate(&connection, &settings.path)?;
        open::release_hosted(&connection, clock.now_ms())?;
        let readers = Readers::new(settings.path.clone());
        let wal = Wal::of(&settings.path, settings.max_bytes);
        let writer = Writer::start(connection, wal, Arc::clone(&clock));
        Ok(Self { writer, readers, clock: Some(clock), _lock: Some(lock) })
    }

    /// Open the file for reading alone, beside a process that may own it. Writes are refused.
    pub fn open_read_only(settings: &SqliteSettings) -> Result<Self, StoreError> {
        let connection = open::readable(&settings.path)?;
        migrate::check(&connection, &settings.path)?;
        let readers = Readers::new(settings.path.clone());
        Ok(Self { writer: Writer::absent(), readers, clock: None, _lock: None })
    }

    /// Whether a query finds anything, looked at beside the writer: a duty that asks at every pass mostly finds nothing, and
    /// then writes nothing.
    async fn finds<P>(
        &self,
        operation: &'static str,
        sql: &'static str,
        values: P,
    ) -> Result<bool, StoreError>
    where
        P: rusqlite::Params + Send + 'static,
    {
        let any = self
            .readers
            .read(move |c| tx::first(c, operation, sql, values, |row| row.get::<_, bool>(0)))
            .await?;
        Ok(any == Some(true))
    }

    /// The clock's time, for such a query. The store's own may be later, and stands in the ledger.
    fn clock_ms(&self) -> i64 {
        self.clock.as_ref().map_or(i64::MIN, |clock| clock.now_ms())
    }

    /// Commits so far, for benchmarks and tests of the group commit.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }
}
