//! What people say about decisions.

use crate::store::decision::answer_hash;
use crate::store::error::StoreError;
use crate::store::operate::{Actor, WorkDecision};
use crate::store::slot::{Seen, SlotApproval, SlotDecided, SlotDecision, SlotRef};
use crate::store::sqlite::decision;
use crate::store::sqlite::decision::StoredPin;
use crate::store::sqlite::operate::{decide_work, said, state_of};
use crate::store::sqlite::tx::Tx;
use crate::store::work::{Settlement, WorkState};

/// The states of a work whose answers may still be decided about.
const OPEN: [WorkState; 4] = [WorkState::Waiting, WorkState::Running, WorkState::Review, WorkState::Dead];

/// The states of a work whose answers may be renewed: nothing runs that may already have acted on them.
const RENEWABLE: [WorkState; 3] = [WorkState::Waiting, WorkState::Review, WorkState::Dead];

pub(super) fn decide(
    tx: &Tx<'_>,
    slot: &SlotRef,
    decision: &SlotDecision,
    actor: &Actor,
) -> Result<SlotDecided, StoreError> {
    let work = &slot.work;
    let Some(state) = state_of(tx, work)? else { return Ok(SlotDecided::Unknown) };
    let Some(pin) = decision::pinned(tx, &work.namespace, work.id, &slot.slot)? else {
        return Ok(SlotDecided::Unknown);
    };
    if let Some(differs) = changed(decision.seen(), &pin) {
        return Ok(differs);
    }
    match decision {
        SlotDecision::Approve(_) => approve(tx, slot, state, &pin, actor),
        SlotDecision::Reject(_) => reject(tx, slot, state, &pin, actor),
        SlotDecision::Renew(_) => renew(tx, slot, state, &pin, actor),
    }
}

/// What is there now, where it is not what the person saw.
fn changed(seen: &Seen, pin: &StoredPin) -> Option<SlotDecided> {
    let answer = answer_hash(pin.answer.as_deref().unwrap_or_default());
    let same = seen.revision.is_none_or(|revision| revision == pin.revision)
        && seen.answer.is_none_or(|seen| pin.answer.is_some() && seen == answer);
    (!same).then_some(SlotDecided::Changed { revision: pin.revision, answer })
}

fn approve(
    tx: &Tx<'_>,
    slot: &SlotRef,
    state: WorkState,
    pin: &StoredPin,
    actor: &Actor,
) -> Result<SlotDecided, StoreError> {
    match &pin.approval {
        SlotApproval::NotAsked => return Ok(SlotDecided::NotAsked),
        SlotApproval::Approved { .. } => return Ok(SlotDecided::Already),
        SlotApproval::Rejected { .. } => return Ok(SlotDecided::Contrary(pin.approval.clone())),
        SlotApproval::Waiting { expires_ms: Some(at_ms) } if tx.now_ms > *at_ms => {
            return Ok(SlotDecided::Expired(*at_ms));
        }
        SlotApproval::Waiting { .. } => {}
    }
    if !OPEN.contains(&state) {
        return Ok(SlotDecided::Refused(state));
    }
    write(tx, slot, include_str!("queries/decision_approve.sql"), &actor.name)?;
    evidence(tx, slot, pin, "approved", actor)?;
    go_on(tx, slot, state, &[WorkState::Review], actor)
}

fn reject(
    tx: &Tx<'_>,
    slot: &SlotRef,
    state: WorkState,
    pin: &StoredPin,
    actor: &Actor,
) -> Result<SlotDecided, StoreError> {
    match &pin.approval {
        SlotApproval::NotAsked => return Ok(SlotDecided::NotAsked),
        SlotApproval::Rejected { .. } => return Ok(SlotDecided::Already),
        SlotApproval::Approved { .. } => return Ok(SlotDecided::Contrary(pin.approval.clone())),
        SlotApproval::Waiting { .. } => {}
    }
    if !OPEN.contains(&state) {
        return Ok(SlotDecided::Refused(state));
    }
    write(tx, slot, include_str!("queries/decision_reject.sql"), &said(actor))?;
    evidence(tx, slot, pin, "rejected", actor)?;
    go_on(tx, slot, state, &[WorkState::Review], actor)
}

