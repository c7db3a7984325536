//! The worker: takes due work of every step and brings it through the protocol.

use crate::dispatch::end::Ended;
use crate::dispatch::step::{DispatchError, Dispatcher};

/// Works that one pass takes at most, so that a pass ends and its caller can look up.
const PASS_LIMIT: usize = 1_000;

/// What one pass did.
#[derive(Debug, Default)]
pub struct WorkReport {
    /// The runs that ended, in order.
    pub ended: Vec<Ended>,
    /// Works of outside callers that are in doubt now, since their lease has ended with an open effect.
    pub doubted: u64,
    /// When the next work becomes due, Unix milliseconds, where any waits.
    pub next_due_ms: Option<i64>,
}

impl Dispatcher {
    /// Run what is due, one work after another, until nothing is. Also takes over what a lost run left behind.
    pub async fn run_once(&self) -> Result<WorkReport, DispatchError> {
        let mut report =
            WorkReport { doubted: self.store().work_lapse(self.namespace()).await?, ..WorkReport::default() };
        let mut idle = false;
        while !idle && report.ended.len() < PASS_LIMIT {
            idle = true;
            for step in self.recorded_steps() {
                if let Some(held) = self.take(step).await? {
                    report.ended.push(held.run(self).await.settle(self).await?);
                    idle = false;
                }
            }
        }
        for step in self.recorded_steps() {
            let due = self.store().work_next_due(self.namespace(), step).await?;
            report.next_due_ms = report.next_due_ms.into_iter().chain(due).min();
        }
        Ok(report)
    }
}
