//! Answers that are decided once.

use crate::identity::key::CacheKey;
use crate::identity::key::WorkId;
use crate::identity::key::digest;
use crate::store::Decisions;
use crate::store::decision::{DecisionQuery, DecisionRecord, Found, Pin, Pinned, Stored};
use crate::store::error::StoreError;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, first};
use async_trait::async_trait;

/// The label under which answers found by rule get a key of their own; they are never shared between works.
const RULE_LABEL: &str = "onceward/rule";

const FINDING: &str = "looking for a decision";

#[async_trait]
impl Decisions for SqliteStore {
    async fn decision_find(&self, query: DecisionQuery) -> Result<Option<Found>, StoreError> {
        self.readers
            .read(move |connection| {
                let pin = (&query.work.namespace, query.work.id.as_bytes(), &query.slot);
                let pinned = include_str!("queries/decision_pinned.sql");
                if let Some(answer) =
                    first(connection, FINDING, pinned, pin, |row| rows::text(row, "answer"))?
                {
                    return Ok(Some(Found::Pinned(answer)));
                }
                let Some(cache_key) = &query.cache_key else { return Ok(None) };
                let key = (&query.work.namespace, cache_key.as_bytes());
                let cached = include_str!("queries/decision_cached.sql");
                let answer = first(connection, FINDING, cached, key, |row| rows::text(row, "answer"))?;
                Ok(answer.map(Found::Cached))
            })
            .await
    }

    async fn decision_record(&self, record: DecisionRecord, pin: Pin) -> Result<Stored, StoreError> {
        self.writer.call("recording a decision", move |tx| self::record(tx, &record, &pin)).await
    }

    async fn decision_pin(&self, pin: Pin) -> Result<Pinned, StoreError> {
        self.writer.call("pinning a decision", move |tx| self::pin(tx, &pin, "from the cache")).await
    }
}

/// The key of an answer that a work found by rule.
pub(super) fn rule_key(namespace: &str, work: WorkId, slot: &str) -> CacheKey {
    CacheKey::from_bytes(digest(RULE_LABEL, &[namespace.as_bytes(), work.as_bytes(), slot.as_bytes()]))
}

fn record(tx: &Tx<'_>, record: &DecisionRecord, wanted: &Pin) -> Result<Stored, StoreError> {
    let namespace = &wanted.work.namespace;
    let cost = record.cost_micros.and_then(|micros| i64::try_from(micros).ok());
    let first_writer = tx.execute(
        include_str!("queries/decision_insert.sql"),
        (
            namespace,
            record.cache_key.as_bytes(),
            &record.model,
            &record.prompt_version,
            record.answer.as_bytes(),
            cost,
            tx.now_ms,
        ),
    )?;
    let how = if first_writer == 1 { "asked" } else { "asked, and an earlier answer stands" };
    let pinned = pin(tx, wanted, &format!("{how} ({}, prompt {})", record.model, record.prompt_version))?;
    let key = (namespace, record.cache_key.as_bytes());
    let answer = tx
        .first(include_str!("queries/decision_cached.sql"), key, |row| rows::text(row, "answer"))?
        .ok_or_else(|| tx.corrupt("a recorded decision has no row"))?;
    Ok(Stored { answer, pinned })
}

fn pin(tx: &Tx<'_>, pin: &Pin, how: &str) -> Result<Pinned, StoreError> {
    let (namespace, work) = (&pin.work.namespace, pin.work.id);
    if !tx.holds(&pin.work, pin.token)? {
        return Ok(Pinned::LeaseLost);
    }
    let inserted = tx.execute(
        include_str!("queries/decision_pin.sql"),
        (namespace, work.as_bytes(), &pin.slot, pin.cache_key.as_bytes(), tx.now_ms),
    )?;
    if inserted == 1 {
        tx.evidence(namespace, work, "decided", &format!("slot {:?}, {how}", pin.slot))?;
    }
    let key = (namespace, work.as_bytes(), &pin.slot);
    tx.first(include_str!("queries/decision_pinned.sql"), key, |row| rows::text(row, "answer"))?
        .map(Pinned::Answer)
        .ok_or_else(|| tx.corrupt("a pinned decision has no row"))
}
