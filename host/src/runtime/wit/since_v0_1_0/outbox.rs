//! `outbox`: enqueue.

use crate::identity::json_text;
use crate::identity::work_id::row_payload_hash;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::outbox as wit;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::outbox::{EnqueueError, Host, Row};
use crate::store::outbox::{Approval, FoundRow, NewRow, ReceiptStep};
use crate::store::work::CHAIN_DEPTH_MAX;

impl Host for RunState {
    async fn enqueue(&mut self, row: Row) -> wasmtime::Result<Result<String, EnqueueError>> {
        self.count_call()?;
        if let Err(what) = self.refuse_read_only("enqueuing a row") {
            return Ok(Err(EnqueueError::NotGranted(what)));
        }
        let new = match self.new_row(row) {
            Ok(new) => new,
            Err(error) => return Ok(Err(error)),
        };
        let stored = match self.collected_row(new.id) {
            Some(collected) => Some(FoundRow { payload_hash: collected.payload_hash, live: collected.id }),
            None => {
                self.desk.store().outbox_find(&self.job.work.namespace, new.id).await.map_err(Stop::Store)?
            }
        };
        let id = stored.as_ref().map_or(new.id, |found| found.live).to_string();
        match stored {
            Some(found) if found.payload_hash != new.payload_hash => {
                return Ok(Err(EnqueueError::Conflict(id)));
            }
            Some(_) => {}
            None if self.collected.rows.len() >= self.limits.rows as usize => {
                let what = format!("{} rows a run (limits.rows)", self.limits.rows);
                return Ok(Err(EnqueueError::Limit(what)));
            }
            None => {
                let bytes = new.destination.len() + new.slot.len() + new.payload.len();
                if let Err(what) = self.collect(bytes) {
                    return Ok(Err(EnqueueError::Limit(what)));
                }
                self.collected.rows.push(new);
            }
        }
        Ok(Ok(id))
    }
}

impl RunState {
    /// The step that a row names for its receipt.
    fn receipt_step(&self, step: &str) -> Result<ReceiptStep, EnqueueError> {
        let Some(version) = self.job.receipt_steps.get(step) else {
            let known = self.job.receipt_steps.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(EnqueueError::InvalidRow(format!(
                "the receipt step {step:?} is none that this host runs outside its flow; it has {known}"
            )));
        };
        if self.job.work.chain_depth >= CHAIN_DEPTH_MAX {
            return Err(EnqueueError::Limit(format!(
                "{CHAIN_DEPTH_MAX} works that follow one another (chain depth)"
            )));
        }
        Ok(ReceiptStep { step: step.to_owned(), version: *version })
    }

    /// The row that a guest describes, or what is wrong with it.
    fn new_row(&self, row: Row) -> Result<NewRow, EnqueueError> {
        let names = [
            ("a destination's name", Some(&row.destination)),
            ("a slot", Some(&row.slot)),
            ("an ordering key", row.ordering_key.as_ref()),
            ("the reason of an approval", row.approval.as_ref().map(|approval| &approval.reason)),
        ];
        for (what, name) in names {
            if name.is_some_and(|name| name.len() > NAME_LIMIT_BYTES) {
                return Err(EnqueueError::Limit(format!("{what} has at most {NAME_LIMIT_BYTES} bytes")));
            }
        }
        let Some(terms) = self.job.grants.destinations.get(&row.destination) else {
            return Err(EnqueueError::NotGranted(format!(
                "the destination {:?} needs both the contract to ask for it and the operator to grant it",
                row.destination
            )));
        };
        if row.slot.is_empty() {
            return Err(EnqueueError::InvalidRow("the slot is empty; name the effect".to_owned()));
        }
        if row.ordering_key.as_ref().is_some_and(String::is_empty) {
            return Err(EnqueueError::InvalidRow(
                "the ordering key is empty; name what is in order, or leave it out".to_owned(),
            ));
        }
        let receipt_step = row.receipt_step.as_ref().map(|step| self.receipt_step(step)).transpose()?;
        if row.effect_version == 0 {
            return Err(EnqueueError::InvalidRow("effect versions count from 1".to_owned()));
        }
        let payload = json_text::parse(&row.payload)
            .map_err(|error| EnqueueError::InvalidRow(format!("the payload is not usable JSON: {error}")))?;
        Ok(NewRow {
            id: self.row_id(&row.destination, &row.slot, row.effect_version),
            destination: row.destination,
            slot: row.slot,
            effect_version: row.effect_version,
            payload: row.payload,
            payload_hash: row_payload_hash(&payload),
            same: terms.sameness.as_ref().and_then(|rule| rule.of(&payload)),
            ordering_key: row.ordering_key,
            approval: row.approval.map(approval).or_else(|| terms.approval()),
            receipt_step,
        })
    }
}

fn approval(asked: wit::Approval) -> Approval {
    let expires_after_ms =
        asked.expires_after.map(|seconds| i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX));
    Approval { reason: asked.reason, expires_after_ms }
}
