//! Rewriting the file, so that nothing of what was erased is left in it.
//!
//! SQLite overwrites what it deletes (`secure_delete`), but not the copies that it leaves in the free part of a page when it
//! moves rows to another one. So the file is written anew, and the journal is written back and cut.

use crate::store::error::StoreError;
use crate::store::sqlite::open::BUSY_TIMEOUT_MS;
use crate::store::sqlite::tx::failed;
use rusqlite::Connection;
use std::time::Duration;

/// What it is called in errors.
pub(super) const OPERATION: &str = "rewriting the ledger without what was erased";

/// How long the journal's end is waited for, in milliseconds: reads are short, and whoever reads for longer is told.
const READERS_WAIT_MS: u64 = 1_000;

/// Rewrite the file. False where something still reads an older state, so that the journal can't be cut.
pub(super) fn scrub(connection: &Connection) -> Result<bool, StoreError> {
    let run = || -> rusqlite::Result<bool> {
        // The new file is built as a temporary one, which must not be held in memory.
        connection.execute_batch("PRAGMA temp_store = FILE")?;
        let rewritten = connection.execute_batch("VACUUM");
        connection.execute_batch("PRAGMA temp_store = MEMORY")?;
        rewritten?;
        connection.busy_timeout(Duration::from_millis(READERS_WAIT_MS))?;
        let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS))?;
        Ok(busy? == 0)
    };
    run().map_err(|source| failed(OPERATION, source))
}
