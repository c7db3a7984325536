//! Progress that is told elsewhere: a row for each stage that a handoff reaches, like any other row.
//!
//! The row goes with the settlement that reaches the stage, and one handoff's rows leave in the order of its stages.

use crate::identity::time;
use crate::identity::work_id::{row_id, row_payload_hash};
use crate::runtime::job::RowTerms;
use crate::store::outbox::NewRow;
use crate::store::work::WorkRecord;
use serde_json::json;

/// The version of the row's effect: raised if the payload ever means something else.
const EFFECT_VERSION: u32 = 1;

/// How the slot of such a row begins.
pub(crate) const SLOT: &str = "progress:";

/// Where progress is told.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The destination.
    pub destination: String,
    /// What holds for every row to it.
    pub terms: RowTerms,
}

impl Mirror {
    /// The row that tells the stage of the handoff that descends from this root.
    pub(super) fn row(&self, root: &WorkRecord, stage: &str, at_ms: i64) -> NewRow {
        let payload = json!({ "key": root.readable_key, "stage": stage, "at": time::format_ms(at_ms) });
        let slot = format!("{SLOT}{stage}");
        NewRow {
            id: row_id(&root.namespace, &root.root_key, &self.destination, &slot, EFFECT_VERSION),
            destination: self.destination.clone(),
            slot,
            effect_version: EFFECT_VERSION,
            payload_hash: row_payload_hash(&payload),
            same: self.terms.sameness.as_ref().and_then(|rule| rule.of(&payload)),
            payload: payload.to_string(),
            ordering_key: Some(root.root_key.to_string()),
            approval: self.terms.approval(),
            receipt_step: None,
        }
    }
}
