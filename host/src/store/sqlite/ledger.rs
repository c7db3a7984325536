//! Claims and their ends: the role, each operation one command of the writer.

use crate::contract::fence::Token;
use crate::contract::step::StepContract;
use crate::store::Ledger;
use crate::store::claim::{Arrival, Claim, Taking, Terms};
use crate::store::error::StoreError;
use crate::store::intent::{EffectRecord, Extended, Extension, Recorded};
use crate::store::item::{ItemClaim, ItemRecord, ItemRecorded, ItemVerdict};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::claim;
use crate::store::sqlite::contract;
use crate::store::sqlite::intent;
use crate::store::sqlite::item;
use crate::store::sqlite::rows;
use crate::store::sqlite::settle;
use crate::store::sqlite::tx::{Tx, first};
use crate::store::work::{Settled, Settlement, WorkRecord, WorkRef};
use async_trait::async_trait;

#[async_trait]
impl Ledger for SqliteStore {
    async fn work_claim(&self, arrival: Arrival, terms: Terms) -> Result<Claim, StoreError> {
        if let Some(answer) = self.repeated(&arrival) {
            return Ok(answer);
        }
        if arrival.taking == Taking::Record {
            // Its sender waits for the commit, so that it may be tried again alone where its batch fails.
            let recorded =
                self.writer.call("recording an event", move |tx| claim::claim(tx, &arrival, terms));
            return Ok(recorded.await?.0);
        }
        let run = move |tx: &Tx<'_>| claim::claim(tx, &arrival, terms);
        let (claim, told_after) = self.writer.call_early("claiming work", run).await?;
        told_after.wait().await?;
        Ok(claim)
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

    async fn work_held(&self, work: WorkRef, token: Token) -> Result<Option<WorkRecord>, StoreError> {
        self.readers
            .read(move |connection| {
                let key = (work.namespace, work.id.as_bytes(), token.number());
                first(
                    connection,
                    "looking for a claim",
                    include_str!("queries/work_held.sql"),
                    key,
                    rows::work,
                )
            })
            .await
    }

    async fn cursor_save(&self, work: WorkRef, token: Token, cursor: String) -> Result<bool, StoreError> {
        self.writer.call("saving a cursor", move |tx| save_cursor(tx, &work, token, &cursor)).await
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

    async fn item_record(&self, record: ItemRecord) -> Result<ItemRecorded, StoreError> {
        self.writer.call("recording an item", move |tx| item::record(tx, &record)).await
    }
}

fn save_cursor(tx: &Tx<'_>, work: &WorkRef, token: Token, cursor: &str) -> Result<bool, StoreError> {
    let values = (&work.namespace, work.id.as_bytes(), token.number(), cursor, tx.now_ms);
    if tx.execute(include_str!("queries/cursor_save.sql"), values)? == 1 {
        tx.evidence(&work.namespace, work.id, "cursor", "saved, attempts begin anew")?;
        return Ok(true);
    }
    tx.holds_for_caller(work, token)
}
