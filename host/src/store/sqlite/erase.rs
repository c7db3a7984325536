//! Erasing payloads on request.

use crate::identity::key::RootKey;
use crate::identity::key::RowId;
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::outbox::RowState;
use crate::store::retention::{ERASED, Erased, Erasure};
use crate::store::sqlite::operate::said;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use crate::store::work::WorkRef;

/// Replace the payloads of a work's family by the mark.
pub(super) fn erase(tx: &Tx<'_>, work: &WorkRef, actor: &Actor) -> Result<Erasure, StoreError> {
    let namespace = &work.namespace;
    let key = (namespace, work.id.as_bytes());
    let found =
        tx.first(include_str!("queries/work_show.sql"), key, |row| rows::key::<RootKey>(row, "root_key"))?;
    let Some(root) = found else { return Ok(Erasure::Unknown) };
    let family = (namespace, root.as_bytes());
    let works = tx.all(include_str!("queries/work_family.sql"), family, rows::work)?;
    if let Some(open) = works.iter().find(|work| !work.state.is_final()) {
        return Ok(Erasure::OpenWork { work: open.work_id, state: open.state });
    }
    let rows: Vec<(RowId, RowState)> = tx.all(include_str!("queries/payload_rows.sql"), family, |row| {
        Ok((rows::key(row, "row_id")?, rows::state(row, RowState::from_word)?))
    })?;
    if let Some((row, state)) = rows.into_iter().find(|(_, state)| !state.is_settled()) {
        return Ok(Erasure::OpenRow { row, state });
    }
    let erase = |sql: &str| -> Result<u64, StoreError> {
        let erased = tx.execute(sql, (namespace, root.as_bytes(), ERASED.as_bytes(), tx.now_ms))?;
        Ok(erased as u64)
    };
    tx.execute(include_str!("queries/event_raw_forget.sql"), family)?;
    let erased = Erased {
        events: tx.execute(
            include_str!("queries/payload_erase_quarantine.sql"),
            (namespace, root.as_bytes(), ERASED.as_bytes()),
        )? as u64,
        answers: erase(include_str!("queries/payload_erase_decision.sql"))?,
        rows: erase(include_str!("queries/payload_erase_outbox.sql"))?,
        works: erase(include_str!("queries/payload_erase_work.sql"))?,
    };
    for work in works.iter().filter(|work| work.erased_ms.is_none()) {
        tx.evidence(namespace, work.work_id, "erased", &said(actor))?;
    }
    Ok(Erasure::Applied(erased))
}
