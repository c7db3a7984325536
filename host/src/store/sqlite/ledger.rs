//! Claims and their ends: the role, each operation one command of the writer.

use crate::contract::step::StepContract;
use crate::store::Ledger;
use crate::store::claim::{Arrival, Claim, Taking, Terms};
use crate::store::error::StoreError;
use crate::store::intent::{EffectRecord, Extended, Extension, Recorded};
use crate::store::item::{ItemClaim, ItemVerdict};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::claim;
use crate::store::sqlite::contract;
use crate::store::sqlite::intent;
use crate::store::sqlite::item;
use crate::store::sqlite::settle;
use crate::store::work::{Settled, Settlement, WorkRef};
use async_trait::async_trait;

#[async_trait]
impl Ledger for SqliteStore {
    async fn work_claim(&self, arrival: Arrival, terms: Terms) -> Result<Claim, StoreError> {
        if arrival.taking == Taking::Record {
            // Its sender waits for the commit, so that it may be tried again alone where its batch fails.
            let recorded =
                self.writer.call("recording an event", move |tx| claim::claim(tx, &arrival, terms));
            return Ok(recorded.await?.0);
        }
        let claimed =
            self.writer.call_early("claiming work", move |tx| claim::claim(tx, &arrival, terms)).await?;
        // Only a new work may run before its claim is on disk: a crash then loses what nobody was told. What is told to a
        // caller must be true after a crash, and a work that was there before may be the one that kills its host.
        let new = matches!(&claimed.0, Claim::Acquired(held) if held.new);
        if !new {
            claimed.1.wait().await?;
        }
        Ok(claimed.0)
    }

    async fn work_settle(&self, settlement: Settlement) -> Result<Settled, StoreError> {
        self.writer.call("settling work", move |tx| settle::settle(tx, &settlement)).await
    }

    async fn effect_record(&self, work: WorkRef, effect: EffectRecord) -> Result<Recorded, StoreError> {
        self.writer.call("recording an effect", move |tx| intent::record(tx, &work, &effect)).await
    }

    async fn lease_extend(&self, work: WorkRef, extension: Extension) -> Result<Extended, StoreError> {
        self.writer.call("extending a lease", move |tx| intent::extend(tx, &work, &extension)).await
    }

    async fn contract_register(
        &self,
        namespace: &str,
        registered: &StepContract,
    ) -> Result<Vec<StepContract>, StoreError> {
        let (namespace, registered) = (namespace.to_owned(), registered.clone());
        self.writer
            .call("recording a contract", move |tx| contract::register(tx, &namespace, &registered))
            .await
    }

    async fn item_claim(&self, claim: ItemClaim) -> Result<Option<Vec<ItemVerdict>>, StoreError> {
        self.writer.call("claiming items", move |tx| item::claim(tx, &claim)).await
    }
}
