//! What a run is given.

use crate::contract::fence::Token;
use crate::store::durable::Durable;
use crate::store::work::WorkRecord;
use crate::store::work::WorkRef;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the operator grants of what the contract asks for.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Destinations that may be enqueued to.
    pub destinations: BTreeSet<String>,
    /// Models that may be asked.
    pub models: BTreeSet<String>,
}

impl Grants {
    /// What both sides agree on.
    #[must_use]
    pub fn both(asked: &crate::contract::step::StepContract, granted: &Self) -> Self {
        let common = |asked: &[String], granted: &BTreeSet<String>| {
            asked.iter().filter(|name| granted.contains(*name)).cloned().collect()
        };
        Self {
            destinations: common(&asked.destinations, &granted.destinations),
            models: common(&asked.models, &granted.models),
        }
    }
}

/// A claimed work, with what its run may do.
#[derive(Clone, Debug)]
pub struct Job {
    /// The work as it was claimed.
    pub work: Arc<WorkRecord>,
    /// Proof of the claim.
    pub token: Token,
    /// When the claim is on disk; waited for before a model is asked.
    pub durable: Durable,
    /// What the run may reach.
    pub grants: Arc<Grants>,
    /// The operator's stages of a handoff, in order.
    pub stages: Arc<[String]>,
}

impl Job {
    /// The work by its identity.
    #[must_use]
    pub fn work_ref(&self) -> WorkRef {
        WorkRef { namespace: self.work.namespace.clone(), id: self.work.work_id }
    }
}
