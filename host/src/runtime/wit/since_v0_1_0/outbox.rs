//! `outbox`: enqueue.

use crate::runtime::row::{RowDraft, RowFault};
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::outbox as wit;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::outbox::{EnqueueError, Host, Row};
use crate::store::outbox::{Approval, FoundRow, NewRow};

impl Host for RunState {
    async fn enqueue(&mut self, row: Row) -> wasmtime::Result<Result<String, EnqueueError>> {
        self.begin_call("outbox.enqueue").await?;
        if let Err(what) = self.refuse_read_only("enqueuing a row") {
            return Ok(Err(EnqueueError::NotGranted(what)));
        }
        let new = match self.new_row(row) {
            Ok(new) => new,
            Err(error) => return Ok(Err(error)),
        };
        let stored = match self.collected_row(new.id) {
            Some(collected) => Some(FoundRow { payload_hash: collected.payload_hash, live: collected.id }),
            None if self.job.new => None,
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
    /// The row that a guest describes, or what is wrong with it.
    fn new_row(&self, row: Row) -> Result<NewRow, EnqueueError> {
        let terms = self.job.grants.destinations.get(&row.destination);
        let draft = RowDraft {
            destination: row.destination,
            slot: row.slot,
            effect_version: row.effect_version,
            payload: row.payload,
            ordering_key: row.ordering_key,
            approval: row.approval.map(approval),
            receipt_step: row.receipt_step,
        };
        draft.row(&self.job.work, terms, &self.job.receipt_steps).map_err(|fault| match fault {
            RowFault::Invalid(what) => EnqueueError::InvalidRow(what),
            RowFault::Limit(what) => EnqueueError::Limit(what),
            RowFault::Destination(name) => EnqueueError::NotGranted(format!(
                "the destination {name:?} needs both the contract to ask for it and the operator to grant it"
            )),
        })
    }
}

fn approval(asked: wit::Approval) -> Approval {
    let expires_after_ms =
        asked.expires_after.map(|seconds| i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX));
    Approval { reason: asked.reason, expires_after_ms }
}