fn renew(
    tx: &Tx<'_>,
    slot: &SlotRef,
    state: WorkState,
    pin: &StoredPin,
    actor: &Actor,
) -> Result<SlotDecided, StoreError> {
    if pin.answer.is_none() {
        return Ok(SlotDecided::Already);
    }
    let work = &slot.work;
    let key = (&work.namespace, work.id.as_bytes());
    let committed = tx.first(include_str!("queries/decision_committed.sql"), key, |row| row.get(0))?;
    if state == WorkState::Done || committed == Some(true) {
        return Ok(SlotDecided::Committed);
    }
    if !RENEWABLE.contains(&state) {
        return Ok(SlotDecided::Refused(state));
    }
    let values = (&work.namespace, work.id.as_bytes(), &slot.slot);
    if tx.execute(include_str!("queries/decision_renew.sql"), values)? != 1 {
        return Err(tx.corrupt("a decision could not be renewed"));
    }
    evidence(tx, slot, pin, "renewed", actor)?;
    go_on(tx, slot, state, &[WorkState::Review, WorkState::Dead], actor)
}

fn write(tx: &Tx<'_>, slot: &SlotRef, sql: &str, word: &str) -> Result<(), StoreError> {
    let values = (&slot.work.namespace, slot.work.id.as_bytes(), &slot.slot, tx.now_ms, word);
    match tx.execute(sql, values)? {
        1 => Ok(()),
        _ => Err(tx.corrupt("a decision that waits could not be decided about")),
    }
}

/// Who said what about which answer.
fn evidence(
    tx: &Tx<'_>,
    slot: &SlotRef,
    pin: &StoredPin,
    kind: &str,
    actor: &Actor,
) -> Result<(), StoreError> {
    let hash = answer_hash(pin.answer.as_deref().unwrap_or_default());
    let detail = format!("slot {:?}, revision {}, answer {hash}: {}", slot.slot, pin.revision, said(actor));
    tx.evidence(&slot.work.namespace, slot.work.id, kind, &detail)
}

/// A work that waits for a person is due now, with a fresh budget; any other goes its way.
fn go_on(
    tx: &Tx<'_>,
    slot: &SlotRef,
    state: WorkState,
    from: &[WorkState],
    actor: &Actor,
) -> Result<SlotDecided, StoreError> {
    if !from.contains(&state) {
        return Ok(SlotDecided::Applied { work: state });
    }
    decide_work(tx, &slot.work, &WorkDecision::Replay { due_in_ms: 0 }, actor)?;
    Ok(SlotDecided::Applied { work: WorkState::Waiting })
}

/// Ask people about an answer. Whether it waits for them now; else they have answered while the run was on its way.
pub(super) fn hold(
    tx: &Tx<'_>,
    settlement: &Settlement,
    slot: &str,
    by_rule: Option<&str>,
    expires_in_ms: Option<i64>,
) -> Result<bool, StoreError> {
    let (namespace, work) = (&settlement.work.namespace, settlement.work.id);
    if let Some(answer) = by_rule {
        decision::pin_rule(tx, namespace, work, slot, answer)?;
    }
    let expires_ms = expires_in_ms.map(|in_ms| tx.now_ms.saturating_add(in_ms.max(0)));
    let values = (namespace, work.as_bytes(), slot, tx.now_ms, expires_ms);
    let asked = tx.execute(include_str!("queries/decision_hold.sql"), values)? == 1;
    let pin = decision::pinned(tx, namespace, work, slot)?
        .ok_or_else(|| tx.corrupt("a run was held for an answer that is not there"))?;
    if asked {
        let hash = answer_hash(pin.answer.as_deref().unwrap_or_default());
        let detail = format!("slot {slot:?}, revision {}, answer {hash} waits for approval", pin.revision);
        tx.evidence(namespace, work, "held", &detail)?;
    }
    Ok(matches!(pin.approval, SlotApproval::Waiting { .. }))
}
