//! Opening the file: the connection's settings, and what the last owner has left behind.

use crate::store::error::StoreError;
use crate::store::ledger_size::WAL_ALARM_BYTES;
use crate::store::sqlite::migrate::BACKUP_ID;
use crate::store::sqlite::wal;
use crate::store::sqlite::{Outlives, SqliteSettings};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a statement waits for another process (a backup, a reader at a checkpoint). Milliseconds.
pub(super) const BUSY_TIMEOUT_MS: u64 = 5_000;

/// SQLite's page size here. It is set before the file has any content.
const PAGE_BYTES: u64 = 4_096;

/// How much of the write-ahead log's file is kept when the log begins anew, in bytes: what a reader made it grow to is given
/// back to the disk.
const WAL_KEPT_BYTES: u64 = WAL_ALARM_BYTES;

/// How large the write-ahead log becomes before it is moved into the file, in pages: a page that is written again and again is then
/// moved once. Well below [`WAL_ALARM_BYTES`].
const MOVED_AT_PAGES: u64 = 3_000;

/// Pages that the writer keeps in memory, in KiB. Keys are hashes, so that each work reads pages all over its indexes.
const CACHE_KIB: u64 = 32 * 1_024;

/// Statements kept prepared on a connection; a few more than there are.
const STATEMENT_CACHE: usize = 96;

/// The path of a file beside another one, by what its name has more.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Refuse a backup beside which a write-ahead log lies: SQLite would write it into the backup. The log of a backup that is
/// being taken up is its own, and its header says so.
pub(super) fn refuse_stray_log(path: &Path) -> Result<(), StoreError> {
    let mut header = [0; 72];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    let id = i64::from(u32::from_be_bytes([header[68], header[69], header[70], header[71]]));
    // SQLite's file format, section 1.3: byte 18 is 2 where the file has had a write-ahead log.
    if read.is_err() || id != BACKUP_ID || header[18] == 2 || wal::size(path)?.wal_bytes == 0 {
        return Ok(());
    }
    Err(StoreError::StrayLog { path: path.to_owned() })
}

/// A connection that can write, and has not written yet.
pub(super) fn writable(path: &Path) -> Result<Connection, StoreError> {
    let open = |source| open_error(path, source);
    let connection = Connection::open(path).map_err(open)?;
    prepare(&connection).map_err(open)?;
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
             PRAGMA wal_autocheckpoint = {MOVED_AT_PAGES};
             PRAGMA cache_size = -{CACHE_KIB};
             -- What a savepoint would put back is kept here, and not in a file for each transaction.
             PRAGMA temp_store = MEMORY;
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
    prepare(&connection).map_err(open)?;
    Ok(connection)
}

/// A connection for looks that nobody is to wait for: where the file can't be read at once, it says so.
pub(super) fn glancing(path: &Path) -> Result<Connection, StoreError> {
    let connection = readable(path)?;
    connection.busy_timeout(Duration::ZERO).map_err(|source| open_error(path, source))?;
    Ok(connection)
}

/// What holds for every connection.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS))?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // Without it the planner looks at bound values to see whether a partial index fits, and a statement is prepared anew each
    // time it is given values. The queries here name what their index is for.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::writable;
    use crate::store::sqlite::SCHEMA;
    use rusqlite::Connection;
    use rusqlite::StatementStatus;
    use rusqlite::types::Value;

    /// The queries that a host asks most, also while it has nothing to do.
    #[test]
    fn a_statement_is_prepared_once_whatever_values_it_is_given() {
        let dir = tempfile::tempdir().unwrap();
        let connection = writable(&dir.path().join("ledger.db")).unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        for sql in [
            include_str!("queries/work_take.sql"),
            include_str!("queries/work_next_due.sql"),
            include_str!("queries/outbox_take_candidates.sql"),
            include_str!("queries/outbox_next_due.sql"),
            include_str!("queries/pause_find.sql"),
        ] {
            let mut statement = connection.prepare(sql).unwrap();
            for value in ["waiting", "host", "x"] {
                let values = vec![Value::Text(value.to_owned()); statement.parameter_count()];
                let values = rusqlite::params_from_iter(values.into_iter().enumerate().map(|(at, text)| {
                    // A limit is a number.
                    if at == 3 { Value::Integer(1) } else { text }
                }));
                let mut rows = statement.query(values).unwrap();
                while rows.next().unwrap().is_some() {}
            }
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
        }
    }

    /// An ephemeral table is made, filled and thrown away each time, and costs more than the row that is written. A list of
    /// more than two words after IN needs one, and so does RETURNING.
    #[test]
    fn what_each_unit_writes_needs_no_table_of_its_own() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        for sql in [
            include_str!("queries/work_find.sql"),
            include_str!("queries/family_forgotten.sql"),
            include_str!("queries/pause_find.sql"),
            include_str!("queries/work_insert.sql"),
            include_str!("queries/work_settling.sql"),
            include_str!("queries/work_settle.sql"),
            include_str!("queries/work_count_duplicate.sql"),
            include_str!("queries/outbox_find.sql"),
            include_str!("queries/outbox_insert.sql"),
            include_str!("queries/decision_pinned.sql"),
            include_str!("queries/decision_insert.sql"),
            include_str!("queries/decision_pin.sql"),
            include_str!("queries/evidence_insert.sql"),
            include_str!("queries/sequence_advance.sql"),
        ] {
            // With the programs of its triggers.
            let mut explain = connection.prepare(&format!("EXPLAIN {sql}")).unwrap();
            let values = vec![Value::Null; explain.parameter_count()];
            let codes =
                explain.query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>("opcode"));
            let codes: Vec<String> = codes.unwrap().collect::<Result<_, _>>().unwrap();
            assert!(codes.len() > 5, "{sql}");
            assert!(!codes.iter().any(|code| code == "OpenEphemeral"), "{sql}");
        }
    }
}
