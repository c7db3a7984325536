//! Rows on their way out.

use crate::contract::fence::Token;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::Outbox;
use crate::store::error::StoreError;
use crate::store::outbox::{
    Enqueued, FoundRow, NewRow, NextDue, RowOutcome, RowRef, RowSettled, RowState, Sending, Take,
};
use crate::store::pause::PauseScope;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::alert;
use crate::store::sqlite::approval;
use crate::store::sqlite::enqueue;
use crate::store::sqlite::pace;
use crate::store::sqlite::pause;
use crate::store::sqlite::receipt;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, first};
use crate::store::work::WorkRef;
use async_trait::async_trait;
use serde_json::Value;

const ALERTING: &str = "making alerts";

const EXPIRING: &str = "cancelling what nobody approved";

#[async_trait]
impl Outbox for SqliteStore {
    async fn outbox_take(&self, order: Take) -> Result<Vec<Sending>, StoreError> {
        self.writer.call("taking outbox rows", move |tx| take(tx, &order)).await
    }

    async fn outbox_settle(
        &self,
        row: RowRef,
        token: Token,
        outcome: RowOutcome,
    ) -> Result<RowSettled, StoreError> {
        self.writer.call("recording a delivery", move |tx| settle(tx, &row, token, &outcome)).await
    }

    async fn outbox_enqueue(
        &self,
        work: WorkRef,
        token: Token,
        row: NewRow,
    ) -> Result<Option<Enqueued>, StoreError> {
        self.writer.call("enqueuing a row", move |tx| enqueue::enqueue(tx, &work, token, &row)).await
    }

    async fn outbox_find(&self, namespace: &str, row: RowId) -> Result<Option<FoundRow>, StoreError> {
        let namespace = namespace.to_owned();
        self.readers
            .read(move |connection| {
                let sql = include_str!("queries/outbox_find.sql");
                first(connection, "looking for a row", sql, (namespace, row.as_bytes()), |row| {
                    Ok(FoundRow { payload_hash: row.get("payload_hash")?, live: rows::key(row, "live")? })
                })
            })
            .await
    }

    async fn outbox_next_due(
        &self,
        namespace: &str,
        destination: &str,
    ) -> Result<Option<NextDue>, StoreError> {
        let key = (namespace.to_owned(), destination.to_owned());
        self.readers
            .read(move |connection| {
                let sql = include_str!("queries/outbox_next_due.sql");
                first(connection, "looking for due rows", sql, key, |row| {
                    Ok(NextDue {
                        row_ms: row.get("row_ms")?,
                        at_ms: row.get("at_ms")?,
                        resting: row.get("resting")?,
                    })
                })
            })
            .await
    }

    async fn alert_collect(&self, namespace: &str, destination: &str) -> Result<u64, StoreError> {
        let any = include_str!("queries/alert_any.sql");
        if !self.finds(ALERTING, any, [namespace.to_owned()]).await? {
            return Ok(0);
        }
        let (namespace, destination) = (namespace.to_owned(), destination.to_owned());
        self.writer.call(ALERTING, move |tx| alert::collect(tx, &namespace, &destination)).await
    }

    async fn outbox_expire(&self, namespace: &str) -> Result<Vec<RowId>, StoreError> {
        let expirable = include_str!("queries/outbox_expirable.sql");
        if !self.finds(EXPIRING, expirable, (namespace.to_owned(), self.clock_ms())).await? {
            return Ok(Vec::new());
        }
        let namespace = namespace.to_owned();
        self.writer.call(EXPIRING, move |tx| approval::expire(tx, &namespace)).await
    }
}

fn take(tx: &Tx<'_>, order: &Take) -> Result<Vec<Sending>, StoreError> {
    let destination = PauseScope::Destination(order.destination.clone());
    if pause::find(tx, &order.namespace, &destination)?.is_some() {
        return Ok(Vec::new());
    }
    let limit = pace::allowed(tx, order)?;
    if limit == 0 {
        return Ok(Vec::new());
    }
    let mine = Value::from_iter(order.mine.iter().map(ToString::to_string)).to_string();
    let due: Vec<(i64, bool)> = tx.all(
        include_str!("queries/outbox_take_candidates.sql"),
        (&order.namespace, &order.destination, tx.now_ms, limit, mine),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let taken: Vec<Sending> =
        due.into_iter().map(|(seq, by_word)| take_row(tx, order, seq, by_word)).collect::<Result<_, _>>()?;
    if !taken.is_empty() {
        pace::spend(tx, order, taken.iter().map(|row| calls(order, row)).sum())?;
    }
    Ok(taken)
}

/// How often the receiver is called for a row: one that can be asked is asked before a repeat, and after it.
fn calls(order: &Take, row: &Sending) -> i64 {
    1 + 2 * i64::from(order.patient && row.maybe_applied)
}

fn take_row(tx: &Tx<'_>, order: &Take, seq: i64, by_word: bool) -> Result<Sending, StoreError> {
    let token = tx.next_token();
    let taken = tx.first(
        include_str!("queries/outbox_take.sql"),
        (
            seq,
            token.number(),
            tx.now_ms.saturating_add(order.lease_ms),
            &order.envelope,
            tx.now_ms,
            order.patient,
        ),
        |row| {
            Ok(Sending {
                row: RowRef { namespace: order.namespace.clone(), id: rows::key(row, "row_id")? },
                work_id: rows::key(row, "work_id")?,
                slot: row.get("slot")?,
                payload: rows::text(row, "payload")?,
                envelope: row.get("envelope")?,
                attempt: row.get("attempt")?,
                token,
                maybe_applied: row.get("maybe_applied")?,
                by_word,
                first_attempt_ms: row.get("first_attempt_ms")?,
                taken_ms: tx.now_ms,
            })
        },
    )?;
    let taken = taken.ok_or_else(|| tx.corrupt("a due row has no row"))?;
    let detail = format!("row {} to {:?}, attempt {}", taken.row.id, order.destination, taken.attempt);
    tx.evidence(&order.namespace, taken.work_id, "sending", &detail)?;
    Ok(taken)
}

/// The columns that an outcome changes.
#[derive(Default)]
struct Change<'a> {
    due_ms: Option<i64>,
    cause: Option<&'a str>,
    maybe_applied: bool,
    receipt: Option<&'a str>,
    truncated: bool,
    external_reference: Option<&'a str>,
    /// Whether the attempt is given back.
    uncounted: bool,
    /// Whether what was frozen is taken off, if nothing was applied.
    thawed: bool,
}

