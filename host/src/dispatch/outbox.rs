//! The delivery protocol: take (the attempt is counted), send, settle. No transaction is open over the call.

use crate::clock::Clock;
use crate::connectors::envelope::Delivery;
use crate::connectors::answer::{Answer, Fault, Receipt};
use crate::contract::tier::AfterAmbiguous;
use crate::contract::tier::Tier;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::dispatch::setup::{DestinationSetup, Frozen};
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::outbox::{OutboxCounts, RowOutcome, RowSettled, Sending, Take};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Rows that one pass takes at most from a destination, so that a pass ends.
const PASS_LIMIT: usize = 1_000;

/// One delivery attempt that ended.
#[derive(Debug)]
pub struct Attempt {
    /// The row.
    pub row: RowId,
    /// The work it came from.
    pub work: WorkId,
    /// The destination.
    pub destination: String,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// What came of it.
    pub outcome: RowOutcome,
    /// Whether that was recorded, or the row had been taken over.
    pub settled: RowSettled,
}

/// What one pass did, and what it left: `idle` is never "all done" while rows are blocked or in doubt.
#[derive(Debug)]
pub struct DeliveryReport {
    /// The attempts, in the order in which they ended.
    pub attempts: Vec<Attempt>,
    /// When the next row becomes due, Unix milliseconds, where any waits.
    pub next_due_ms: Option<i64>,
    /// All rows of the namespace by state.
    pub counts: OutboxCounts,
}

/// Delivers the outbox of one namespace.
pub struct Deliverer {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    namespace: String,
    destinations: Vec<Arc<DestinationSetup>>,
}

impl Deliverer {
    /// A deliverer to these destinations.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        namespace: String,
        destinations: Vec<Arc<DestinationSetup>>,
    ) -> Self {
        Self { store, clock, namespace, destinations }
    }

    /// Send what is due, until nothing is.
    pub async fn run_once(&self) -> Result<DeliveryReport, StoreError> {
        let mut attempts = Vec::new();
        for destination in &self.destinations {
            let mut taken = 0;
            while taken < PASS_LIMIT {
                let ended = self.send_batch(destination).await?;
                if ended.is_empty() {
                    break;
                }
                taken += ended.len();
                attempts.extend(ended);
            }
        }
        let mut next_due_ms = None;
        for destination in &self.destinations {
            let due = self.store.outbox_next_due(&self.namespace, &destination.name).await?;
            next_due_ms = next_due_ms.into_iter().chain(due).min();
        }
        let counts = self.store.outbox_counts(&self.namespace).await?;
        Ok(DeliveryReport { attempts, next_due_ms, counts })
    }

    /// Take as many rows as may be under way at once, and bring each to its end.
    async fn send_batch(&self, destination: &Arc<DestinationSetup>) -> Result<Vec<Attempt>, StoreError> {
        let rows = self.store.outbox_take(self.order(destination)?).await?;
        if !rows.is_empty() {
            crash_point::reach(CrashPoint::AttemptCounted);
        }
        let mut sending = JoinSet::new();
        for row in rows {
            let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
            let destination = Arc::clone(destination);
            sending.spawn(async move { send(&*store, &*clock, &destination, row).await });
        }
        let mut ended = Vec::new();
        while let Some(attempt) = sending.join_next().await {
            // A panicking connector leaves its row to the lease, like a host that died.
            match attempt {
                Ok(attempt) => ended.push(attempt?),
                Err(panic) => tracing::error!(%panic, destination = destination.name, "a delivery panicked"),
            }
        }
        Ok(ended)
    }

    fn order(&self, destination: &DestinationSetup) -> Result<Take, StoreError> {
        let envelope = serde_json::to_string(&destination.frozen()).map_err(|error| StoreError::Corrupt {
            operation: "freezing a destination's settings",
            what: error.to_string(),
        })?;
        // A receiver that can't recognise a repeat has forgotten every key at once.
        let retention_ms = if destination.tier == Tier::Blind { 0 } else { destination.retention_ms };
        Ok(Take {
            namespace: self.namespace.clone(),
            destination: destination.name.clone(),
            envelope,
            lease_ms: i64::try_from(destination.lease_ms).unwrap_or(i64::MAX),
            limit: destination.concurrency,
            attempts_max: destination.retry.attempts_max,
            retention_ms: i64::try_from(retention_ms).unwrap_or(i64::MAX),
        })
    }
}

