//! Opening the file: the lock that makes one owner, and the connection's settings.

use crate::store::error::StoreError;
use crate::store::ledger_size::WAL_ALARM_BYTES;
use crate::store::sqlite::{Outlives, SqliteSettings};
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a statement waits for another process (a backup, a reader at a checkpoint). Milliseconds.
pub(super) const BUSY_TIMEOUT_MS: u64 = 5_000;

/// SQLite's page size here. It is set before the file has any content.
const PAGE_BYTES: u64 = 4_096;

/// How much of the write-ahead log's file is kept when the log begins anew, in bytes: what a reader made it grow to is given
/// back to the disk.
const WAL_KEPT_BYTES: u64 = WAL_ALARM_BYTES;

/// Statements kept prepared on a connection; a few more than there are.
const STATEMENT_CACHE: usize = 96;

/// The advisory lock beside the file. The kernel frees it when the process ends, however it ends.
pub(super) struct FileLock(#[expect(dead_code, reason = "held for its lock")] File);

impl FileLock {
    pub(super) fn take(path: &Path) -> Result<Self, StoreError> {
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let open_error =
            |source: std::io::Error| StoreError::Open { path: path.to_owned(), source: Arc::new(source) };
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(Path::new(&lock_path))
            .map_err(open_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Owned { path: path.to_owned() }),
            Err(std::fs::TryLockError::Error(source)) => Err(open_error(source)),
        }
    }
}

/// A connection that can write, and has not written yet.
pub(super) fn writable(settings: &SqliteSettings) -> Result<Connection, StoreError> {
    let open = |source| open_error(&settings.path, source);
    let connection = Connection::open(&settings.path).map_err(open)?;
    connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS)).map_err(open)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(connection)
}

/// Make every commit be on disk when it returns (WAL with `synchronous=FULL`), unless it need not be; overwrite what is
/// deleted, and keep to the size limit.
pub(super) fn configure(
    connection: &Connection,
    settings: &SqliteSettings,
    outlives: Outlives,
) -> Result<(), StoreError> {
    let open = |source| open_error(&settings.path, source);
    let synchronous = match outlives {
        Outlives::Power => "FULL",
        Outlives::Process => "OFF",
    };
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = {PAGE_BYTES};
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = {synchronous};
             PRAGMA journal_size_limit = {WAL_KEPT_BYTES};
             PRAGMA foreign_keys = ON;
             PRAGMA secure_delete = ON;
             PRAGMA trusted_schema = OFF;"
        ))
        .map_err(open)?;
    if let Some(bytes) = settings.max_bytes {
        let pages = (bytes / PAGE_BYTES).max(1);
        connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).map_err(open)?;
    }
    Ok(())
}

/// A connection that only reads.
pub(super) fn readable(path: &Path) -> Result<Connection, StoreError> {
    let open = |source| open_error(path, source);
    // Only where it is certain: a folder that may not be read says nothing about the file in it.
    if path.try_exists().is_ok_and(|exists| !exists) {
        return Err(StoreError::Missing { path: path.to_owned() });
    }
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI,
    )
    .map_err(open)?;
    connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS)).map_err(open)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(connection)
}

/// End the leases that the last owner of the file left behind.
pub(super) fn release_hosted(connection: &Connection, now_ms: i64) -> Result<(), StoreError> {
    let release = || -> rusqlite::Result<()> {
        let now_ms: i64 =
            connection.query_row(include_str!("queries/sequence_tick.sql"), [now_ms], |row| row.get(0))?;
        connection.execute(include_str!("queries/work_release_hosted.sql"), [now_ms])?;
        connection.execute(include_str!("queries/outbox_release_hosted.sql"), [now_ms])?;
        Ok(())
    };
    release().map_err(|source| super::tx::failed("taking over the last owner's leases", source))
}

fn open_error(path: &Path, source: rusqlite::Error) -> StoreError {
    if source.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
        return StoreError::Foreign { path: path.to_owned() };
    }
    StoreError::Open { path: path.to_owned(), source: Arc::new(source) }
}
