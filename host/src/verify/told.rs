//! Whether people were told of everything that has stopped, where the operator wants them to be.

use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::outbox::{OutboxFilter, OutboxRow, RowState};
use crate::store::work::{WorkFilter, WorkState};
use crate::verify::finding::Finding;
use crate::verify::subject::NAMESPACE;
use serde_json::Value;

/// Works and rows of one run at most; one event makes a few.
const LIST_LIMIT: u32 = 10_000;

/// How the slot of an alert begins.
const ALERT: &str = "alert:";

/// Whether a row is an alert. Where and when something stops depends on what goes wrong, and so alerts differ from run to run.
pub(super) fn is_alert(row: &OutboxRow, alerts: Option<&str>) -> bool {
    alerts == Some(row.destination.as_str()) && row.slot.starts_with(ALERT)
}

/// What stands still, and no alert tells of it.
pub(super) async fn missing(ledger: &dyn Store, alerts: &str) -> Result<Vec<Finding>, StoreError> {
    let rows = ledger.outbox_list(OutboxFilter::all(NAMESPACE, LIST_LIMIT)).await?;
    let works = ledger.work_list(WorkFilter::all(NAMESPACE, LIST_LIMIT)).await?;
    let told: Vec<Value> = rows
        .iter()
        .filter(|row| is_alert(row, Some(alerts)))
        .filter_map(|row| serde_json::from_str(&row.payload).ok())
        .collect();
    let tells = |noun: &str, id: String, state: &str| {
        told.iter().any(|alert| alert[noun] == id.as_str() && alert["kind"] == state)
    };
    let untold = |what: String, state: &str| Finding::Untold { what, state: state.to_owned() };
    let mut missing = Vec::new();
    for work in works {
        let stopped = matches!(work.state, WorkState::Review | WorkState::InDoubt | WorkState::Dead);
        if stopped && !tells("work_id", work.work_id.to_string(), work.state.word()) {
            missing.push(untold(format!("the work {}", work.readable_key), work.state.word()));
        }
    }
    // What can't be delivered to the place of alerts is not told there.
    for row in rows.iter().filter(|row| row.destination != alerts) {
        let stopped = matches!(row.state, RowState::Blocked | RowState::InDoubt);
        if stopped && !tells("row_id", row.row_id.to_string(), row.state.word()) {
            missing
                .push(untold(format!("the effect {:?} at {}", row.slot, row.destination), row.state.word()));
        }
    }
    Ok(missing)
}
