//! Hosts with a fault built in. A checker that finds nothing proves nothing unless it finds these.

use crate::store::Store;
use crate::store::decision::{DecisionQuery, Lookup};
use crate::store::error::StoreError;
use crate::store::outbox::{Sending, Take};
use crate::store::work::{Settled, Settlement};
use crate::verify::process::Process;
use async_trait::async_trait;

/// Operations that a faulty host does in a way of its own; by default they are the ledger's.
#[async_trait]
pub trait Tamper: Send + Sync {
    /// The end of a run. `process` lets a fault happen in the middle of it.
    async fn work_settle(
        &self,
        ledger: &dyn Store,
        settlement: Settlement,
        process: &Process,
    ) -> Result<Settled, StoreError> {
        let _ = process;
        ledger.work_settle(settlement).await
    }

    /// What is known about a question.
    async fn decision_find(&self, ledger: &dyn Store, query: DecisionQuery) -> Result<Lookup, StoreError> {
        ledger.decision_find(query).await
    }

    /// Rows that are due.
    async fn outbox_take(&self, ledger: &dyn Store, take: Take) -> Result<Vec<Sending>, StoreError> {
        ledger.outbox_take(take).await
    }
}

/// The host as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untampered;

impl Tamper for Untampered {}
