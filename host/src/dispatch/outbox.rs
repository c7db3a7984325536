//! The delivery protocol: take (the attempt is counted), send, settle. No transaction is open over the call.

use crate::clock::Clock;
use crate::dispatch::flow::Flow;
use crate::dispatch::setup::DestinationSetup;
use crate::identity::key::RowId;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::outbox::{NextDue, OutboxCounts};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub use crate::dispatch::flow::Attempt;

/// Rows that one pass takes at most from a destination, so that the others have their turn.
const PASS_LIMIT: usize = 1_000;

/// The pause between two tries.
const RECORD_PAUSE: Duration = Duration::from_millis(200);

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
            let mut ended = |attempt| attempts.push(attempt);
            self.flow(destination, PASS_LIMIT).run(&Notify::new(), &mut ended).await?;
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

    /// Send what is due to one destination, each row as soon as there is a place for it, until nothing is due or under way.
    /// `ended` hears of each attempt at its end; after a nudge, places that are free look for rows again.
    ///
    /// # Errors
    /// [`StoreError`], after all that was under way has come to its end.
    pub async fn send_due(
        &self,
        destination: &Arc<DestinationSetup>,
        nudged: &Notify,
        ended: &mut (dyn FnMut(Attempt) + Send),
    ) -> Result<(), StoreError> {
        self.flow(destination, usize::MAX).run(nudged, ended).await
    }

    fn flow<'a>(&'a self, destination: &'a Arc<DestinationSetup>, rows_max: usize) -> Flow<'a> {
        Flow {
            store: &self.store,
            clock: &self.clock,
            namespace: &self.namespace,
            destination,
            record_pause: self.record_pause,
            rows_max,
            stop: &self.stop,
        }
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
}
