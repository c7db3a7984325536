//! When a destination may be called again: its rate, what it asked for itself, and its rest after failures.
//!
//! All of it is kept in the ledger, so that all hosts share one rate and one rest, and a restart begins no new burst. Calls are
//! spread evenly (the virtual scheduling form of the generic cell rate algorithm, ITU-T I.371).

use crate::store::error::StoreError;
use crate::store::outbox::Take;
use crate::store::pace::{BURST_US, Breaker, DestinationPace, Health};
use crate::store::sqlite::tx::{Tx, all};
use rusqlite::{Connection, Row};

/// The pace of one destination, as it is kept.
#[derive(Default)]
struct Pace {
    free_at_us: i64,
    failures: u32,
    failed_ms: Option<i64>,
    /// Where it has failed so often that it rests. After that moment one row at a time goes out.
    rests_until_ms: Option<i64>,
    /// The terms of the last take, JSON text.
    breaker: Option<String>,
}

impl Pace {
    fn find(tx: &Tx<'_>, namespace: &str, destination: &str) -> Result<Self, StoreError> {
        let found = tx.first(include_str!("queries/pace_find.sql"), (namespace, destination), |row| {
            Ok(Self {
                free_at_us: row.get("free_at_us")?,
                failures: row.get("failures")?,
                failed_ms: row.get("failed_ms")?,
                rests_until_ms: row.get("rests_until_ms")?,
                breaker: row.get("breaker")?,
            })
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The same under the terms of this order, which hold from now on, also for a rest that has begun.
    fn under(self, tx: &Tx<'_>, order: &Take) -> Result<Self, StoreError> {
        let breaker = order.breaker.map(|breaker| serde_json::to_string(&breaker)).transpose();
        let breaker = breaker.map_err(|error| tx.corrupt(error.to_string()))?;
        if breaker == self.breaker {
            return Ok(self);
        }
        let rest_ms = order.breaker.and_then(|breaker| breaker.rest_ms(self.failures));
        let rests_until_ms =
            self.failed_ms.zip(rest_ms).map(|(failed_ms, rest_ms)| failed_ms.saturating_add(rest_ms));
        let values = (&order.namespace, &order.destination, &breaker, rests_until_ms);
        tx.execute(include_str!("queries/pace_breaker.sql"), values)?;
        Ok(Self { rests_until_ms, breaker, ..self })
    }

    /// How long it rests after so many failures, where it does.
    fn rest_ms(&self, tx: &Tx<'_>, failures: u32) -> Result<Option<i64>, StoreError> {
        let Some(breaker) = &self.breaker else { return Ok(None) };
        let breaker: Breaker =
            serde_json::from_str(breaker).map_err(|error| tx.corrupt(error.to_string()))?;
        Ok(breaker.rest_ms(failures))
    }
}

/// How many rows may be taken now.
pub(super) fn allowed(tx: &Tx<'_>, order: &Take) -> Result<u32, StoreError> {
    let pace = Pace::find(tx, &order.namespace, &order.destination)?.under(tx, order)?;
    let limit = match pace.rests_until_ms {
        None => order.limit,
        Some(until_ms) if until_ms > tx.now_ms || is_under_way(tx, order)? => return Ok(0),
        Some(_) => order.limit.min(1),
    };
    let now_us = tx.now_ms.saturating_mul(1_000);
    let start_us = pace.free_at_us.max(now_us);
    if start_us > now_us.saturating_add(BURST_US) {
        return Ok(0);
    }
    let Some(rate) = order.rate else { return Ok(limit) };
    let ahead_us = now_us.saturating_add(BURST_US).saturating_sub(start_us);
    let calls = ahead_us / rate.interval_us() + 1;
    Ok(u32::try_from(calls).unwrap_or(u32::MAX).min(limit))
}

/// Whether a row is being sent to the destination.
fn is_under_way(tx: &Tx<'_>, order: &Take) -> Result<bool, StoreError> {
    let key = (&order.namespace, &order.destination, tx.now_ms);
    Ok(tx.first(include_str!("queries/outbox_under_way.sql"), key, |row| row.get(0))? == Some(true))
}

/// So many calls are about to be made: the next ones have to wait.
pub(super) fn spend(tx: &Tx<'_>, order: &Take, calls: i64) -> Result<(), StoreError> {
    let Some(rate) = order.rate else { return Ok(()) };
    let pace = Pace::find(tx, &order.namespace, &order.destination)?;
    let start_us = pace.free_at_us.max(tx.now_ms.saturating_mul(1_000));
    let free_us = start_us.saturating_add(rate.interval_us().saturating_mul(calls));
    set(tx, &order.namespace, &order.destination, free_us)
}

/// What an attempt has shown of the destination.
pub(super) fn heard(
    tx: &Tx<'_>,
    namespace: &str,
    destination: &str,
    health: Health,
) -> Result<(), StoreError> {
    match health {
        Health::Well => {
            tx.execute(include_str!("queries/pace_well.sql"), (namespace, destination)).map(|_| ())
        }
        Health::Unwell { waits_ms } => {
            fail(tx, namespace, destination)?;
            waits_ms.map_or(Ok(()), |wait_ms| wait(tx, namespace, destination, wait_ms))
        }
    }
}

/// Count a failure; the destination rests where it is one too many.
fn fail(tx: &Tx<'_>, namespace: &str, destination: &str) -> Result<(), StoreError> {
    let pace = Pace::find(tx, namespace, destination)?;
    if pace.rests_until_ms.is_some_and(|until_ms| until_ms > tx.now_ms) {
        // This call began before the rest did, and says nothing that was not known then.
        return Ok(());
    }
    let failures = pace.failures.saturating_add(1);
    let rest_ms = pace.rest_ms(tx, failures)?;
    let rests_until_ms = rest_ms.map(|rest_ms| tx.now_ms.saturating_add(rest_ms));
    let values = (namespace, destination, failures, tx.now_ms, rests_until_ms);
    tx.execute(include_str!("queries/pace_fail.sql"), values).map(|_| ())
}

/// The destination wants to be left alone for so long.
fn wait(tx: &Tx<'_>, namespace: &str, destination: &str, wait_ms: u64) -> Result<(), StoreError> {
    let wait_ms = i64::try_from(wait_ms).unwrap_or(i64::MAX);
    set(tx, namespace, destination, tx.now_ms.saturating_add(wait_ms).saturating_mul(1_000))
}

fn set(tx: &Tx<'_>, namespace: &str, destination: &str, free_us: i64) -> Result<(), StoreError> {
    tx.execute(include_str!("queries/pace_set.sql"), (namespace, destination, free_us)).map(|_| ())
}

/// How it stands with the destinations that have a pace.
pub(super) fn list(connection: &Connection, namespace: &str) -> Result<Vec<DestinationPace>, StoreError> {
    let read = |row: &Row<'_>| {
        Ok(DestinationPace {
            destination: row.get("destination")?,
            free_at_ms: row.get("free_at_ms")?,
            failures: row.get("failures")?,
            failed_ms: row.get("failed_ms")?,
            rests_until_ms: row.get("rests_until_ms")?,
        })
    };
    all(
        connection,
        "listing the pace of destinations",
        include_str!("queries/pace_list.sql"),
        [namespace],
        read,
    )
}
