//! What a run is given.

use crate::contract::capability::Mode;
use crate::contract::fence::Token;
use crate::contract::sameness::Sameness;
use crate::contract::step::StepContract;
use crate::store::durable::Durable;
use crate::store::outbox::Approval;
use crate::store::work::WorkRecord;
use crate::store::work::WorkRef;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the operator grants of what the contract asks for.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Destinations that may be enqueued to, and what holds for every row to them.
    pub destinations: BTreeMap<String, RowTerms>,
    /// Models that may be asked.
    pub models: BTreeSet<String>,
}

/// What the operator wants of every row to a destination, whatever step it comes from.
#[derive(Clone, Debug, Default)]
pub struct RowTerms {
    /// Whether a person approves each of them.
    pub hold: bool,
    /// When two of them are the same message, which goes out once.
    pub sameness: Option<Sameness>,
}

/// Why a row is held that no step asked to hold.
const HELD_BY_OPERATOR: &str = "the operator holds every row to this destination";

impl RowTerms {
    /// The approval that the operator wants of a row, where it wants one.
    #[must_use]
    pub fn approval(&self) -> Option<Approval> {
        self.hold.then(|| Approval { reason: HELD_BY_OPERATOR.to_owned(), expires_after_ms: None })
    }
}

impl Grants {
    /// What both sides agree on.
    #[must_use]
    pub fn both(asked: &StepContract, granted: &Self) -> Self {
        let granted_terms =
            |name: &String| granted.destinations.get(name).map(|terms| (name.clone(), terms.clone()));
        Self {
            destinations: asked
                .destinations
                .iter()
                .filter_map(|wanted| granted_terms(&wanted.name))
                .collect(),
            models: asked.models.iter().filter(|name| granted.models.contains(*name)).cloned().collect(),
        }
    }
}

/// Decisions that a person must approve before the step may have them.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// Their names within a work.
    pub slots: BTreeSet<String>,
    /// How long a request can be approved, in milliseconds. None: for ever.
    pub expires_ms: Option<u64>,
}

/// A claimed work, with what its run may do.
#[derive(Clone, Debug)]
pub struct Job {
    /// The work as it was claimed.
    pub work: Arc<WorkRecord>,
    /// Proof of the claim.
    pub token: Token,
    /// Whether the work was recorded with this very claim. Then the ledger has no answer and no row of its family yet, and the
    /// settle, which looks for both again, is early enough for what comes meanwhile.
    pub new: bool,
    /// When the claim is on disk; waited for before a model is asked.
    pub durable: Durable,
    /// Whether the run may act and be remembered.
    pub mode: Mode,
    /// What the run may reach.
    pub grants: Arc<Grants>,
    /// What it may have only after a person's approval.
    pub holds: Arc<Holds>,
    /// The operator's stages of a handoff, in order.
    pub stages: Arc<[String]>,
    /// The steps that can go on from a receipt, and their contract versions.
    pub receipt_steps: Arc<BTreeMap<String, u32>>,
}

impl Job {
    /// The work by its identity.
    #[must_use]
    pub fn work_ref(&self) -> WorkRef {
        WorkRef { namespace: self.work.namespace.clone(), id: self.work.work_id }
    }
}
