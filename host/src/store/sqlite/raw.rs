//! Events as they arrived.

use crate::identity::key::WorkId;
use crate::store::error::StoreError;
use crate::store::raw::Raw;
use crate::store::sqlite::tx::{Tx, first};
use crate::store::work::WorkRef;
use rusqlite::Connection;
use rusqlite::types::Type;

/// Keep an event under the id of its work, or the one that it would have as work.
pub(super) fn keep(tx: &Tx<'_>, namespace: &str, id: WorkId, raw: &Raw) -> Result<(), StoreError> {
    let headers = serde_json::to_string(&raw.headers).map_err(|error| tx.corrupt(error.to_string()))?;
    let values = (namespace, id.as_bytes(), &raw.content_type, headers, &raw.bytes, tx.now_ms);
    tx.execute(include_str!("queries/event_raw_insert.sql"), values).map(|_| ())
}

/// The event that a work descends from, or that is kept under this id.
pub(super) fn find(connection: &Connection, work: &WorkRef) -> Result<Option<Raw>, StoreError> {
    let key = (&work.namespace, work.id.as_bytes());
    let sql = include_str!("queries/event_raw_find.sql");
    first(connection, "looking for an event as it arrived", sql, key, |row| {
        let index = row.as_ref().column_index("headers")?;
        let headers: String = row.get(index)?;
        let headers = serde_json::from_str(&headers)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error)))?;
        Ok(Raw { bytes: row.get("body")?, content_type: row.get("content_type")?, headers })
    })
}
