//! Ledgers of simulated hosts, which live and die many times in one process and begin again many times in one file.
//!
//! Owns what such a ledger can do beside being one: pass to the next owner, become again what it was, and say which states
//! its works and rows have been in. Its connections
//! stay, with their prepared statements; to open a file and to prepare what a short run uses takes longer than the run.
//! A ledger whose commits outlive the process can do neither. Where the schema has been changed by other hands, there is no
//! way back, and a new copy is needed. Fails as [`StoreError`], like every other operation.

use crate::clock::Clock;
use crate::store::error::StoreError;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::group_commit::Writer;
use crate::store::sqlite::open;
use crate::store::sqlite::tx::{all, failed, first};
use crate::store::sqlite::wal::Wal;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Row};
use std::path::Path;
use std::sync::Arc;

/// What the way back is called in errors.
const OPERATION: &str = "making a simulated ledger what it was";

impl SqliteStore {
    /// The ledger of the next owner, after a simulated one has died: what was in its memory is gone, and its leases are
    /// free. None where it is no simulated one, or a write of it has failed for good.
    ///
    /// # Errors
    /// [`StoreError::Statement`], where the leases can't be taken over.
    pub fn inherited(self, clock: Arc<dyn Clock>) -> Result<Option<Self>, StoreError> {
        let Some(connection) = self.writer.into_connection() else { return Ok(None) };
        open::release_hosted(&connection, clock.now_ms())?;
        let wal = Wal::of(self.readers.path(), None);
        let writer = Writer::here(connection, wal, Arc::clone(&clock));
        Ok(Some(Self { writer, clock: Some(clock), tokens: Arc::default(), ..self }))
    }

    /// The states that were entered since this was asked last: of what, which, and how often. A `work`, a `row`, a
    /// `decision`, or the `stage` of a handoff.
    ///
    /// # Errors
    /// [`StoreError::Statement`], where the ledger is no simulated one.
    pub async fn reached(&self) -> Result<Vec<(String, String, u64)>, StoreError> {
        self.writer
            .call("counting the states that were reached", |tx| {
                let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, u64::from(row.get::<_, u32>(2)?)));
                let reached = tx.all(include_str!("queries/state_reached.sql"), [], read)?;
                tx.execute(include_str!("queries/state_forget.sql"), [])?;
                Ok(reached)
            })
            .await
    }
}

/// Count the states that are entered through this connection.
pub(super) fn watch(connection: &Connection) -> Result<(), StoreError> {
    let watch = concat!("PRAGMA temp_store = MEMORY;\n", include_str!("queries/state_watch.sql"));
    connection.execute_batch(watch).map_err(|source| failed("watching a simulated ledger", source))
}

/// The way back to an image of a simulated ledger. It passes all rules of the schema, and so it has a connection of its own.
pub struct WayBack {
    connection: Connection,
    statements: Vec<String>,
    schema: i64,
}

impl WayBack {
    /// A way back for the ledger in this file, which begins as a copy of the image.
    ///
    /// # Errors
    /// [`StoreError::Open`] or [`StoreError::Statement`], where one of the two can't be read.
    pub fn new(ledger: &Path, image: &Path) -> Result<Self, StoreError> {
        let connection = open::writable(ledger)?;
        let setting = || -> rusqlite::Result<()> {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
            connection.execute_batch(
                "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = OFF;",
            )?;
            connection.execute("ATTACH ?1 AS image", [image.display().to_string()])?;
            Ok(())
        };
        setting().map_err(|source| failed(OPERATION, source))?;
        // What the planner goes by never changes.
        let names =
            "SELECT name FROM image.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'";
        let tables: Vec<String> = all(&connection, OPERATION, names, [], |row| row.get(0))?;
        let mut statements = Vec::new();
        for table in tables {
            statements.push(format!("DELETE FROM main.\"{table}\""));
            let any = format!("SELECT 1 FROM image.\"{table}\" LIMIT 1");
            if first(&connection, OPERATION, &any, [], |_| Ok(()))?.is_some() {
                statements.push(format!("INSERT INTO main.\"{table}\" SELECT * FROM image.\"{table}\""));
            }
        }
        let schema = schema(&connection)?;
        Ok(Self { connection, statements, schema })
    }

    /// Go back; whether the ledger is as it was. It is not where its schema has been changed.
    ///
    /// # Errors
    /// [`StoreError::Statement`] or [`StoreError::Busy`], where that is not possible; then nothing has changed.
    pub fn go(&self) -> Result<bool, StoreError> {
        if schema(&self.connection)? != self.schema {
            return Ok(false);
        }
        let run = || -> rusqlite::Result<()> {
            let transaction = self.connection.unchecked_transaction()?;
            for statement in &self.statements {
                transaction.prepare_cached(statement)?.execute([])?;
            }
            transaction.commit()
        };
        run().map_err(|source| failed(OPERATION, source))?;
        Ok(true)
    }
}

/// A number that is another one after each change of the schema.
fn schema(connection: &Connection) -> Result<i64, StoreError> {
    connection
        .query_row("PRAGMA main.schema_version", [], |row| row.get(0))
        .map_err(|source| failed(OPERATION, source))
}
