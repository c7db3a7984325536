//! `ledger`: items of a batch.

use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::runtime::name;
use crate::runtime::name::NameFault;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::ledger::{
    Effect, Host, ItemVerdict, LedgerError,
};
use crate::store::item::ItemVerdict as Verdict;
use crate::store::item::{ItemClaim, ItemEffect};

type Answer<T> = wasmtime::Result<Result<T, LedgerError>>;

impl Host for RunState {
    async fn claim(&mut self, items: Vec<String>) -> Answer<Vec<ItemVerdict>> {
        self.begin_call("ledger.claim").await?;
        if let Err(what) = self.refuse_read_only("claiming items") {
            return Ok(Err(LedgerError::Limit(what)));
        }
        if let Some(bad) = items.iter().find(|key| key.is_empty() || key.len() > NAME_LIMIT_BYTES) {
            let what = format!("an item key has 1 to {NAME_LIMIT_BYTES} bytes; this one has {}", bad.len());
            return Ok(Err(LedgerError::InvalidKey(what)));
        }
        if let Err(fault) = items.iter().try_for_each(|key| name::check("an item key", key)) {
            return Ok(Err(LedgerError::InvalidKey(fault.to_string())));
        }
        // Every key counts, whatever becomes of it, or a run that asks for what others hold would never end.
        let Some(left) = self.items_left.checked_sub(items.len()) else {
            let what = format!(
                "{} items a run (limits.items); return continue(cursor) after a chunk",
                self.limits.items
            );
            return Ok(Err(LedgerError::Limit(what)));
        };
        if let Err(what) = self.collect(items.iter().map(String::len).sum()) {
            return Ok(Err(LedgerError::Limit(what)));
        }
        self.items_left = left;
        let claim = ItemClaim {
            work: self.job.work_ref(),
            step: self.job.work.step.clone(),
            token: self.job.token,
            keys: items.clone(),
        };
        let verdicts =
            self.desk.store().item_claim(claim).await.map_err(Stop::Store)?.ok_or(Stop::LeaseLost)?;
        for (key, verdict) in items.into_iter().zip(&verdicts) {
            if *verdict == Verdict::Acquired {
                self.items_held.insert(key);
            }
        }
        let told = verdicts.into_iter().map(|verdict| match verdict {
            Verdict::Acquired => ItemVerdict::Acquired,
            Verdict::Done(reference) => ItemVerdict::Done(reference),
            Verdict::InProgress => ItemVerdict::InProgress,
        });
        Ok(Ok(told.collect()))
    }

    async fn record_effect(&mut self, effect: Effect) -> Answer<()> {
        self.begin_call("ledger.record-effect").await?;
        let reference_bytes = effect.external_reference.as_ref().map_or(0, String::len);
        if let Some(reference) = &effect.external_reference
            && let Err(fault) = name::check("an external reference", reference)
        {
            return Ok(Err(match fault {
                NameFault::Long(_) => LedgerError::Limit(fault.to_string()),
                NameFault::Nul(_) => LedgerError::InvalidKey(fault.to_string()),
            }));
        }
        if !self.items_held.contains(&effect.item) {
            return Ok(Err(not_claimed(effect.item)));
        }
        if let Err(what) = self.collect(reference_bytes) {
            return Ok(Err(LedgerError::Limit(what)));
        }
        // The key was charged when it was claimed.
        self.items_held.remove(&effect.item);
        self.collected
            .effects
            .push(ItemEffect { key: effect.item, external_reference: effect.external_reference });
        Ok(Ok(()))
    }

    async fn release(&mut self, item: String) -> Answer<()> {
        self.begin_call("ledger.release").await?;
        if !self.items_held.remove(&item) {
            return Ok(Err(not_claimed(item)));
        }
        self.collected.released.push(item);
        Ok(Ok(()))
    }
}

/// What is not held can have any length, and no key that is held is longer than a name.
fn not_claimed(item: String) -> LedgerError {
    if item.len() > NAME_LIMIT_BYTES {
        return LedgerError::InvalidKey(format!("an item key has 1 to {NAME_LIMIT_BYTES} bytes"));
    }
    LedgerError::NotClaimed(item)
}
