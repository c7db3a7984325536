//! Many at once: each decided about as if it were alone.

use crate::store::bulk::{Batch, RowChoice, WorkChoice};
use crate::store::error::StoreError;
use crate::store::operate::{Actor, Decided, RowDecision, WorkDecision};
use crate::store::outbox::RowRef;
use crate::store::sqlite::operate::{decide_row, decide_work};
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, first};
use crate::store::work::{WorkRef, WorkState};
use rusqlite::Connection;

/// Replay the oldest works of the choice; how many.
pub(super) fn replay_works(
    tx: &Tx<'_>,
    choice: &WorkChoice,
    batch: Batch,
    actor: &Actor,
) -> Result<u64, StoreError> {
    let sql = include_str!("queries/work_choose.sql");
    let values = (&choice.namespace, choice.state.word(), &choice.step, &choice.cause, batch.limit);
    let ids = tx.all(sql, values, |row| rows::key(row, "work_id"))?;
    let mut decided = 0;
    for (place, id) in ids.into_iter().enumerate() {
        let work = WorkRef { namespace: choice.namespace.clone(), id };
        let due_in_ms = batch.due_in_ms(place);
        let decision = match choice.state {
            WorkState::InDoubt => WorkDecision::Again { due_in_ms },
            _ => WorkDecision::Replay { due_in_ms },
        };
        decided += u64::from(decide_work(tx, &work, &decision, actor)? == Decided::Applied);
    }
    Ok(decided)
}

/// Decide alike about the oldest rows of the choice; how many.
pub(super) fn decide_rows(
    tx: &Tx<'_>,
    choice: &RowChoice,
    decision: &RowDecision,
    batch: Batch,
    actor: &Actor,
) -> Result<u64, StoreError> {
    let sql = include_str!("queries/outbox_choose.sql");
    let values = (&choice.namespace, choice.state.word(), &choice.destination, &choice.cause, batch.limit);
    let ids = tx.all(sql, values, |row| rows::key(row, "row_id"))?;
    let mut decided = 0;
    for (place, id) in ids.into_iter().enumerate() {
        let row = RowRef { namespace: choice.namespace.clone(), id };
        let decision = match decision {
            RowDecision::Again { .. } => RowDecision::Again { due_in_ms: batch.due_in_ms(place) },
            RowDecision::Check { .. } => RowDecision::Check { due_in_ms: batch.due_in_ms(place) },
            other => other.clone(),
        };
        decided += u64::from(decide_row(tx, &row, &decision, actor)? == Decided::Applied);
    }
    Ok(decided)
}

/// How many works the choice holds.
pub(super) fn count_works(connection: &Connection, choice: &WorkChoice) -> Result<u64, StoreError> {
    let values = (&choice.namespace, choice.state.word(), &choice.step, &choice.cause);
    count(connection, include_str!("queries/work_choose_count.sql"), values)
}

/// How many rows the choice holds.
pub(super) fn count_rows(connection: &Connection, choice: &RowChoice) -> Result<u64, StoreError> {
    let values = (&choice.namespace, choice.state.word(), &choice.destination, &choice.cause);
    count(connection, include_str!("queries/outbox_choose_count.sql"), values)
}

fn count(
    connection: &Connection,
    sql: &'static str,
    values: impl rusqlite::Params,
) -> Result<u64, StoreError> {
    let number: Option<i64> = first(connection, "counting what is chosen", sql, values, |row| row.get(0))?;
    Ok(number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0))
}
