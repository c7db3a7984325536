//! Answers that are decided once.

use crate::identity::key::CacheKey;
use crate::identity::key::WorkId;
use crate::identity::work_id::slot_key;
use crate::store::Decisions;
use crate::store::decision::{
    DecisionFailure, DecisionQuery, DecisionRecord, Figures, Found, Lookup, Pin, Pinned, PinnedAnswer, Stored,
};
use crate::store::error::StoreError;
use crate::store::slot::SlotApproval;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::model_total;
use crate::store::sqlite::model_total::Happened;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, first};
use async_trait::async_trait;
use rusqlite::{Connection, Row};

const FINDING: &str = "looking for a decision";

/// The model's name of an answer that the step found itself.
const RULE: &str = "rule";

#[async_trait]
impl Decisions for SqliteStore {
    async fn decision_find(&self, query: DecisionQuery) -> Result<Lookup, StoreError> {
        self.readers.read(move |connection| find(connection, &query)).await
    }

    async fn decision_record(&self, record: DecisionRecord, pin: Pin) -> Result<Stored, StoreError> {
        self.writer.call("recording a decision", move |tx| self::record(tx, &record, &pin)).await
    }

    async fn decision_pin(&self, pin: Pin) -> Result<Pinned, StoreError> {
        self.writer.call("pinning a decision", move |tx| pin_cached(tx, &pin)).await
    }

    async fn decision_fail(&self, failure: DecisionFailure) -> Result<(), StoreError> {
        self.writer.call("recording failed calls", move |tx| fail(tx, &failure)).await
    }
}

/// A slot's pin, as it is stored.
pub(super) struct StoredPin {
    pub(super) revision: u32,
    /// None where a person had it renewed, and it has not been asked for since.
    pub(super) answer: Option<String>,
    /// Whether it has an answer, be it one that was erased.
    tied: bool,
    pub(super) approval: SlotApproval,
}

/// The columns of `decision_pinned`.
fn stored_pin(row: &Row<'_>) -> rusqlite::Result<StoredPin> {
    Ok(StoredPin {
        revision: row.get("revision")?,
        answer: rows::optional_text(row, "answer")?,
        tied: row.get("tied")?,
        approval: rows::slot_approval(row)?,
    })
}

fn find(connection: &Connection, query: &DecisionQuery) -> Result<Lookup, StoreError> {
    let (namespace, work, slot) = (&query.work.namespace, query.work.id, &query.slot);
    let key = (namespace, work.as_bytes(), slot);
    let pinned = first(connection, FINDING, include_str!("queries/decision_pinned.sql"), key, stored_pin)?;
    let revision = pinned.as_ref().map_or(1, |pin| pin.revision);
    if let Some(StoredPin { answer: Some(answer), approval, .. }) = pinned {
        let found = Some(Found::Pinned(PinnedAnswer { answer, approval }));
        return Ok(Lookup { revision, found });
    }
    let Some(question) = query.cache_key else { return Ok(Lookup { revision, found: None }) };
    let question = slot_key(question, work, slot, revision);
    let cached = include_str!("queries/decision_cached.sql");
    let answer = first(connection, FINDING, cached, (namespace, question.as_bytes()), |row| {
        rows::text(row, "answer")
    })?;
    Ok(Lookup { revision, found: answer.map(Found::Cached) })
}

/// The pin of a slot, inside a transaction.
pub(super) fn pinned(
    tx: &Tx<'_>,
    namespace: &str,
    work: WorkId,
    slot: &str,
) -> Result<Option<StoredPin>, StoreError> {
    tx.first(include_str!("queries/decision_pinned.sql"), (namespace, work.as_bytes(), slot), stored_pin)
}

/// Keep an answer, where there is none yet to its question. Whether it is the first.
fn keep(
    tx: &Tx<'_>,
    namespace: &str,
    question: Option<CacheKey>,
    record: &DecisionRecord,
) -> Result<bool, StoreError> {
    let DecisionRecord { model, prompt_version, answer, figures, .. } = record;
    let kept = tx.execute(
        include_str!("queries/decision_insert.sql"),
        (
            namespace,
            question.as_ref().map(CacheKey::as_bytes),
            model,
            prompt_version,
            answer.as_bytes(),
            figures.calls,
            model_total::stored(figures.tokens_in),
            model_total::stored(figures.tokens_out),
            model_total::stored(figures.cost_micros),
            model_total::stored(Some(figures.latency_ms)),
            tx.now_ms,
        ),
    )?;
    Ok(kept == 1)
}

/// An answer that is kept under a question.
struct Answered {
    seq: i64,
    model: String,
}

fn answered(tx: &Tx<'_>, namespace: &str, question: CacheKey) -> Result<Answered, StoreError> {
    let key = (namespace, question.as_bytes());
    let found = tx.first(include_str!("queries/decision_cached.sql"), key, |row| {
        Ok(Answered { seq: row.get("seq")?, model: row.get("model")? })
    })?;
    found.ok_or_else(|| tx.corrupt("the answer that a decision refers to is not there"))
}

/// Tie a slot to a kept answer, where it has none yet. Whether it is the first.
fn tie(
    tx: &Tx<'_>,
    (namespace, work, slot): (&str, WorkId, &str),
    revision: u32,
    answer_seq: i64,
    origin: &str,
) -> Result<bool, StoreError> {
    let values = (namespace, work.as_bytes(), slot, revision, answer_seq, origin, tx.now_ms);
    Ok(tx.execute(include_str!("queries/decision_pin.sql"), values)? == 1)
}

