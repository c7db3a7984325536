//! Settling: token check, state, result, rows, marks, decisions, items and follow-up in one transaction.

use crate::identity::key::digest;
use crate::store::error::StoreError;
use crate::store::outbox::NewRow;
use crate::store::sqlite::decision;
use crate::store::sqlite::insert_row;
use crate::store::sqlite::insert_row::Insertion;
use crate::store::sqlite::intent;
use crate::store::sqlite::item;
use crate::store::sqlite::progress;
use crate::store::sqlite::rows;
use crate::store::sqlite::slot;
use crate::store::sqlite::tx::Tx;
use crate::store::work::{Collected, FollowUp, Holder, Outcome, Settled, Settlement, WorkState};

/// Why a work runs again whose held answer a person decided about while the run was on its way.
const DECIDED: &str = "a held decision was decided about meanwhile";

pub(super) fn settle(tx: &Tx<'_>, settlement: &Settlement) -> Result<Settled, StoreError> {
    let (namespace, work) = (&settlement.work.namespace, settlement.work.id);
    // Checked first, so that a stale holder can't even learn of a conflict, let alone cause one.
    let Some(held) = held(tx, settlement)? else {
        return settled_before(tx, settlement);
    };
    for note in &settlement.notes {
        tx.evidence(namespace, work, "note", note)?;
    }
    for slot in &settlement.replays {
        decision::replay(tx, namespace, work, slot)?;
    }
    if let Some(cause) = held.cancel_cause.clone() {
        update(tx, settlement, &held, &Change { cause: Some(&cause), ..Change::to(WorkState::Cancelled) })?;
        return Ok(Settled::Cancelled { cause });
    }
    if let Some(collected) = collected(&settlement.outcome) {
        if let Some(cause) = row_conflict(tx, namespace, collected)? {
            update(tx, settlement, &held, &Change { cause: Some(&cause), ..Change::to(WorkState::Dead) })?;
            return Ok(Settled::RowConflict { cause });
        }
        commit_collected(tx, settlement, collected)?;
    }
    if let Outcome::Done { follow_up: Some(next), .. } = &settlement.outcome {
        follow(tx, settlement, next)?;
    }
    if held.holder == Holder::Caller {
        intent::close(tx, settlement)?;
    }
    if let Outcome::Hold { slot: name, by_rule, expires_in_ms, .. } = &settlement.outcome
        && !slot::hold(tx, settlement, name, by_rule.as_deref(), *expires_in_ms)?
    {
        // A person was faster than the run: nobody would call a work in review back a second time.
        let again =
            Change { due_ms: Some(tx.now_ms), cause: Some(DECIDED), ..Change::to(WorkState::Waiting) };
        update(tx, settlement, &held, &again)?;
        return Ok(Settled::Applied);
    }
    update(tx, settlement, &held, &Change::of(&settlement.outcome, tx.now_ms))?;
    Ok(Settled::Applied)
}

/// The work under its fence.
struct Held {
    seq: i64,
    holder: Holder,
    /// Why a person wants it stopped, where one does.
    cancel_cause: Option<String>,
}

fn held(tx: &Tx<'_>, settlement: &Settlement) -> Result<Option<Held>, StoreError> {
    let key = (&settlement.work.namespace, settlement.work.id.as_bytes(), settlement.token.number());
    tx.first(include_str!("queries/work_settling.sql"), key, |row| {
        Ok(Held {
            seq: row.get("seq")?,
            holder: rows::word(row, "holder", Holder::from_word)?,
            cancel_cause: row.get("cancel_cause")?,
        })
    })
}

/// The label under which the words of a settlement are hashed.
const SETTLED_LABEL: &str = "onceward/settled";

/// What a settlement says. An outside caller whose reply was lost says it again, which is the same act.
fn words(settlement: &Settlement) -> [u8; 32] {
    let change = Change::of(&settlement.outcome, 0);
    let said = change.output.or(change.cause).unwrap_or_default();
    let (token, due_ms) = (settlement.token.number().to_be_bytes(), change.due_ms.unwrap_or(0).to_be_bytes());
    digest(SETTLED_LABEL, &[&token, change.state.word().as_bytes(), said.as_bytes(), &due_ms])
}

/// The token no longer holds the work: this very settlement may have ended it.
fn settled_before(tx: &Tx<'_>, settlement: &Settlement) -> Result<Settled, StoreError> {
    let key = (&settlement.work.namespace, settlement.work.id.as_bytes(), words(settlement));
    let before: Option<bool> =
        tx.first(include_str!("queries/work_settled_as.sql"), key, |row| row.get(0))?;
    Ok(if before == Some(true) { Settled::Applied } else { Settled::LeaseLost })
}

const fn collected(outcome: &Outcome) -> Option<&Collected> {
    match outcome {
        Outcome::Done { collected, .. } | Outcome::Continue { collected, .. } => Some(collected),
        _ => None,
    }
}

/// The cause, where a row exists with another payload, here or in the same outcome. The first payload stands.
fn row_conflict(tx: &Tx<'_>, namespace: &str, collected: &Collected) -> Result<Option<String>, StoreError> {
    for (place, row) in collected.rows.iter().enumerate() {
        let stored: Option<Vec<u8>> =
            tx.first(include_str!("queries/outbox_find.sql"), (namespace, row.id.as_bytes()), |r| r.get(0))?;
        let differs = |other: &NewRow| other.id == row.id && other.payload_hash != row.payload_hash;
        if stored.is_some_and(|hash| hash != row.payload_hash) || collected.rows[..place].iter().any(differs)
        {
            return Ok(Some(format!(
                "row-conflict: the row {} (destination {:?}, slot {:?}) exists with another payload, which stands",
                row.id, row.destination, row.slot
            )));
        }
    }
    Ok(None)
}

