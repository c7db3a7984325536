//! The write-ahead log beside the file: how large it is, and when it is too large to go on.
//!
//! SQLite moves the log into the file while it writes, up to the oldest state that anybody reads. A reader that does not end
//! (a backup that hangs, a shell with an open transaction) holds it, and every write makes it larger. So does a disk that
//! takes the log and not the file, of which SQLite says nothing: it is asked. The writer warns, and
//! where the ledger has a size limit it refuses before the log is larger than that. It fails with [`StoreError::Full`],
//! which loses nothing, and goes on by itself when the reader has gone. A disk that fails the move is [`StoreError::Disk`].

use crate::store::error::StoreError;
use crate::store::ledger_size::{LedgerSize, WAL_ALARM_BYTES};
use crate::store::sqlite::open::beside;
use crate::store::sqlite::tx::failed;
use rusqlite::Connection;
use std::cell::Cell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The smallest limit of the log, in bytes: a ledger that may be small still writes pages more than once, and the alarm comes
/// well before.
const LIMIT_MIN_BYTES: u64 = 4 * WAL_ALARM_BYTES;

/// What it is called in errors.
const OPERATION: &str = "writing while a reader holds the write-ahead log";

/// The same, of the move.
const MOVE: &str = "moving the write-ahead log into the ledger";

/// The log, as the writer watches it.
pub(super) struct Wal {
    ledger: PathBuf,
    limit_bytes: Option<u64>,
    /// The size past which the next look is due.
    quiet_bytes: Cell<u64>,
}

impl Wal {
    /// The log of a ledger whose file may have so many bytes.
    pub(super) fn of(ledger: &Path, max_bytes: Option<u64>) -> Self {
        let limit_bytes = max_bytes.map(|bytes| bytes.max(LIMIT_MIN_BYTES));
        Self { ledger: ledger.to_owned(), limit_bytes, quiet_bytes: Cell::new(0) }
    }

    /// Before a transaction: say that the log is held, and refuse where it is past its limit and can't be moved.
    pub(super) fn admit(&self, connection: &Connection) -> Result<(), StoreError> {
        let Some(bytes) = size(&self.ledger)?.wal_held_bytes() else {
            self.quiet_bytes.set(0);
            return Ok(());
        };
        if bytes > self.quiet_bytes.get() {
            // Once more each time that it has doubled.
            self.quiet_bytes.set(bytes.saturating_mul(2));
            warn(connection, bytes)?;
        }
        if self.limit_bytes.is_none_or(|limit| bytes <= limit) || is_moved(connection)? {
            return Ok(());
        }
        Err(StoreError::Full { operation: OPERATION })
    }
}

/// Say why the log is not moved. An error where the disk fails the move: then nobody knows what is in the file.
fn warn(connection: &Connection, wal_bytes: u64) -> Result<(), StoreError> {
    match is_moved(connection) {
        Ok(_) => tracing::warn!(
            wal_bytes,
            "the write-ahead log is not moved into the ledger and grows: something reads an old state of it; end that reader (a backup, a shell with an open transaction)"
        ),
        Err(StoreError::Full { .. }) => tracing::warn!(
            wal_bytes,
            "the write-ahead log is not moved into the ledger and grows: no space is left for the ledger; free disk space"
        ),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// How large a ledger's files are.
pub(super) fn size(ledger: &Path) -> Result<LedgerSize, StoreError> {
    let of = |path: &Path| match std::fs::metadata(path) {
        Ok(file) => Ok(file.len()),
        // The log is there only while the ledger is open for writing.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(source) => Err(StoreError::Open { path: path.to_owned(), source: Arc::new(source) }),
    };
    Ok(LedgerSize { ledger_bytes: of(ledger)?, wal_bytes: of(&beside(ledger, "-wal"))? })
}

/// Move what can be moved, waiting for nobody; whether that was all, so that the next write begins the log anew.
fn is_moved(connection: &Connection) -> Result<bool, StoreError> {
    let frames = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
    let (all, moved) = connection
        .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], frames)
        .map_err(|source| failed(MOVE, source))?;
    Ok(all == moved)
}