fn record(tx: &Tx<'_>, record: &DecisionRecord, pin: &Pin) -> Result<Stored, StoreError> {
    let namespace = &pin.work.namespace;
    let question = slot_key(pin.cache_key, pin.work.id, &pin.slot, pin.revision);
    let first_writer = keep(tx, namespace, Some(question), record)?;
    // Paid for, whoever was first.
    model_total::add(tx, namespace, &record.model, Happened::Asked(&record.figures))?;
    let how = if record.brought { "brought along" } else { "asked" };
    let beside = if first_writer { "" } else { ", and an earlier answer stands" };
    let calls = match record.figures.calls {
        0 | 1 => String::new(),
        calls => format!(", {calls} calls"),
    };
    let how = format!("{how}{beside} ({}, prompt {}{calls})", record.model, record.prompt_version);
    let pinned = self::pin(tx, pin, question, "asked", &how)?.pinned;
    let key = (namespace, question.as_bytes());
    let answer = tx
        .first(include_str!("queries/decision_cached.sql"), key, |row| rows::text(row, "answer"))?
        .ok_or_else(|| tx.corrupt("a recorded decision has no row"))?;
    Ok(Stored { answer, pinned })
}

fn pin_cached(tx: &Tx<'_>, pin: &Pin) -> Result<Pinned, StoreError> {
    let question = slot_key(pin.cache_key, pin.work.id, &pin.slot, pin.revision);
    let Tied { pinned, new } = self::pin(tx, pin, question, "cached", "from the cache, no call was made")?;
    if let Some(Answered { model, .. }) = new {
        model_total::add(tx, &pin.work.namespace, &model, Happened::Cached)?;
    }
    Ok(pinned)
}

/// What became of a pin.
struct Tied {
    pinned: Pinned,
    /// The answer, where this pin gave it to its slot.
    new: Option<Answered>,
}

fn pin(tx: &Tx<'_>, pin: &Pin, question: CacheKey, origin: &str, how: &str) -> Result<Tied, StoreError> {
    let (namespace, work) = (&pin.work.namespace, pin.work.id);
    if !tx.holds(&pin.work, pin.token)? {
        return Ok(Tied { pinned: Pinned::LeaseLost, new: None });
    }
    let kept = answered(tx, namespace, question)?;
    let new = tie(tx, (namespace, work, &pin.slot), pin.revision, kept.seq, origin)?;
    if new {
        tx.evidence(namespace, work, "decided", &format!("slot {:?}, {how}", pin.slot))?;
    }
    let answer = pinned(tx, namespace, work, &pin.slot)?.and_then(|pin| pin.answer);
    let answer = answer.ok_or_else(|| tx.corrupt("a pinned decision has no answer"))?;
    Ok(Tied { pinned: Pinned::Answer(answer), new: new.then_some(kept) })
}

/// Pin an answer that the step found by rule. It answers no question that anybody else could ask.
pub(super) fn pin_rule(
    tx: &Tx<'_>,
    namespace: &str,
    work: WorkId,
    slot: &str,
    answer: &str,
) -> Result<(), StoreError> {
    let before = pinned(tx, namespace, work, slot)?;
    if before.as_ref().is_some_and(|pin| pin.tied) {
        return Ok(());
    }
    let revision = before.map_or(1, |pin| pin.revision);
    let record = DecisionRecord {
        model: RULE.to_owned(),
        prompt_version: String::new(),
        answer: answer.to_owned(),
        brought: false,
        figures: Figures::default(),
    };
    keep(tx, namespace, None, &record)?;
    let kept = tx.connection.last_insert_rowid();
    if !tie(tx, (namespace, work, slot), revision, kept, RULE)? {
        return Err(tx.corrupt(format!("the answer of the slot {slot:?} could not be pinned")));
    }
    tx.evidence(namespace, work, "decided", &format!("slot {slot:?}, by rule"))
}

/// Count that a run was given the answer of an earlier attempt again.
pub(super) fn replay(tx: &Tx<'_>, namespace: &str, work: WorkId, slot: &str) -> Result<(), StoreError> {
    let key = (namespace, work.as_bytes(), slot);
    let replayed: Option<(u32, String)> =
        tx.first(include_str!("queries/decision_replay.sql"), key, |row| {
            Ok((row.get("revision")?, row.get("model")?))
        })?;
    // A renewal may have come between the run and its settle only where the run has lost its claim, and it has not.
    let Some((revision, model)) = replayed else { return Ok(()) };
    if model != RULE {
        model_total::add(tx, namespace, &model, Happened::Replayed)?;
    }
    let detail = format!("slot {slot:?}, revision {revision}, no call was made");
    tx.evidence(namespace, work, "replayed", &detail)
}

fn fail(tx: &Tx<'_>, failure: &DecisionFailure) -> Result<(), StoreError> {
    let DecisionFailure { work, slot, model, cause, figures } = failure;
    model_total::add(tx, &work.namespace, model, Happened::Failed(figures))?;
    let cost = match figures.cost_micros {
        Some(micros) if micros > 0 => format!(", {micros} millionths spent"),
        Some(_) | None => String::new(),
    };
    let detail = format!("slot {slot:?}, {model}, {} calls{cost}: {cause}", figures.calls);
    tx.evidence(&work.namespace, work.id, "undecided", &detail)
}
