//! Items of a batch.

use crate::store::error::StoreError;
use crate::store::item::{ItemClaim, ItemEffect, ItemRecord, ItemRecorded, ItemVerdict};
use crate::store::sqlite::intent;
use crate::store::sqlite::tx::Tx;
use crate::store::work::{Settlement, WorkRef};

/// Claim items for a run that still holds its work; none where it does not.
pub(super) fn claim(tx: &Tx<'_>, claim: &ItemClaim) -> Result<Option<Vec<ItemVerdict>>, StoreError> {
    if !tx.holds(&claim.work, claim.token)? {
        return Ok(None);
    }
    claim.keys.iter().map(|key| claim_one(tx, claim, key)).collect::<Result<_, _>>().map(Some)
}

fn claim_one(tx: &Tx<'_>, claim: &ItemClaim, key: &str) -> Result<ItemVerdict, StoreError> {
    let (namespace, step) = (&claim.work.namespace, &claim.step);
    let found = tx.first(include_str!("queries/item_find.sql"), (namespace, step, key), |row| {
        Ok((row.get::<_, bool>(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, bool>(2)?))
    })?;
    match found {
        Some((true, reference, _)) => return Ok(ItemVerdict::Done(reference)),
        // Also an earlier entry of the same list: the run holds the key already.
        Some((false, _, true)) => return Ok(ItemVerdict::InProgress),
        Some((false, _, false)) | None => {}
    }
    let values = (namespace, step, key, claim.work.id.as_bytes(), claim.token.number(), tx.now_ms);
    tx.execute(include_str!("queries/item_claim.sql"), values)?;
    Ok(ItemVerdict::Acquired)
}

/// Keep a caller's word that an item has been done.
pub(super) fn record(tx: &Tx<'_>, record: &ItemRecord) -> Result<ItemRecorded, StoreError> {
    let ItemRecord { work: WorkRef { namespace, id }, step, token, item } = record;
    let (key, reference) = (&item.key, &item.external_reference);
    let owned = (namespace, step, key, id.as_bytes(), token.number());
    let found = tx.first(include_str!("queries/item_owned.sql"), owned, |row| {
        Ok((row.get::<_, bool>("done")?, row.get("external_reference")?))
    })?;
    let said = format!("{key:?}{}, token {token}", intent::told(reference.as_deref()));
    match found {
        Some((true, external_reference)) => Ok(ItemRecorded::Already { external_reference }),
        Some((false, _)) => {
            let values = (namespace, step, key, id.as_bytes(), token.number(), reference, tx.now_ms);
            if tx.execute(include_str!("queries/item_record.sql"), values)? != 1 {
                return Err(tx.corrupt(format!("the item {key:?} is held and could not be finished")));
            }
            tx.evidence(namespace, *id, "item-recorded", &said)?;
            Ok(ItemRecorded::Applied)
        }
        None => {
            if intent::was_given(tx, &record.work, *token)?.is_some() {
                tx.evidence(namespace, *id, "item-recorded", &format!("late, it is not held: {said}"))?;
            }
            Ok(ItemRecorded::NotHeld)
        }
    }
}

/// Finish and release items with the run's outcome.
pub(super) fn finish(
    tx: &Tx<'_>,
    settlement: &Settlement,
    effects: &[ItemEffect],
    released: &[String],
) -> Result<(), StoreError> {
    let (namespace, work, token) =
        (&settlement.work.namespace, settlement.work.id, settlement.token.number());
    for effect in effects {
        let finished = tx.execute(
            include_str!("queries/item_finish.sql"),
            (namespace, work.as_bytes(), &effect.key, token, &effect.external_reference, tx.now_ms),
        )?;
        if finished != 1 {
            return Err(
                tx.corrupt(format!("the item {:?} is not held by the run that finished it", effect.key))
            );
        }
    }
    for key in released {
        tx.execute(include_str!("queries/item_release.sql"), (namespace, work.as_bytes(), key, token))?;
    }
    if !effects.is_empty() {
        tx.evidence(namespace, work, "items", &format!("{} items done", effects.len()))?;
    }
    Ok(())
}
