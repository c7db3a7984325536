//! The work that goes on from a receipt, inserted in the transaction that marks the row as sent.

use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::identity::readable_key::under;
use crate::identity::work_id::{follow_up_content, receipt_work_id};
use crate::store::error::StoreError;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use serde_json::Value;

/// A sent row, as the step that goes on from it is told about it.
struct Sent {
    work: WorkId,
    readable_key: String,
    step: String,
    version: u32,
    slot: String,
    payload: String,
}

/// Insert the work of the step that the row names for its receipt, where it names one. With a doubt it waits for a person.
pub(super) fn follow(
    tx: &Tx<'_>,
    namespace: &str,
    row: RowId,
    doubt: Option<&str>,
) -> Result<(), StoreError> {
    let key = (namespace, row.as_bytes());
    let sent = tx.first(include_str!("queries/outbox_receipt.sql"), key, |found| {
        let slot: String = found.get("slot")?;
        // What was sent and what was answered stand in it to the byte, so that no number is rounded on the way.
        let payload = format!(
            r#"{{"row":"{row}","destination":{},"slot":{},"reference":{},"receipt":{},"sent":{}}}"#,
            Value::from(found.get::<_, String>("destination")?),
            Value::from(slot.as_str()),
            Value::from(found.get::<_, Option<String>>("external_reference")?),
            answer(rows::optional_text(found, "receipt")?.unwrap_or_default()),
            rows::text(found, "payload")?,
        );
        Ok(Sent {
            work: rows::key(found, "work_id")?,
            readable_key: found.get("readable_key")?,
            step: found.get("receipt_step")?,
            version: found.get("receipt_version")?,
            slot,
            payload,
        })
    })?;
    let Some(sent) = sent else { return Ok(()) };
    let id = receipt_work_id(namespace, &row, &sent.step);
    let readable_key = format!("{}:{}", under(&sent.readable_key, &sent.step, sent.version), sent.slot);
    let inserted = tx.execute(
        include_str!("queries/work_follow_receipt.sql"),
        (
            namespace,
            sent.work.as_bytes(),
            id.as_bytes(),
            &sent.step,
            sent.version,
            &readable_key,
            follow_up_content(&sent.payload).as_bytes(),
            sent.payload.as_bytes(),
            row.as_bytes(),
            doubt,
            tx.now_ms,
        ),
    )?;
    if inserted == 1 {
        tx.evidence(namespace, sent.work, "followed", &format!("by {} ({id}), from the receipt", sent.step))?;
        let held = doubt.map(|why| format!("; it waits for a person: {why}")).unwrap_or_default();
        tx.evidence(namespace, id, "recorded", &format!("goes on from the receipt of the row {row}{held}"))?;
    }
    Ok(())
}

/// The destination's answer as JSON: its own, else its text; null where there was none.
fn answer(text: String) -> String {
    if text.is_empty() {
        return Value::Null.to_string();
    }
    if serde_json::from_str::<Value>(&text).is_ok() { text } else { Value::String(text).to_string() }
}