impl<'a> Change<'a> {
    fn of(outcome: &'a RowOutcome, now_ms: i64) -> (RowState, Self) {
        match outcome {
            RowOutcome::Sent { receipt, truncated, external_reference, flag } => (
                RowState::Sent,
                Self {
                    cause: flag.as_deref(),
                    receipt: Some(receipt),
                    truncated: *truncated,
                    external_reference: external_reference.as_deref(),
                    ..Self::default()
                },
            ),
            RowOutcome::Again { cause, due_in_ms, maybe_applied, .. } => (
                RowState::Pending,
                Self {
                    due_ms: Some(now_ms.saturating_add((*due_in_ms).max(0))),
                    cause: Some(cause),
                    maybe_applied: *maybe_applied,
                    ..Self::default()
                },
            ),
            RowOutcome::Blocked { cause, maybe_applied, .. } => (
                RowState::Blocked,
                Self { cause: Some(cause), maybe_applied: *maybe_applied, ..Self::default() },
            ),
            RowOutcome::InDoubt { cause, .. } => {
                (RowState::InDoubt, Self { cause: Some(cause), maybe_applied: true, ..Self::default() })
            }
            RowOutcome::Withheld { cause, in_doubt } => (
                if *in_doubt { RowState::InDoubt } else { RowState::Blocked },
                Self { cause: Some(cause), uncounted: true, ..Self::default() },
            ),
            RowOutcome::Paused { cause } => (
                RowState::Pending,
                Self {
                    due_ms: Some(now_ms),
                    cause: Some(cause),
                    uncounted: true,
                    thawed: true,
                    ..Self::default()
                },
            ),
        }
    }
}

fn settle(tx: &Tx<'_>, row: &RowRef, token: Token, outcome: &RowOutcome) -> Result<RowSettled, StoreError> {
    let (state, change) = Change::of(outcome, tx.now_ms);
    let settled = tx.first(
        include_str!("queries/outbox_settle.sql"),
        (
            &row.namespace,
            row.id.as_bytes(),
            token.number(),
            state.word(),
            change.due_ms,
            change.cause,
            change.maybe_applied,
            change.receipt.map(str::as_bytes),
            change.truncated,
            change.external_reference,
            change.uncounted,
            tx.now_ms,
            change.thawed,
        ),
        |found| Ok((rows::key::<WorkId>(found, "work_id")?, found.get::<_, String>("destination")?)),
    )?;
    let Some((work, destination)) = settled else { return Ok(RowSettled::LeaseLost) };
    if let Some(health) = outcome.health() {
        pace::heard(tx, &row.namespace, &destination, health)?;
    }
    let (kind, why) = match outcome {
        RowOutcome::Sent { external_reference, flag, .. } => {
            receipt::follow(tx, &row.namespace, row.id, flag.as_deref())?;
            ("sent", external_reference.as_ref().map_or_else(String::new, |r| format!(" (reference {r})")))
        }
        RowOutcome::Again { cause, maybe_applied, .. } => {
            ("again", format!(", {}: {cause}", class(*maybe_applied)))
        }
        RowOutcome::Blocked { cause, maybe_applied, .. } => {
            ("blocked", format!(", {}: {cause}", class(*maybe_applied)))
        }
        RowOutcome::InDoubt { cause, .. } => ("in-doubt", format!(": {cause}")),
        RowOutcome::Withheld { cause, in_doubt } => {
            (if *in_doubt { "in-doubt" } else { "blocked" }, format!(": {cause}"))
        }
        RowOutcome::Paused { cause } => {
            let why = format!(": {destination:?} refuses us: {cause}");
            pause::set(tx, &row.namespace, &PauseScope::Destination(destination), cause, None)?;
            ("paused", why)
        }
    };
    tx.evidence(&row.namespace, work, kind, &format!("row {}{why}", row.id))?;
    Ok(RowSettled::Applied)
}

/// What an attempt that was not accepted did, as far as anybody knows.
const fn class(maybe_applied: bool) -> &'static str {
    if maybe_applied { "may have been applied" } else { "not applied" }
}
