//! Effects that an outside caller does itself.

use crate::contract::fence::Token;
use crate::identity::key::WorkId;
use crate::identity::time::format_ms;
use crate::store::error::StoreError;
use crate::store::intent::{EffectRecord, Extended, Extension, Intent, IntentState, Recorded};
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use crate::store::work::{Outcome, Settlement, WorkRecord, WorkRef, WorkState};

/// Works that one look for lost callers puts in doubt; the next look finds the rest.
const LAPSE_LIMIT: u32 = 256;

/// The work's effects, with the one that the holder of this token is about to do. One that is on record is not opened again.
pub(super) fn open(
    tx: &Tx<'_>,
    namespace: &str,
    work: WorkId,
    token: Token,
    slot: Option<&str>,
) -> Result<Vec<Intent>, StoreError> {
    let intents = list(tx, namespace, work)?;
    let Some(slot) = slot else { return Ok(intents) };
    if intents.iter().any(|intent| intent.slot == slot && intent.state == IntentState::Recorded) {
        return Ok(intents);
    }
    let values = (namespace, work.as_bytes(), slot, token.number(), tx.now_ms);
    if tx.execute(include_str!("queries/intent_open.sql"), values)? == 1 {
        tx.evidence(namespace, work, "effect-open", &format!("{slot:?} is about to be done, token {token}"))?;
    }
    list(tx, namespace, work)
}

fn list(tx: &Tx<'_>, namespace: &str, work: WorkId) -> Result<Vec<Intent>, StoreError> {
    tx.all(include_str!("queries/intent_list.sql"), (namespace, work.as_bytes()), rows::intent)
}

/// Keep a caller's word that an effect has happened.
pub(super) fn record(tx: &Tx<'_>, work: &WorkRef, effect: &EffectRecord) -> Result<Recorded, StoreError> {
    let (namespace, id, token) = (&work.namespace, work.id, effect.token);
    let Some(state) = was_given(tx, work, token)? else { return Ok(Recorded::Unknown) };
    let live = tx.holds(work, token)?;
    let before = list(tx, namespace, id)?
        .into_iter()
        .find(|intent| intent.slot == effect.slot && intent.token == token.number())
        .filter(|intent| intent.state == IntentState::Recorded);
    let reference = &effect.external_reference;
    if before.as_ref().is_none_or(|before| before.external_reference.is_none() && reference.is_some()) {
        let values = (namespace, id.as_bytes(), &effect.slot, token.number(), tx.now_ms, reference, !live);
        tx.execute(include_str!("queries/intent_record.sql"), values)?;
    }
    let said = detail(effect);
    match before {
        Some(before) => {
            if before.external_reference.as_ref() != reference.as_ref() {
                tx.evidence(namespace, id, "effect-recorded", &format!("again: {said}"))?;
            }
            if live || !before.late {
                let external_reference = before.external_reference.or_else(|| reference.clone());
                return Ok(Recorded::Already { external_reference });
            }
        }
        None if live => {
            tx.evidence(namespace, id, "effect-recorded", &said)?;
            return Ok(Recorded::Applied);
        }
        None => {
            let late = format!("late, the claim had ended: {said}");
            tx.evidence(namespace, id, "effect-recorded", &late)?;
            let cause = format!("an effect has happened under a claim that had ended: {said}");
            let values = (namespace, id.as_bytes(), &cause, tx.now_ms);
            if tx.execute(include_str!("queries/work_doubt_late.sql"), values)? == 1 {
                tx.evidence(namespace, id, "in-doubt", &cause)?;
                return Ok(Recorded::Late { state: WorkState::InDoubt });
            }
        }
    }
    Ok(Recorded::Late { state })
}

/// How a work of an outside caller stands for which this token was given out, be it the latest or not.
pub(super) fn was_given(tx: &Tx<'_>, work: &WorkRef, token: Token) -> Result<Option<WorkState>, StoreError> {
    let key = (&work.namespace, work.id.as_bytes());
    let found = tx.first(include_str!("queries/work_caller.sql"), key, |row| {
        Ok((rows::state(row, WorkState::from_word)?, row.get::<_, i64>("token")?))
    })?;
    Ok(found.filter(|(_, latest)| (1..=*latest).contains(&token.number())).map(|(state, _)| state))
}

/// A reference, as evidence tells it.
pub(super) fn told(reference: Option<&str>) -> String {
    reference.map(|id| format!(", reference {id}")).unwrap_or_default()
}

fn detail(effect: &EffectRecord) -> String {
    format!("{:?}{}, token {}", effect.slot, told(effect.external_reference.as_deref()), effect.token)
}

