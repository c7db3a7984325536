//! `outbox`: enqueue.

use crate::identity::canonical_json;
use crate::identity::json_text;
use crate::identity::key::digest;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::outbox::{EnqueueError, Host, Row};
use crate::store::outbox::NewRow;

const PAYLOAD_LABEL: &str = "onceward/row-payload";

impl Host for RunState {
    async fn enqueue(&mut self, row: Row) -> wasmtime::Result<Result<String, EnqueueError>> {
        self.count_call()?;
        let new = match self.new_row(row) {
            Ok(new) => new,
            Err(error) => return Ok(Err(error)),
        };
        let stored = match self.collected_row(new.id) {
            Some(collected) => Some(collected.payload_hash),
            None => {
                self.desk.store().outbox_find(&self.job.work.namespace, new.id).await.map_err(Stop::Store)?
            }
        };
        let id = new.id.to_string();
        match stored {
            Some(hash) if hash != new.payload_hash => return Ok(Err(EnqueueError::Conflict(id))),
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
        for (what, name) in [("a destination's name", &row.destination), ("a slot", &row.slot)] {
            if name.len() > NAME_LIMIT_BYTES {
                return Err(EnqueueError::Limit(format!("{what} has at most {NAME_LIMIT_BYTES} bytes")));
            }
        }
        if !self.job.grants.destinations.contains(&row.destination) {
            return Err(EnqueueError::NotGranted(format!(
                "the destination {:?} needs both the contract to ask for it and the operator to grant it",
                row.destination
            )));
        }
        if row.slot.is_empty() {
            return Err(EnqueueError::InvalidRow("the slot is empty; name the effect".to_owned()));
        }
        if row.effect_version == 0 {
            return Err(EnqueueError::InvalidRow("effect versions count from 1".to_owned()));
        }
        let payload = json_text::parse(&row.payload)
            .map_err(|error| EnqueueError::InvalidRow(format!("the payload is not usable JSON: {error}")))?;
        let canonical = canonical_json::canonical(&payload);
        Ok(NewRow {
            id: self.row_id(&row.destination, &row.slot, row.effect_version),
            destination: row.destination,
            slot: row.slot,
            effect_version: row.effect_version,
            payload: row.payload,
            payload_hash: digest(PAYLOAD_LABEL, &[canonical.as_bytes()]),
        })
    }
}
