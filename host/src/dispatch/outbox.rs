//! The delivery protocol: take (the attempt is counted), send, settle. No transaction is open over the call.

use crate::clock::Clock;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::dispatch::send::send;
use crate::dispatch::setup::DestinationSetup;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::outbox::{NextDue, OutboxCounts, RowOutcome, RowSettled, Sending, Take};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Rows that one pass takes at most from a destination, so that a pass ends.
const PASS_LIMIT: usize = 1_000;

/// How long the record of an outcome is tried while the ledger is full or busy, in milliseconds.
const RECORD_MAX_MS: u64 = 30_000;

/// The pause between two tries.
const RECORD_PAUSE: Duration = Duration::from_millis(200);

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
    /// How long the request took, with its look-ups.
    pub took: Duration,
}

/// What one pass did, and what it left: `idle` is never "all done" while rows are blocked or in doubt.
#[derive(Debug)]
pub struct DeliveryReport {
    /// The attempts, in the order in which they ended.
    pub attempts: Vec<Attempt>,
    /// When the next row becomes due, Unix milliseconds, where any waits.
    pub next_due_ms: Option<i64>,
    /// When the next row may go out that waits for nothing but its destination's rate, Unix milliseconds.
    pub paced_until_ms: Option<i64>,
    /// Rows that were cancelled since nobody approved them in time.
    pub expired: Vec<RowId>,
    /// All rows of the namespace by state.
    pub counts: OutboxCounts,
}