/// Hold a claim for longer.
pub(super) fn extend(tx: &Tx<'_>, work: &WorkRef, extension: &Extension) -> Result<Extended, StoreError> {
    let until_ms = tx.now_ms.saturating_add(extension.lease_ms);
    let (namespace, token) = (&work.namespace, extension.token);
    let holder = extension.holder.word();
    let values = (namespace, work.id.as_bytes(), token.number(), until_ms, tx.now_ms, holder);
    let extended = tx.first(include_str!("queries/lease_extend.sql"), values, |row| row.get(0))?;
    let Some(lease_until_ms) = extended else { return Ok(Extended::LeaseLost) };
    let intents = open(tx, namespace, work.id, token, extension.intent.as_deref())?;
    Ok(Extended::Applied { lease_until_ms, intents })
}

/// What the end of a claim says about the effects that are still open under it.
pub(super) fn close(tx: &Tx<'_>, settlement: &Settlement) -> Result<(), StoreError> {
    let state = match settlement.outcome {
        Outcome::Done { .. } => IntentState::Recorded,
        Outcome::Retry { .. } | Outcome::GiveBack { .. } | Outcome::Reject { .. } => IntentState::Withdrawn,
        // Nobody has said whether it happened; a person reads that it is open.
        Outcome::Continue { .. }
        | Outcome::Dead { .. }
        | Outcome::Review { .. }
        | Outcome::Hold { .. }
        | Outcome::InDoubt { .. } => {
            return Ok(());
        }
    };
    close_open(tx, &settlement.work, Some(settlement.token), state)
}

/// Close the open effects of one claim, or of the whole work.
pub(super) fn close_open(
    tx: &Tx<'_>,
    work: &WorkRef,
    token: Option<Token>,
    state: IntentState,
) -> Result<(), StoreError> {
    let values = (&work.namespace, work.id.as_bytes(), token.map(Token::number), state.word(), tx.now_ms);
    tx.execute(include_str!("queries/intent_close.sql"), values).map(|_| ())
}

/// A person says that the open effects have happened. The reference goes to the one that was opened last.
pub(super) fn confirm(tx: &Tx<'_>, work: &WorkRef, reference: Option<&str>) -> Result<(), StoreError> {
    let last =
        list(tx, &work.namespace, work.id)?.into_iter().rfind(|intent| intent.state == IntentState::Open);
    if let (Some(last), Some(reference)) = (last, reference) {
        let values =
            (&work.namespace, work.id.as_bytes(), &last.slot, last.token, tx.now_ms, Some(reference), false);
        tx.execute(include_str!("queries/intent_record.sql"), values)?;
    }
    close_open(tx, work, None, IntentState::Recorded)
}

/// Put a work in doubt whose lease has ended while an effect was open. False where none is.
pub(super) fn doubt(tx: &Tx<'_>, seq: i64, work: &WorkRecord) -> Result<bool, StoreError> {
    let intents = list(tx, &work.namespace, work.work_id)?;
    let Some(token) = intents.iter().map(|intent| intent.token).max() else { return Ok(false) };
    let open: Vec<String> = intents
        .iter()
        .filter(|intent| intent.token == token && intent.state == IntentState::Open)
        .map(|intent| format!("{:?}, begun {}", intent.slot, format_ms(intent.opened_ms)))
        .collect();
    let cause = format!(
        "the lease of token {token} ended {} with an effect that may have happened: {}",
        work.lease_until_ms.map(format_ms).unwrap_or_default(),
        open.join("; ")
    );
    if tx.execute(include_str!("queries/work_doubt.sql"), (seq, &cause, tx.now_ms))? != 1 {
        return Ok(false);
    }
    tx.evidence(&work.namespace, work.work_id, "in-doubt", &cause)?;
    Ok(true)
}

/// Put the works in doubt that lost callers have left behind; how many.
pub(super) fn lapse(tx: &Tx<'_>, namespace: &str) -> Result<u64, StoreError> {
    let values = (namespace, tx.now_ms, LAPSE_LIMIT);
    let lapsed: Vec<i64> = tx.all(include_str!("queries/work_lapsed.sql"), values, |row| row.get(0))?;
    let mut doubted = 0;
    for seq in lapsed {
        let work = tx
            .first(include_str!("queries/work_read.sql"), [seq], rows::work)?
            .ok_or_else(|| tx.corrupt("a found work has no row"))?;
        doubted += u64::from(doubt(tx, seq, &work)?);
    }
    Ok(doubted)
}