fn commit_collected(tx: &Tx<'_>, settlement: &Settlement, collected: &Collected) -> Result<(), StoreError> {
    let (namespace, work) = (&settlement.work.namespace, settlement.work.id);
    for row in &collected.rows {
        insert_row::insert(tx, &Insertion::first(namespace, work, row))?;
    }
    if let Some(mark) = &collected.mark {
        progress::advance(tx, &settlement.work, mark)?;
    }
    for pin in &collected.pins {
        decision::pin_rule(tx, namespace, work, &pin.slot, &pin.answer)?;
    }
    item::finish(tx, settlement, &collected.effects, &collected.released)
}

fn follow(tx: &Tx<'_>, settlement: &Settlement, next: &FollowUp) -> Result<(), StoreError> {
    let (namespace, work) = (&settlement.work.namespace, settlement.work.id);
    let inserted = tx.execute(
        include_str!("queries/work_follow.sql"),
        (
            namespace,
            work.as_bytes(),
            next.work_id.as_bytes(),
            &next.step,
            next.version,
            &next.readable_key,
            next.content_hash.as_bytes(),
            next.payload.as_bytes(),
            tx.now_ms,
            next.window.length_ms(),
            next.window.marker(),
        ),
    )?;
    tx.evidence(namespace, work, "followed", &format!("by {} ({})", next.step, next.work_id))?;
    if inserted == 1 {
        tx.evidence(namespace, next.work_id, "recorded", &format!("follows {work}"))?;
    }
    Ok(())
}

/// The columns that an outcome changes.
struct Change<'a> {
    state: WorkState,
    restart: bool,
    /// Why the claim counts as if it had not been made, where it does.
    given_back: Option<&'a str>,
    due_ms: Option<i64>,
    cursor: Option<&'a str>,
    output: Option<&'a str>,
    needs_review: Option<&'a str>,
    cause: Option<&'a str>,
}

impl<'a> Change<'a> {
    const fn to(state: WorkState) -> Self {
        Self {
            state,
            restart: false,
            given_back: None,
            due_ms: None,
            cursor: None,
            output: None,
            needs_review: None,
            cause: None,
        }
    }

    fn of(outcome: &'a Outcome, now_ms: i64) -> Self {
        match outcome {
            Outcome::Done { output, needs_review, .. } => Self {
                output: Some(output),
                needs_review: needs_review.as_deref(),
                ..Self::to(WorkState::Done)
            },
            Outcome::Continue { cursor, .. } => Self {
                restart: true,
                due_ms: Some(now_ms),
                cursor: Some(cursor),
                ..Self::to(WorkState::Waiting)
            },
            Outcome::Retry { cause, due_in_ms } => Self {
                due_ms: Some(now_ms.saturating_add((*due_in_ms).max(0))),
                cause: Some(cause),
                ..Self::to(WorkState::Waiting)
            },
            // It is no failure: the last cause of one stays.
            Outcome::GiveBack { cause } => {
                Self { given_back: Some(cause), due_ms: Some(now_ms), ..Self::to(WorkState::Waiting) }
            }
            Outcome::Dead { cause } => Self { cause: Some(cause), ..Self::to(WorkState::Dead) },
            Outcome::Review { cause } | Outcome::Hold { cause, .. } => {
                Self { cause: Some(cause), ..Self::to(WorkState::Review) }
            }
            Outcome::Reject { cause } => Self { cause: Some(cause), ..Self::to(WorkState::Rejected) },
            Outcome::InDoubt { cause } => Self { cause: Some(cause), ..Self::to(WorkState::InDoubt) },
        }
    }

    fn detail(&self) -> String {
        if let Some(cause) = self.given_back {
            return format!("given back, the attempt is not counted: {cause}");
        }
        let why = self.cause.or(self.needs_review).map(|why| format!(": {why}")).unwrap_or_default();
        match self.state {
            WorkState::Waiting if self.restart => "continue, from the cursor".to_owned(),
            WorkState::Done if self.needs_review.is_some() => format!("done, needs review{why}"),
            state => format!("{}{why}", state.word()),
        }
    }
}

fn update(tx: &Tx<'_>, settlement: &Settlement, held: &Held, change: &Change<'_>) -> Result<(), StoreError> {
    let (namespace, work) = (&settlement.work.namespace, settlement.work.id);
    // Whoever runs a work in this host has its outcome from the call itself.
    let settled_as = (held.holder == Holder::Caller).then(|| words(settlement));
    let updated = tx.execute(
        include_str!("queries/work_settle.sql"),
        (
            held.seq,
            settlement.token.number(),
            change.state.word(),
            change.restart,
            change.due_ms,
            change.cursor,
            change.output.map(str::as_bytes),
            change.needs_review,
            change.cause,
            tx.now_ms,
            change.given_back.is_some(),
            settled_as,
        ),
    )?;
    if updated != 1 {
        return Err(tx.corrupt("a held work could not be settled"));
    }
    tx.evidence(namespace, work, "settled", &change.detail())
}
