//! Rows of outside callers: each is recorded at once, under the caller's claim.

use crate::contract::fence::Token;
use crate::identity::key::RowId;
use crate::store::error::StoreError;
use crate::store::outbox::{Enqueued, NewRow, RowState};
use crate::store::sqlite::insert_row;
use crate::store::sqlite::insert_row::Insertion;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use crate::store::work::WorkRef;

/// Record a row, or say what became of the one that the slot has; none where the claim is no longer the caller's.
pub(super) fn enqueue(
    tx: &Tx<'_>,
    work: &WorkRef,
    token: Token,
    row: &NewRow,
) -> Result<Option<Enqueued>, StoreError> {
    // Checked first, so that a stale holder can't even learn of a conflict.
    if !tx.holds_for_caller(work, token)? {
        return Ok(None);
    }
    let namespace = &work.namespace;
    let key = (namespace, row.id.as_bytes());
    let found = tx.first(include_str!("queries/outbox_find.sql"), key, |found| {
        let hash: [u8; 32] = found.get("payload_hash")?;
        Ok((hash, rows::key::<RowId>(found, "live")?, rows::state(found, RowState::from_word)?))
    })?;
    if let Some((hash, id, state)) = found {
        let same = hash == row.payload_hash;
        return Ok(Some(if same { Enqueued::There { id, state } } else { Enqueued::Conflict { id } }));
    }
    let state = insert_row::insert(tx, &Insertion::first(namespace, work.id, row))?
        .ok_or_else(|| tx.corrupt("a row that was not found could not be recorded"))?;
    Ok(Some(Enqueued::There { id: row.id, state }))
}
