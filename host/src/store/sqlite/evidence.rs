//! Evidence, in order.

use crate::store::error::StoreError;
use crate::store::evidence::Evidence;
use crate::store::sqlite::tx::all;
use crate::store::work::WorkRef;
use rusqlite::Connection;

pub(super) fn list(connection: &Connection, work: &WorkRef) -> Result<Vec<Evidence>, StoreError> {
    let key = (&work.namespace, work.id.as_bytes());
    all(connection, "reading evidence", include_str!("queries/evidence_list.sql"), key, |row| {
        Ok(Evidence {
            seq: row.get("seq")?,
            at_ms: row.get("at_ms")?,
            kind: row.get("kind")?,
            detail: row.get("detail")?,
        })
    })
}
