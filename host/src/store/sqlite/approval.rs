//! Approvals and edits of held rows.

use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::identity::work_id::revision_id;
use crate::store::approval::{Approved, Edit, Edited};
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::outbox::{Approval, NewRow, ReceiptStep, RowRef, RowState};
use crate::store::sqlite::insert_row;
use crate::store::sqlite::insert_row::Insertion;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use rusqlite::Row;

/// Held rows that are cancelled at once, so that no transaction grows with their number.
const EXPIRE_BATCH: u32 = 100;

/// A row as far as its approval and its revisions go.
struct Revision {
    base: RowId,
    revision: u32,
    live: RowId,
    work: WorkId,
    destination: String,
    slot: String,
    effect_version: u32,
    payload_hash: [u8; 32],
    ordering_key: Option<String>,
    place: i64,
    approval_reason: Option<String>,
    approval_until_ms: Option<i64>,
    approved: Option<(String, i64)>,
    receipt_step: Option<ReceiptStep>,
    state: RowState,
    created_ms: i64,
}

impl Revision {
    fn find(tx: &Tx<'_>, row: &RowRef) -> Result<Option<Self>, StoreError> {
        let key = (&row.namespace, row.id.as_bytes());
        tx.first(include_str!("queries/outbox_revision.sql"), key, Self::read)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let by: Option<String> = row.get("approved_by")?;
        let at_ms: Option<i64> = row.get("approved_ms")?;
        let step: Option<String> = row.get("receipt_step")?;
        let version: Option<u32> = row.get("receipt_version")?;
        Ok(Self {
            base: rows::key(row, "base_id")?,
            revision: row.get("revision")?,
            live: rows::key(row, "live")?,
            work: rows::key(row, "work_id")?,
            destination: row.get("destination")?,
            slot: row.get("slot")?,
            effect_version: row.get("effect_version")?,
            payload_hash: row.get("payload_hash")?,
            ordering_key: row.get("ordering_key")?,
            place: row.get("place")?,
            approval_reason: row.get("approval_reason")?,
            approval_until_ms: row.get("approval_until_ms")?,
            approved: by.zip(at_ms),
            receipt_step: step.zip(version).map(|(step, version)| ReceiptStep { step, version }),
            state: rows::state(row, RowState::from_word)?,
            created_ms: row.get("created_ms")?,
        })
    }

    fn expired_ms(&self, now_ms: i64) -> Option<i64> {
        self.approval_until_ms.filter(|until_ms| *until_ms <= now_ms)
    }
}

pub(super) fn approve(
    tx: &Tx<'_>,
    row: &RowRef,
    payload_hash: Option<[u8; 32]>,
    actor: &Actor,
) -> Result<Approved, StoreError> {
    let Some(found) = Revision::find(tx, row)? else { return Ok(Approved::Unknown) };
    if payload_hash.is_some_and(|hash| hash != found.payload_hash) {
        return Ok(Approved::OtherPayload { payload_hash: found.payload_hash });
    }
    match (found.state, &found.approved) {
        (RowState::Superseded, _) => return Ok(Approved::Superseded { by: found.live }),
        (_, Some((by, at_ms))) => return Ok(Approved::Already { by: by.clone(), at_ms: *at_ms }),
        (RowState::Held, None) => {}
        (state, None) => return Ok(Approved::Refused(state)),
    }
    if let Some(at_ms) = found.expired_ms(tx.now_ms) {
        return Ok(Approved::Expired { at_ms });
    }
    let key = (&row.namespace, row.id.as_bytes(), &actor.name, tx.now_ms);
    if tx.execute(include_str!("queries/outbox_approve.sql"), key)? != 1 {
        return Err(tx.corrupt("a held row could not be approved"));
    }
    let detail = format!(
        "row {}, revision {}, payload {}, by {}: {}",
        row.id,
        found.revision,
        RowId::from_bytes(found.payload_hash),
        actor.name,
        actor.reason
    );
    tx.evidence(&row.namespace, found.work, "approved", &detail)?;
    Ok(Approved::Applied)
}

pub(super) fn edit(tx: &Tx<'_>, row: &RowRef, edit: &Edit, actor: &Actor) -> Result<Edited, StoreError> {
    let Some(found) = Revision::find(tx, row)? else { return Ok(Edited::Unknown) };
    match found.state {
        RowState::Superseded => return Ok(Edited::Superseded { by: found.live }),
        RowState::Held => {}
        state => return Ok(Edited::Refused(state)),
    }
    if let Some(at_ms) = found.expired_ms(tx.now_ms) {
        return Ok(Edited::Expired { at_ms });
    }
    if edit.payload_hash == found.payload_hash {
        return Ok(Edited::Unchanged);
    }
    let revision = found.revision.saturating_add(1);
    let id = revision_id(&row.namespace, &found.base, revision);
    let cause = format!("edited by {} (row {id}, revision {revision}): {}", actor.name, actor.reason);
    let superseded = (&row.namespace, row.id.as_bytes(), &cause, tx.now_ms);
    if tx.execute(include_str!("queries/outbox_supersede.sql"), superseded)? != 1 {
        return Err(tx.corrupt("a held row could not be superseded"));
    }
    tx.evidence(&row.namespace, found.work, "superseded", &format!("row {}: {cause}", row.id))?;
    let (work, base, place) = (found.work, found.base, Some(found.place));
    let new = successor(found, id, edit);
    let insertion = Insertion { namespace: &row.namespace, work, row: &new, base, revision, place };
    let state = insert_row::insert(tx, &insertion)?;
    let state = state.ok_or_else(|| tx.corrupt("a revision was there before it was made"))?;
    insert_row::release_suppressed(tx, &row.namespace, row.id)?;
    Ok(Edited::Applied { row: id, revision, state })
}

/// The row that takes the place of an edited one. The person has as long for it as for the one before.
fn successor(found: Revision, id: RowId, edit: &Edit) -> NewRow {
    let expires_after_ms = found.approval_until_ms.map(|until_ms| until_ms.saturating_sub(found.created_ms));
    NewRow {
        id,
        destination: found.destination,
        slot: found.slot,
        effect_version: found.effect_version,
        payload: edit.payload.clone(),
        payload_hash: edit.payload_hash,
        ordering_key: found.ordering_key,
        approval: found.approval_reason.map(|reason| Approval { reason, expires_after_ms }),
        receipt_step: found.receipt_step,
        same: edit.same.clone(),
    }
}

/// Cancel held rows whose time is over.
pub(super) fn expire(tx: &Tx<'_>, namespace: &str) -> Result<Vec<RowId>, StoreError> {
    let key = (namespace, tx.now_ms, EXPIRE_BATCH);
    let expired: Vec<RowId> =
        tx.all(include_str!("queries/outbox_expiring.sql"), key, |row| rows::key(row, "row_id"))?;
    for id in &expired {
        let cause = "nobody approved it in time";
        let key = (
            namespace,
            id.as_bytes(),
            RowState::Held.word(),
            RowState::Cancelled.word(),
            tx.now_ms,
            cause,
            None::<&str>,
            None::<i64>,
            false,
            None::<&str>,
        );
        let work: Option<WorkId> =
            tx.first(include_str!("queries/outbox_decide.sql"), key, |row| rows::key(row, "work_id"))?;
        let work = work.ok_or_else(|| tx.corrupt("an expired row could not be cancelled"))?;
        tx.evidence(namespace, work, "expired", &format!("row {id}: {cause}"))?;
        insert_row::release_suppressed(tx, namespace, *id)?;
    }
    Ok(expired)
}
