//! The work that goes on from a receipt, inserted in the transaction that marks the row as sent.

use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::identity::readable_key::under;
use crate::identity::work_id::{follow_up_content, receipt_work_id};
use crate::store::error::StoreError;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use serde_json::{Value, json};

/// A sent row, as the step that goes on from it is told about it.
struct Sent {
    work: WorkId,
    readable_key: String,
    step: String,
    version: u32,
    slot: String,
    payload: Value,
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
        let (destination, slot): (String, String) = (found.get("destination")?, found.get("slot")?);
        let receipt = rows::optional_text(found, "receipt")?.filter(|text| !text.is_empty());
        let reference: Option<String> = found.get("external_reference")?;
        let payload = json!({
            "row": row.to_string(),
            "destination": destination,
            "slot": slot,
            "reference": reference,
            "receipt": receipt.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))),
            "sent": serde_json::from_str::<Value>(&rows::text(found, "payload")?).unwrap_or(Value::Null),
        });
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
    let payload = sent.payload.to_string();
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
            follow_up_content(&payload).as_bytes(),
            payload.as_bytes(),
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