/// Delivers the outbox of one namespace.
pub struct Deliverer {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    namespace: String,
    destinations: Vec<Arc<DestinationSetup>>,
    alerts: Option<String>,
    record_pause: Duration,
    stop: CancellationToken,
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
        let (record_pause, stop) = (RECORD_PAUSE, CancellationToken::new());
        Self { store, clock, namespace, destinations, alerts: None, record_pause, stop }
    }

    /// Tell this destination of everything that stops.
    #[must_use]
    pub fn alerts(mut self, destination: Option<String>) -> Self {
        self.alerts = destination;
        self
    }

    /// Wait so long before an outcome that could not be recorded is recorded again. In simulated time nobody waits.
    #[must_use]
    pub fn record_pause(mut self, pause: Duration) -> Self {
        self.record_pause = pause;
        self
    }

    /// Take no more rows when this is cancelled. What is under way comes to its end.
    #[must_use]
    pub fn until(mut self, stop: CancellationToken) -> Self {
        self.stop = stop;
        self
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The destinations.
    #[must_use]
    pub fn destinations(&self) -> &[Arc<DestinationSetup>] {
        &self.destinations
    }

    /// Send what is due, until nothing is.
    pub async fn run_once(&self) -> Result<DeliveryReport, StoreError> {
        let expired = self.upkeep().await?;
        let mut attempts = Vec::new();
        for destination in &self.destinations {
            attempts.extend(self.send_due(destination).await?);
        }
        let (mut next_due_ms, mut paced_until_ms) = (None, None);
        for destination in &self.destinations {
            let Some(due) = self.store.outbox_next_due(&self.namespace, &destination.name).await? else {
                continue;
            };
            next_due_ms = next_due_ms.into_iter().chain([due.at_ms]).min();
            let paced = self.is_paced(destination, due).then_some(due.at_ms);
            paced_until_ms = paced_until_ms.into_iter().chain(paced).min();
        }
        let counts = self.store.outbox_counts(&self.namespace).await?;
        Ok(DeliveryReport { attempts, next_due_ms, paced_until_ms, expired, counts })
    }

    /// Cancel rows that nobody approved in time, and make rows of what has stopped; the rows that were cancelled.
    pub async fn upkeep(&self) -> Result<Vec<RowId>, StoreError> {
        let expired = self.store.outbox_expire(&self.namespace).await?;
        self.alert().await?;
        Ok(expired)
    }

    /// Send what is due to one destination, until nothing is, or a pass is full.
    pub async fn send_due(&self, destination: &Arc<DestinationSetup>) -> Result<Vec<Attempt>, StoreError> {
        let mut attempts = Vec::new();
        while attempts.len() < PASS_LIMIT && !self.stop.is_cancelled() {
            let ended = self.send_batch(destination).await?;
            if ended.is_empty() {
                break;
            }
            attempts.extend(ended);
        }
        Ok(attempts)
    }

    /// When the next row to a destination may go, Unix milliseconds, where any waits.
    pub async fn next_due_ms(&self, destination: &str) -> Result<Option<i64>, StoreError> {
        let due = self.store.outbox_next_due(&self.namespace, destination).await?;
        Ok(due.map(|due| due.at_ms))
    }

    /// Make rows of what has stopped, until all of it is told.
    async fn alert(&self) -> Result<(), StoreError> {
        let Some(destination) = &self.alerts else { return Ok(()) };
        while self.store.alert_collect(&self.namespace, destination).await? > 0 {}
        Ok(())
    }

    /// Whether a row is due and waits for the destination's rate alone. A destination that asked for a longer wait than its
    /// rate, or that rests, has its way.
    fn is_paced(&self, destination: &DestinationSetup, due: NextDue) -> bool {
        let now_ms = self.clock.now_ms();
        destination.rate.is_some_and(|rate| {
            !due.resting && due.row_ms <= now_ms && due.at_ms.saturating_sub(now_ms) <= rate.wait_max_ms()
        })
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
            let (destination, pause) = (Arc::clone(destination), self.record_pause);
            sending.spawn(async move {
                let begun = tokio::time::Instant::now();
                let outcome = send(&*clock, &destination, &row).await;
                let took = begun.elapsed();
                let settled = record(&*store, &destination, &row, &outcome, pause).await?;
                Ok(Attempt {
                    row: row.row.id,
                    work: row.work_id,
                    destination: destination.name.clone(),
                    attempt: row.attempt,
                    outcome,
                    settled,
                    took,
                })
            });
        }
        let (mut ended, mut failed) = (Vec::new(), None);
        // All are waited for, whatever becomes of one: a request that is cut off may have been applied.
        while let Some(attempt) = sending.join_next().await {
            match attempt {
                Ok(Ok(attempt)) => ended.push(attempt),
                Ok(Err(error)) => failed = failed.or(Some(error)),
                // A panicking connector leaves its row to the lease, like a host that died.
                Err(panic) => tracing::error!(%panic, destination = destination.name, "a delivery panicked"),
            }
        }
        failed.map_or(Ok(ended), Err)
    }

    fn order(&self, destination: &DestinationSetup) -> Result<Take, StoreError> {
        let envelope = serde_json::to_string(&destination.frozen()).map_err(|error| StoreError::Corrupt {
            operation: "freezing a destination's settings",
            what: error.to_string(),
        })?;
        // Where a look-up has to wait until the receiver has settled, so does the takeover of a lost sender's row.
        let patient = destination.envelope.look_up.is_some();
        let settling_ms = if patient { destination.settling_ms } else { 0 };
        let lease_ms = destination.lease_ms.saturating_add(settling_ms);
        Ok(Take {
            namespace: self.namespace.clone(),
            destination: destination.name.clone(),
            envelope,
            lease_ms: i64::try_from(lease_ms).unwrap_or(i64::MAX),
            patient,
            limit: destination.concurrency,
            rate: destination.rate,
            breaker: destination.breaker,
        })
    }
}

/// Record what came of an attempt. A full or busy ledger is asked again while the lease lasts: a receipt that is not
/// recorded would be another request.
async fn record(
    store: &dyn Store,
    destination: &DestinationSetup,
    row: &Sending,
    outcome: &RowOutcome,
    pause: Duration,
) -> Result<RowSettled, StoreError> {
    let until = tokio::time::Instant::now() + Duration::from_millis(destination.lease_ms.min(RECORD_MAX_MS));
    let settled = loop {
        match store.outbox_settle(row.row.clone(), row.token, outcome.clone()).await {
            Err(error) if error.is_transient() && tokio::time::Instant::now() < until => {
                tokio::time::sleep(pause).await;
            }
            settled => break settled?,
        }
    };
    crash_point::reach(CrashPoint::ReceiptRecorded);
    Ok(settled)
}
