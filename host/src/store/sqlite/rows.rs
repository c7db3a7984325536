//! Reading stored rows back into the store's types.

use crate::identity::key::RowId;
use crate::store::claim::Recorded;
use crate::store::decided::{Decided, DecisionEntry, ModelTotals};
use crate::store::decision::{Figures, answer_hash};
use crate::store::intent::{Intent, IntentState};
use crate::store::outbox::{OutboxRow, RowState};
use crate::store::slot::SlotApproval;
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

/// A number that is never negative, where there is one.
fn number(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<u64>> {
    let number: Option<i64> = row.get(column)?;
    Ok(number.map(|number| u64::try_from(number).unwrap_or(0)))
}

/// What people have said about a decision: the columns of a pin that are theirs.
pub(super) fn slot_approval(row: &Row<'_>) -> rusqlite::Result<SlotApproval> {
    if let Some(at_ms) = row.get("approved_ms")? {
        return Ok(SlotApproval::Approved { by: row.get("approved_by")?, at_ms });
    }
    if let Some(at_ms) = row.get("rejected_ms")? {
        return Ok(SlotApproval::Rejected { reason: row.get("rejected")?, at_ms });
    }
    Ok(match row.get::<_, Option<i64>>("held_ms")? {
        Some(_) => SlotApproval::Waiting { expires_ms: row.get("expires_ms")? },
        None => SlotApproval::NotAsked,
    })
}

/// The columns of `decision_list` and its kin.
pub(super) fn decision(row: &Row<'_>) -> rusqlite::Result<DecisionEntry> {
    let decided = match optional_text(row, "answer")? {
        Some(answer) => Some(Decided {
            answer_hash: answer_hash(&answer),
            answer,
            origin: row.get("origin")?,
            model: row.get("model")?,
            prompt_version: row.get("prompt_version")?,
            figures: Figures {
                calls: row.get("calls")?,
                tokens_in: number(row, "tokens_in")?,
                tokens_out: number(row, "tokens_out")?,
                cost_micros: number(row, "cost_micros")?,
                latency_ms: number(row, "latency_ms")?.unwrap_or(0),
            },
        }),
        None => None,
    };
    Ok(DecisionEntry {
        work_id: key(row, "work_id")?,
        work_key: row.get("readable_key")?,
        work_state: state(row, WorkState::from_word)?,
        slot: row.get("slot")?,
        revision: row.get("revision")?,
        decided,
        approval: slot_approval(row)?,
        replays: number(row, "replays")?.unwrap_or(0),
        created_ms: row.get("created_ms")?,
    })
}

/// The columns of `decision_totals`.
pub(super) fn model_totals(row: &Row<'_>) -> rusqlite::Result<ModelTotals> {
    let total = |column| Ok::<_, rusqlite::Error>(number(row, column)?.unwrap_or(0));
    Ok(ModelTotals {
        model: row.get("model")?,
        calls: total("calls")?,
        failed_calls: total("failed_calls")?,
        tokens_in: total("tokens_in")?,
        tokens_out: total("tokens_out")?,
        cost_micros: total("cost_micros")?,
        asked: total("asked")?,
        cached: total("cached")?,
        replayed: total("replayed")?,
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

/// The columns of `work_rest`.
pub(super) fn recorded(row: &Row<'_>) -> rusqlite::Result<Recorded> {
    Ok(Recorded {
        state: state(row, WorkState::from_word)?,
        output: optional_text(row, "output")?,
        needs_review: row.get("needs_review")?,
        cause: row.get("cause")?,
        erased: row.get("erased")?,
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
        late: row.get("late")?,
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
