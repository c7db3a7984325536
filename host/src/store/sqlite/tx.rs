//! One command's view of the writer's transaction.

use crate::contract::fence::Token;
use crate::identity::key::WorkId;
use crate::store::durable::Durable;
use crate::store::error::StoreError;
use crate::store::work::WorkRef;
use rusqlite::{Connection, ErrorCode, Params, Row};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

/// The transaction, the time that holds in it, and the operation's name for errors.
pub(super) struct Tx<'a> {
    pub(super) connection: &'a Connection,
    /// The store's time: it never goes back, also across restarts.
    pub(super) now_ms: i64,
    pub(super) operation: &'static str,
    /// The greatest token given out, also in transactions of this process that were undone: a claim may have been
    /// answered before its commit failed, and its token must never be somebody else's.
    pub(super) last_token: &'a Cell<i64>,
    /// When this transaction is on disk.
    pub(super) durable: Durable,
    /// Where it stands as soon as it has answered anybody.
    pub(super) open: &'a Mutex<Option<Durable>>,
}

impl Tx<'_> {
    /// Somebody has been answered already who may look: whoever looks from now on waits for this transaction.
    pub(super) fn will_be_seen(&self) {
        let durable = || self.durable.clone();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(durable);
    }

    /// Run a statement; the number of rows it changed.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        let run = || self.connection.prepare_cached(sql)?.execute(params);
        run().map_err(|source| failed(self.operation, source))
    }

    /// The first row of a query.
    pub(super) fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        first(self.connection, self.operation, sql, params, read)
    }

    /// All rows of a query.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        all(self.connection, self.operation, sql, params, read)
    }

    /// The next fencing token. That it was given out is written with the transaction.
    pub(super) fn next_token(&self) -> Token {
        self.last_token.set(self.last_token.get() + 1);
        Token::from_number(self.last_token.get())
    }

    /// The fence: whether this token is still the one that the work is run under.
    pub(super) fn holds(&self, work: &WorkRef, token: Token) -> Result<bool, StoreError> {
        let key = (&work.namespace, work.id.as_bytes(), token.number());
        let holds = self.first(include_str!("queries/work_holds.sql"), key, |row| row.get(0))?;
        Ok(holds == Some(true))
    }

    /// The fence of an outside caller, who holds no work of a step in this host.
    pub(super) fn holds_for_caller(&self, work: &WorkRef, token: Token) -> Result<bool, StoreError> {
        let key = (&work.namespace, work.id.as_bytes(), token.number());
        Ok(self.first(include_str!("queries/work_held.sql"), key, |_| Ok(()))?.is_some())
    }

    /// Append a line to a work's evidence.
    pub(super) fn evidence(
        &self,
        namespace: &str,
        work: WorkId,
        kind: &str,
        detail: &str,
    ) -> Result<(), StoreError> {
        let values = (namespace, work.as_bytes(), self.now_ms, kind, detail);
        self.execute(include_str!("queries/evidence_insert.sql"), values).map(|_| ())
    }

    pub(super) fn corrupt(&self, what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { operation: self.operation, what: what.into() }
    }
}

/// The first row of a query.
pub(super) fn first<T>(
    connection: &Connection,
    operation: &'static str,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, StoreError> {
    let run = || -> rusqlite::Result<Option<T>> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    };
    run().map_err(|source| failed(operation, source))
}

/// All rows of a query.
pub(super) fn all<T>(
    connection: &Connection,
    operation: &'static str,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let run =
        || -> rusqlite::Result<Vec<T>> { connection.prepare_cached(sql)?.query_map(params, read)?.collect() };
    run().map_err(|source| failed(operation, source))
}

/// What a fault of SQLite means for the caller.
pub(super) fn failed(operation: &'static str, source: rusqlite::Error) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { operation },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { operation },
        // The page cache no longer tells what is on disk after a failed write or fsync: nothing may be acknowledged.
        Some(ErrorCode::SystemIoFailure) => StoreError::Disk { operation, source: Arc::new(source) },
        // SQLite takes a read that the disk fails for a damaged file. Nothing was written, so it may be tried again.
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Unreadable { operation, source: Arc::new(source) },
        _ => StoreError::Statement { operation, source: Arc::new(source) },
    }
}