async fn send(
    store: &dyn Store,
    clock: &dyn Clock,
    destination: &DestinationSetup,
    row: Sending,
) -> Result<Attempt, StoreError> {
    let outcome = match serde_json::from_str::<Frozen>(&row.envelope) {
        Ok(frozen) if forgotten(&frozen, &row) => RowOutcome::InDoubt {
            cause: "an earlier attempt may have been applied, and the destination can no longer tell a repeat; \
                    nothing was sent again"
                .to_owned(),
        },
        Ok(frozen) => {
            let key = row.row.id.to_string();
            let delivery = Delivery {
                envelope: &frozen.envelope,
                key: &key,
                body: row.payload.as_bytes(),
                maybe_applied: row.maybe_applied,
            };
            let answer = destination.connector.deliver(delivery).await;
            crash_point::reach(CrashPoint::DestinationAnswered);
            rule(clock, destination, &frozen, &row, answer)
        }
        Err(error) => RowOutcome::Blocked {
            cause: format!("what was frozen at the first attempt can't be read: {error}"),
            maybe_applied: false,
        },
    };
    let settled = store.outbox_settle(row.row.clone(), row.token, outcome.clone()).await?;
    crash_point::reach(CrashPoint::ReceiptRecorded);
    Ok(Attempt {
        row: row.row.id,
        work: row.work_id,
        destination: destination.name.clone(),
        attempt: row.attempt,
        outcome,
        settled,
    })
}

/// Whether the receiver would take a repeat of an attempt that may have been applied for a new request: a row can wait
/// longer than a key is kept, where the host was stopped or the destination paused.
fn forgotten(frozen: &Frozen, row: &Sending) -> bool {
    let age_ms = row.taken_ms.saturating_sub(row.first_attempt_ms);
    let retention_ms = i64::try_from(frozen.retention_ms).unwrap_or(i64::MAX);
    row.maybe_applied && frozen.tier.after_ambiguous(age_ms, retention_ms) == AfterAmbiguous::InDoubt
}

/// What an answer means for the row, by the receiver's tier and the budget.
fn rule(
    clock: &dyn Clock,
    destination: &DestinationSetup,
    frozen: &Frozen,
    row: &Sending,
    answer: Answer,
) -> RowOutcome {
    let age_ms = row.taken_ms.saturating_sub(row.first_attempt_ms);
    let again = |fault: Fault, maybe_applied: bool| match destination.retry.exhausted(row.attempt, age_ms) {
        Some(exhausted) => RowOutcome::Blocked { cause: format!("{exhausted}: {}", cause(&fault)), maybe_applied },
        None => RowOutcome::Again {
            due_in_ms: destination.retry.delay_ms(clock, row.attempt, fault.retry_after_ms),
            cause: cause(&fault),
            maybe_applied,
        },
    };
    match answer {
        Answer::Accepted(receipt) => sent(receipt),
        Answer::NotApplied(fault) => again(fault, false),
        // An earlier attempt is being worked on over there, so it may well be applied.
        Answer::InProgress(fault) => again(fault, true),
        Answer::Ambiguous(fault) => {
            let retention_ms = i64::try_from(frozen.retention_ms).unwrap_or(i64::MAX);
            match frozen.tier.after_ambiguous(age_ms, retention_ms) {
                AfterAmbiguous::SendAgain => again(fault, true),
                AfterAmbiguous::InDoubt => RowOutcome::InDoubt { cause: cause(&fault) },
            }
        }
        Answer::Permanent(fault) | Answer::Conflict(fault) => {
            RowOutcome::Blocked { cause: cause(&fault), maybe_applied: false }
        }
        Answer::Unauthorised(fault) => RowOutcome::Paused { cause: cause(&fault) },
    }
}

/// What went wrong, with the status where there was one.
fn cause(fault: &Fault) -> String {
    fault.status.map_or_else(|| fault.cause.clone(), |status| format!("{status}: {}", fault.cause))
}

fn sent(receipt: Receipt) -> RowOutcome {
    let flag = (!receipt.readable).then(|| "the receipt can't be read; the destination accepted the row".to_owned());
    RowOutcome::Sent {
        receipt: receipt.body,
        truncated: receipt.truncated,
        external_reference: receipt.reference,
        flag,
    }
}
