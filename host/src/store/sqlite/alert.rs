//! Alerts: what has stopped becomes an outbox row like any other, once each time it stops.

use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::identity::key::digest;
use crate::identity::work_id::row_payload_hash;
use crate::store::error::StoreError;
use crate::store::outbox::NewRow;
use crate::store::sqlite::insert_row;
use crate::store::sqlite::insert_row::Insertion;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use serde_json::{Value, json};

/// Alerts of one kind that are made at once, so that no transaction grows with the number of failures.
const BATCH: u32 = 100;

/// Something that has stopped.
struct Stopped {
    noun: &'static str,
    id: [u8; 32],
    work: WorkId,
    /// Where its rows go, where it is a row.
    destination: Option<String>,
    updated_ms: i64,
    payload: Value,
}

/// Make the alerts that are due, at most some; how many stops were looked at.
pub(super) fn collect(tx: &Tx<'_>, namespace: &str, destination: &str) -> Result<u64, StoreError> {
    let mut stopped = works(tx, namespace)?;
    stopped.extend(failed_rows(tx, namespace)?);
    for stop in &stopped {
        // An alert that can't be delivered is not told to the place where it could not be delivered.
        if stop.destination.as_deref() != Some(destination) {
            let row = alert(namespace, destination, stop);
            insert_row::insert(tx, &Insertion::first(namespace, stop.work, &row))?;
        }
        tx.execute(include_str!("queries/alert_told.sql"), (namespace, stop.noun, &stop.id[..]))?;
    }
    // Also of those that nobody is told of: there may be more behind them.
    Ok(stopped.len() as u64)
}

/// The row of an alert. Its id holds the moment of the stop, so that each stop is told once.
fn alert(namespace: &str, destination: &str, stop: &Stopped) -> NewRow {
    let moment = stop.updated_ms.to_string();
    let parts: [&[u8]; 4] = [namespace.as_bytes(), stop.noun.as_bytes(), &stop.id, moment.as_bytes()];
    NewRow {
        id: RowId::from_bytes(digest("onceward/alert", &parts)),
        destination: destination.to_owned(),
        slot: format!("alert:{}:{moment}", stop.noun),
        effect_version: 1,
        payload_hash: row_payload_hash(&stop.payload),
        payload: stop.payload.to_string(),
        ordering_key: None,
        approval: None,
        receipt_step: None,
        same: None,
    }
}

fn works(tx: &Tx<'_>, namespace: &str) -> Result<Vec<Stopped>, StoreError> {
    tx.all(include_str!("queries/alert_due_work.sql"), (namespace, BATCH), |row| {
        let work: WorkId = rows::key(row, "work_id")?;
        let state: String = row.get("state")?;
        let verb = if state == "in-doubt" { "resolve WORK --as done" } else { "replay WORK" };
        let remedy =
            format!("onceward work {verb} --by NAME --why REASON").replace("WORK", &work.to_string());
        let payload = json!({
            "kind": state,
            "work_id": work.to_string(),
            "key": row.get::<_, String>("readable_key")?,
            "step": row.get::<_, String>("step")?,
            "attempt": row.get::<_, u32>("attempt")?,
            "cause": row.get::<_, Option<String>>("cause")?,
            "remedy": remedy,
        });
        let updated_ms = row.get("updated_ms")?;
        Ok(Stopped { noun: "work", id: *work.as_bytes(), work, destination: None, updated_ms, payload })
    })
}

fn failed_rows(tx: &Tx<'_>, namespace: &str) -> Result<Vec<Stopped>, StoreError> {
    tx.all(include_str!("queries/alert_due_outbox.sql"), (namespace, BATCH), |row| {
        let id: RowId = rows::key(row, "row_id")?;
        let work: WorkId = rows::key(row, "work_id")?;
        let destination: String = row.get("destination")?;
        let payload = json!({
            "kind": row.get::<_, String>("state")?,
            "row_id": id.to_string(),
            "work_id": work.to_string(),
            "destination": destination,
            "slot": row.get::<_, String>("slot")?,
            "attempt": row.get::<_, u32>("attempt")?,
            "cause": row.get::<_, Option<String>>("cause")?,
            "remedy": format!("onceward outbox resolve {id} --as again --by NAME --why REASON"),
        });
        let updated_ms = row.get("updated_ms")?;
        let destination = Some(destination);
        Ok(Stopped { noun: "outbox", id: *id.as_bytes(), work, destination, updated_ms, payload })
    })
}
