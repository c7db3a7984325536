//! Items of an outside caller's batch.

use crate::contract::fence::Token;
use crate::dispatch::caller::error::CallerError;
use crate::dispatch::caller::settle::check_reference;
use crate::dispatch::caller::{Callers, check_name};
use crate::store::item::{ItemClaim, ItemEffect, ItemRecord, ItemRecorded, ItemVerdict};
use crate::store::work::WorkRef;

/// Items that are claimed at once: they are one transaction, behind which everybody else waits.
const ITEMS_MAX: usize = 1_000;

impl Callers {
    /// Claim items under a held work; a verdict for each, in order. What is not recorded as done is free again when the claim
    /// ends.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, there are too many items, a key is not usable, or the store fails.
    pub async fn claim_items(
        &self,
        work: WorkRef,
        token: Token,
        keys: Vec<String>,
    ) -> Result<Vec<ItemVerdict>, CallerError> {
        if keys.len() > ITEMS_MAX {
            return Err(CallerError::Items { count: keys.len(), limit: ITEMS_MAX });
        }
        keys.iter().try_for_each(|key| check_name("an item", key))?;
        let step = scope(&self.held(&work, token).await?.step);
        let claim = ItemClaim { work, step, token, keys };
        self.store.item_claim(claim).await?.ok_or(CallerError::LeaseLost)
    }

    /// Record that an item has been done. After the claim's end it counts too, while nobody else has claimed the item.
    ///
    /// # Errors
    /// [`CallerError`], where a name is not usable, or the store fails.
    pub async fn record_item(
        &self,
        work: WorkRef,
        token: Token,
        item: ItemEffect,
    ) -> Result<ItemRecorded, CallerError> {
        check_name("an item", &item.key)?;
        check_reference(item.external_reference.as_deref())?;
        let Some(found) = self.store.work_show(work.clone()).await? else {
            return Ok(ItemRecorded::NotHeld);
        };
        let record = ItemRecord { work, step: scope(&found.step), token, item };
        Ok(self.store.item_record(record).await?)
    }
}

/// What a caller's items belong to. No step has such a name, so that a scope shares no items with one.
fn scope(scope: &str) -> String {
    format!("caller:{scope}")
}
