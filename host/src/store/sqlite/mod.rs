//! The SQLite backend: one file, one owner, one writer thread with group commit, readers on connections of their own.
//!
//! Owns every SQL statement of this backend (`queries/`, named like the methods) and the schema's migrations. It
//! refuses a file that another process owns, that is no ledger, or that a newer version wrote. Full disks and busy
//! files are errors that lose nothing; a write that the disk fails stops the writer for good.

mod action;
mod alert;
mod approval;
mod backup;
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
mod known_tokens;
mod ledger;
mod migrate;
mod model_total;
mod open;
mod operate;
mod outbox;
mod pace;
mod pause;
#[cfg(test)]
mod plans;
mod progress;
mod queue;
mod raw;
mod readers;
mod receipt;
mod repeats;
mod quarantine;
mod reprocess;
mod restored;
mod retention;
mod rows;
mod scrub;
mod sequence;
mod settle;
mod simulated;
mod slot;
mod token;
mod tx;
mod wal;
mod witness;

use crate::clock::Clock;
use crate::store::claim::{Arrival, Claim};
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::restored::{PutBack, Restored};
use crate::store::sqlite::group_commit::Writer;
use crate::store::sqlite::known_tokens::KnownTokens;
use crate::store::sqlite::migrate::Kind;
use crate::store::sqlite::readers::Readers;
use crate::store::sqlite::repeats::Repeats;
use crate::store::sqlite::sequence::Sequence;
use crate::store::sqlite::tx::Tx;
use crate::store::sqlite::wal::Wal;
use crate::store::sqlite::witness::FileLock;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;

pub use crate::store::sqlite::backup::{Backup, back_up, put_back, unfinished};
pub use crate::store::sqlite::migrate::{SCHEMA, SCHEMA_VERSION};
pub use crate::store::sqlite::simulated::WayBack;

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
    /// The process alone (`synchronous=OFF`): for ledgers of simulated hosts, which no machine's end concerns. Such hosts do one
    /// thing after another, and whoever calls such a ledger works in it without another thread.
    Process,
}

/// A ledger in a SQLite file.
pub struct SqliteStore {
    // Dropped before the writer: whoever closes the file last moves the log into it, and readers can't.
    readers: Readers,
    /// None where nothing is written, or each caller works in its own thread.
    repeats: Option<Repeats>,
    writer: Writer,
    /// None where nothing is written.
    clock: Option<Arc<dyn Clock>>,
    restored: Option<Restored>,
    tokens: Arc<KnownTokens>,
    _lock: Option<FileLock>,
}

impl SqliteStore {
    /// Open the file, creating it where it is missing, and become its one owner. Runs that the last owner left are free
    /// to be taken over at once. A backup, or a file that is behind what is known of it, is taken up as one that was put back:
    /// see [`crate::store::restored`].
    pub fn open(settings: &SqliteSettings, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_to(Outlives::Power, settings, clock)
    }

    /// The same, and say what its commits outlive.
    pub fn open_to(
        outlives: Outlives,
        settings: &SqliteSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        Self::open_as(outlives, settings, clock, None)
    }

    /// The same, where a person says that the file was put back from a copy.
    pub fn open_restored(
        settings: &SqliteSettings,
        clock: Arc<dyn Clock>,
        by: &Actor,
    ) -> Result<Self, StoreError> {
        Self::open_as(Outlives::Power, settings, clock, Some(by))
    }

    fn open_as(
        outlives: Outlives,
        settings: &SqliteSettings,
        clock: Arc<dyn Clock>,
        said: Option<&Actor>,
    ) -> Result<Self, StoreError> {
        let lock = FileLock::take(&settings.path)?;
        open::refuse_stray_log(&settings.path)?;
        let connection = open::writable(&settings.path)?;
        // Before anything is written: a file that is not ours stays as it is.
        let kind = migrate::refuse(&connection, &settings.path)?;
        open::configure(&connection, settings, outlives)?;
        migrate::migrate(&connection, &settings.path)?;
        let Sequence { ledger, token, .. } = Sequence::find(&connection)?;
        let reached = lock.reached(&ledger).unwrap_or(0);
        let how = match said {
            Some(_) => Some(PutBack::Said),
            None if kind == Kind::Backup => Some(PutBack::Backup),
            None => (token < reached).then_some(PutBack::Behind),
        };
        let restored =
            how.map(|how| restored::take_up(&connection, clock.now_ms(), how, said, reached)).transpose()?;
        open::release_hosted(&connection, clock.now_ms())?;
        let wal = Wal::of(&settings.path, settings.max_bytes);
        let (writer, readers, repeats) = match outlives {
            Outlives::Power => {
                let witness = lock.witness(ledger);
                witness.raise(Sequence::find(&connection)?.token);
                let writer = Writer::start(connection, wal, witness, Arc::clone(&clock));
                (writer, Readers::new(settings.path.clone()), Some(Repeats::of(settings.path.clone())))
            }
            Outlives::Process => {
                simulated::watch(&connection)?;
                let writer = Writer::here(connection, wal, Arc::clone(&clock));
                (writer, Readers::here(settings.path.clone()), None)
            }
        };
        let tokens = Arc::default();
        Ok(Self { writer, readers, repeats, clock: Some(clock), restored, tokens, _lock: Some(lock) })
    }

    /// What became of the ledger, where it was put back from a copy and this opening took it up.
    #[must_use]
    pub const fn restored(&self) -> Option<&Restored> {
        self.restored.as_ref()
    }

    /// Open the file for reading alone, beside a process that may own it. Writes are refused.
    pub fn open_read_only(settings: &SqliteSettings) -> Result<Self, StoreError> {
        let connection = open::readable(&settings.path)?;
        migrate::check(&connection, &settings.path)?;
        let (writer, readers) = (Writer::absent(), Readers::new(settings.path.clone()));
        let tokens = Arc::default();
        Ok(Self { writer, readers, repeats: None, clock: None, restored: None, tokens, _lock: None })
    }

    /// The answer to a repeat of ended work, which is then counted.
    fn repeated(&self, arrival: &Arrival) -> Option<Claim> {
        let repeats = self.repeats.as_ref()?;
        let (answer, repeated) = repeats.answer(arrival)?;
        let counts = Arc::clone(repeats.counts());
        let write = move |tx: &Tx<'_>| counts.write(tx);
        repeats.counts().add(repeated, || self.writer.post(repeats::COUNTING, write));
        Some(answer)
    }

    /// Look at the ledger for somebody who may have been answered before: what was answered early is seen as well.
    async fn look<T, F>(&self, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        if let Some(counts) = self.repeats.as_ref().map(Repeats::counts).filter(|counts| counts.any()) {
            let counts = Arc::clone(counts);
            let _ = self.writer.call(repeats::COUNTING, move |tx| counts.write(tx)).await;
        }
        self.writer.caught_up().await;
        self.readers.read(run).await
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

    /// Keep a transaction open for so long that has answered all its callers, milliseconds: what follows shares its commit. A few
    /// where nobody says otherwise.
    pub fn linger_ms(&self, linger_ms: u64) {
        self.writer.linger_ms(linger_ms);
    }

    /// Commits so far, for benchmarks and tests of the group commit.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }
}
