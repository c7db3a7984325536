//! When a destination may be called again: its rate, and what it asked for itself.
//!
//! The next free moment is kept in the ledger, so that all hosts share one rate and a restart begins no new burst. Calls are
//! spread evenly (the virtual scheduling form of the generic cell rate algorithm, ITU-T I.371).

use crate::store::error::StoreError;
use crate::store::outbox::{BURST_US, Take};
use crate::store::sqlite::tx::Tx;

/// How many rows may be taken now.
pub(super) fn allowed(tx: &Tx<'_>, order: &Take) -> Result<u32, StoreError> {
    let now_us = tx.now_ms.saturating_mul(1_000);
    let start_us = start_us(tx, order, now_us)?;
    if start_us > now_us.saturating_add(BURST_US) {
        return Ok(0);
    }
    let Some(rate) = order.rate else { return Ok(order.limit) };
    let ahead_us = now_us.saturating_add(BURST_US).saturating_sub(start_us);
    let calls = ahead_us / rate.interval_us() + 1;
    Ok(u32::try_from(calls).unwrap_or(u32::MAX).min(order.limit))
}

/// So many calls are about to be made: the next ones have to wait.
pub(super) fn spend(tx: &Tx<'_>, order: &Take, calls: i64) -> Result<(), StoreError> {
    let Some(rate) = order.rate else { return Ok(()) };
    let start_us = start_us(tx, order, tx.now_ms.saturating_mul(1_000))?;
    let free_us = start_us.saturating_add(rate.interval_us().saturating_mul(calls));
    set(tx, &order.namespace, &order.destination, free_us)
}

/// The destination wants to be left alone for so long.
pub(super) fn wait(tx: &Tx<'_>, namespace: &str, destination: &str, wait_ms: u64) -> Result<(), StoreError> {
    let wait_ms = i64::try_from(wait_ms).unwrap_or(i64::MAX);
    set(tx, namespace, destination, tx.now_ms.saturating_add(wait_ms).saturating_mul(1_000))
}

fn start_us(tx: &Tx<'_>, order: &Take, now_us: i64) -> Result<i64, StoreError> {
    let key = (&order.namespace, &order.destination);
    let free_us = tx.first(include_str!("queries/pace_find.sql"), key, |row| row.get::<_, i64>(0))?;
    Ok(free_us.unwrap_or(now_us).max(now_us))
}

fn set(tx: &Tx<'_>, namespace: &str, destination: &str, free_us: i64) -> Result<(), StoreError> {
    tx.execute(include_str!("queries/pace_set.sql"), (namespace, destination, free_us)).map(|_| ())
}
