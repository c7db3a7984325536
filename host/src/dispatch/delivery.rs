//! Delivery as background duties: one for each destination, so that a slow one does not hold up the others, and one for
//! what belongs to no destination.

use crate::clock::Clock;
use crate::dispatch::duty::{Duty, Pass};
use crate::dispatch::error::DispatchError;
use crate::dispatch::nudge::Nudge;
use crate::dispatch::outbox::{Attempt, Deliverer};
use crate::dispatch::setup::DestinationSetup;
use crate::telemetry::metrics::Metrics;
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::Notify;

/// Sends what is due to one destination.
pub struct DeliverTo {
    /// The deliverer that has it.
    pub deliverer: Arc<Deliverer>,
    /// The destination.
    pub destination: Arc<DestinationSetup>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is told that a receipt may have let something go on.
    pub nudge: Nudge,
    /// Nudged where there may be something to deliver.
    pub nudged: Arc<Notify>,
    /// Where each attempt is counted.
    pub metrics: Metrics,
}

#[async_trait]
impl Duty for DeliverTo {
    fn name(&self) -> String {
        format!("delivery to {}", self.destination.name)
    }

    async fn pass(&self) -> Result<Pass, DispatchError> {
        // Looked at first, since looking takes no transaction.
        let due_ms = self.deliverer.next_due_ms(&self.destination.name).await?;
        if due_ms.is_none_or(|due_ms| due_ms > self.clock.now_ms()) {
            return Ok(Pass { busy: false, next_due_ms: due_ms });
        }
        let mut any = false;
        let mut ended = |attempt: Attempt| {
            any = true;
            let (namespace, outcome) = (self.deliverer.namespace(), attempt.outcome.word());
            self.metrics.delivery(namespace, &attempt.destination, outcome, attempt.took);
            tracing::info!(row = %attempt.row, destination = attempt.destination, attempt = attempt.attempt, outcome, "delivered");
            // A follow-up may be due, or the next of another destination's line.
            self.nudge.all();
        };
        self.deliverer.send_due(&self.destination, &self.nudged, &mut ended).await?;
        if !any {
            // What is due can't be taken yet; the loop looks again soon, and not at once.
            return Ok(Pass::default());
        }
        Ok(Pass { busy: true, next_due_ms: None })
    }
}

/// Cancels what nobody approved in time, and tells of what has stopped.
pub struct Upkeep(pub Arc<Deliverer>);

#[async_trait]
impl Duty for Upkeep {
    fn name(&self) -> String {
        "upkeep of the outbox".to_owned()
    }

    async fn pass(&self) -> Result<Pass, DispatchError> {
        self.0.upkeep().await?;
        Ok(Pass::default())
    }
}
