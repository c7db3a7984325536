//! Reading stored rows back into the store's types.

use crate::identity::key::RowId;
use crate::store::intent::{Intent, IntentState};
use crate::store::outbox::{OutboxRow, RowState};
use crate::store::work::{Holder, WorkRecord, WorkState};
use rusqlite::Row;
use rusqlite::types::Type;

/// A 32-byte key in a column.
pub(super) fn key<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<T>
where
    T: for<'a> TryFrom<&'a [u8]>,
    for<'a> <T as TryFrom<&'a [u8]>>::Error: std::error::Error + Send + Sync + 'static,
{
    let index = row.as_ref().column_index(column)?;
    let bytes: Vec<u8> = row.get(index)?;
    T::try_from(&bytes[..]).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(index, Type::Blob, error.to_string().into())
    })
}

/// The same, where there may be none.
fn optional_key(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<RowId>> {
    let index = row.as_ref().column_index(column)?;
    let bytes: Option<[u8; 32]> = row.get(index)?;
    Ok(bytes.map(RowId::from_bytes))
}

/// UTF-8 text that is stored as bytes, because it may hold U+0000.
pub(super) fn text(row: &Row<'_>, column: &str) -> rusqlite::Result<String> {
    let index = row.as_ref().column_index(column)?;
    let bytes: Vec<u8> = row.get(index)?;
    String::from_utf8(bytes)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Blob, Box::new(error)))
}

/// The same, where there may be none.
pub(super) fn optional_text(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<String>> {
    let index = row.as_ref().column_index(column)?;
    let bytes: Option<Vec<u8>> = row.get(index)?;
    bytes
        .map(String::from_utf8)
        .transpose()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(index, Type::Blob, Box::new(error)))
}

/// A number of things, which is never below 0.
pub(super) fn count(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or(0))
}

/// A state's word.
pub(super) fn state<T>(row: &Row<'_>, from_word: impl Fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    word(row, "state", from_word)
}

/// A word in a column that stands for one of few things.
pub(super) fn word<T>(
    row: &Row<'_>,
    column: &str,
    from_word: impl Fn(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let index = row.as_ref().column_index(column)?;
    let word: String = row.get(index)?;
    from_word(&word).ok_or_else(|| {
        let what = format!("unknown {column} {word:?}");
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, what.into())
    })
}

/// The columns of `work_read`, `work_show` and `work_list`.
pub(super) fn work(row: &Row<'_>) -> rusqlite::Result<WorkRecord> {
    Ok(WorkRecord {
        namespace: row.get("namespace")?,
        work_id: key(row, "work_id")?,
        root_key: key(row, "root_key")?,
        root_version: row.get("root_version")?,
        readable_key: row.get("readable_key")?,
        step: row.get("step")?,
        version: row.get("version")?,
        holder: word(row, "holder", Holder::from_word)?,
        source: row.get("source")?,
        event_id: row.get("event_id")?,
        occurred_at_ms: row.get("occurred_at_ms")?,
        payload: text(row, "payload")?,
        state: state(row, WorkState::from_word)?,
        attempt: row.get("attempt")?,
        budget_from_ms: row.get("budget_from_ms")?,
        chunk: row.get("chunk")?,
        duplicates: count(row, "duplicates")?,
        due_ms: row.get("due_ms")?,
        lease_until_ms: row.get("lease_until_ms")?,
        cursor: row.get("cursor")?,
        output: optional_text(row, "output")?,
        needs_review: row.get("needs_review")?,
        cause: row.get("cause")?,
        chain_depth: row.get("chain_depth")?,
        erased_ms: row.get("erased_ms")?,
        created_ms: row.get("created_ms")?,
        updated_ms: row.get("updated_ms")?,
    })
}

/// The columns of `intent_list`.
pub(super) fn intent(row: &Row<'_>) -> rusqlite::Result<Intent> {
    Ok(Intent {
        slot: row.get("slot")?,
        token: row.get("token")?,
        opened_ms: row.get("opened_ms")?,
        state: state(row, IntentState::from_word)?,
        external_reference: row.get("external_reference")?,
    })
}

/// The columns of `outbox_list` and `outbox_resolve`.
pub(super) fn outbox(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    Ok(OutboxRow {
        namespace: row.get("namespace")?,
        row_id: key(row, "row_id")?,
        work_id: key(row, "work_id")?,
        destination: row.get("destination")?,
        slot: row.get("slot")?,
        payload: text(row, "payload")?,
        payload_hash: row.get("payload_hash")?,
        revision: row.get("revision")?,
        state: state(row, RowState::from_word)?,
        ordering_key: row.get("ordering_key")?,
        behind: optional_key(row, "behind_row")?,
        approval_reason: row.get("approval_reason")?,
        approval_until_ms: row.get("approval_until_ms")?,
        approved_by: row.get("approved_by")?,
        suppressed_by: optional_key(row, "suppressed_by")?,
        receipt_step: row.get("receipt_step")?,
        attempt: row.get("attempt")?,
        maybe_applied: row.get("maybe_applied")?,
        due_ms: row.get("due_ms")?,
        cause: row.get("cause")?,
        receipt: optional_text(row, "receipt")?,
        external_reference: row.get("external_reference")?,
        erased_ms: row.get("erased_ms")?,
        created_ms: row.get("created_ms")?,
        updated_ms: row.get("updated_ms")?,
    })
}
