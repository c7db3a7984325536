//! How far a ledger has come: its tokens and its time.

use crate::store::error::StoreError;
use crate::store::sqlite::tx::failed;
use crate::store::sqlite::witness::LedgerId;
use rusqlite::{Connection, Row};

/// How far a ledger has come.
pub(super) struct Sequence {
    pub(super) ledger: LedgerId,
    pub(super) token: i64,
    pub(super) now_ms: i64,
}

impl Sequence {
    pub(super) fn find(connection: &Connection) -> Result<Self, StoreError> {
        let read = |row: &Row<'_>| {
            Ok(Self { ledger: row.get("ledger_id")?, token: row.get("token")?, now_ms: row.get("now_ms")? })
        };
        connection
            .prepare_cached(include_str!("queries/sequence_find.sql"))
            .and_then(|mut find| find.query_row([], read))
            .map_err(|source| failed("reading how far the ledger has come", source))
    }
}
