//! Events whose identity is on record with other content.

use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use crate::identity::work_id::admitted_ids;
use crate::store::claim::{Arrival, Candidate};
use crate::store::error::StoreError;
use crate::store::operate::{Actor, Decided};
use crate::store::quarantine::{QuarantineDecision, QuarantineState, Quarantined};
use crate::store::sqlite::operate::said;
use crate::store::sqlite::raw;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use crate::store::work::WorkRef;
use rusqlite::Row;

/// Hexadecimal digits of the content's hash that tell a kept event's readable key from the first one's.
const SHOWN_HASH_LENGTH_CHARACTERS: usize = 8;

/// A kept event, as far as a claim needs it.
pub(super) struct Kept {
    pub(super) work_id: WorkId,
    pub(super) root_key: RootKey,
    pub(super) state: QuarantineState,
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    Ok(Kept {
        work_id: rows::key(row, "work_id")?,
        root_key: rows::key(row, "root_key")?,
        state: rows::state(row, QuarantineState::from_word)?,
    })
}

/// Whether this event, or one equal to it, is kept already. A repeat is counted.
pub(super) fn find(
    tx: &Tx<'_>,
    arrival: &Arrival,
    root: &RootKey,
    contents: impl Iterator<Item = ContentHash>,
) -> Result<Option<Kept>, StoreError> {
    for content in contents {
        let key = (&arrival.namespace, &arrival.step, root.as_bytes(), content.as_bytes());
        if let Some(kept) = tx.first(include_str!("queries/quarantine_repeat.sql"), key, kept)? {
            return Ok(Some(kept));
        }
    }
    Ok(None)
}

/// Keep an event that collides with `first`, as the candidate identified it.
pub(super) fn keep(
    tx: &Tx<'_>,
    arrival: &Arrival,
    root: &RootKey,
    candidate: &Candidate,
    first: WorkId,
) -> Result<WorkId, StoreError> {
    let content = candidate.content_hash;
    let (work_id, root_key) =
        admitted_ids(&arrival.namespace, &arrival.step, candidate.version, root, &content);
    let shown = content.to_string();
    let shown = shown.get(..SHOWN_HASH_LENGTH_CHARACTERS).unwrap_or_default();
    tx.execute(
        include_str!("queries/quarantine_insert.sql"),
        rusqlite::params![
            arrival.namespace,
            work_id.as_bytes(),
            root_key.as_bytes(),
            root.as_bytes(),
            arrival.step,
            candidate.version,
            format!("{}#{shown}", candidate.readable_key),
            arrival.source,
            arrival.event_id,
            arrival.occurred_at_ms.unwrap_or(tx.now_ms),
            content.as_bytes(),
            arrival.payload.as_bytes(),
            tx.now_ms,
            arrival.occurred_at_ms.is_some(),
            arrival.window.length_ms(),
            arrival.window.marker(),
        ],
    )?;
    if let Some(raw) = &arrival.raw {
        raw::keep(tx, &arrival.namespace, work_id, raw)?;
    }
    let detail = format!("an event with other content ({content}) waits for a person as {work_id}");
    tx.evidence(&arrival.namespace, first, "quarantined", &detail)?;
    Ok(work_id)
}

/// Admit a kept event as new work, or drop it.
pub(super) fn decide(
    tx: &Tx<'_>,
    kept: &WorkRef,
    decision: QuarantineDecision,
    actor: &Actor,
) -> Result<Decided<QuarantineState>, StoreError> {
    let (namespace, id) = (&kept.namespace, kept.id);
    let key = (namespace, id.as_bytes());
    let state = tx.first(include_str!("queries/quarantine_state.sql"), key, |row| {
        rows::state(row, QuarantineState::from_word)
    })?;
    match state {
        None => return Ok(Decided::Unknown),
        Some(QuarantineState::Waiting) => {}
        Some(state) => return Ok(Decided::Refused(state)),
    }
    let (to, why) = (decision.to_state(), said(actor));
    tx.execute(
        include_str!("queries/quarantine_decide.sql"),
        (namespace, id.as_bytes(), to.word(), &why, tx.now_ms),
    )?;
    if decision == QuarantineDecision::Admit {
        tx.execute(include_str!("queries/quarantine_admit.sql"), (namespace, id.as_bytes(), tx.now_ms))?;
        tx.evidence(namespace, id, "recorded", &format!("admitted from the quarantine: {why}"))?;
    }
    let first =
        tx.first(include_str!("queries/quarantine_first.sql"), key, |row| rows::key(row, "work_id"))?;
    if let Some(first) = first {
        tx.evidence(namespace, first, "decided-by", &format!("kept event {id} {}: {why}", to.word()))?;
    }
    Ok(Decided::Applied)
}

/// The columns of `quarantine_list` and `quarantine_resolve`.
pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<Quarantined> {
    Ok(Quarantined {
        work_id: rows::key(row, "work_id")?,
        collides_with: rows::key(row, "collides_with")?,
        step: row.get("step")?,
        version: row.get("version")?,
        readable_key: row.get("readable_key")?,
        source: row.get("source")?,
        event_id: row.get("event_id")?,
        occurred_at_ms: row.get("occurred_at_ms")?,
        content_hash: rows::key(row, "content_hash")?,
        payload: rows::text(row, "payload")?,
        state: rows::state(row, QuarantineState::from_word)?,
        repeats: rows::count(row, "repeats")?,
        decided_by: row.get("decided_by")?,
        created_ms: row.get("created_ms")?,
        updated_ms: row.get("updated_ms")?,
    })
}
