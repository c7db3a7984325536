//! A step and a destination as the operator set them up.

use crate::connectors::Connector;
use crate::connectors::envelope::Envelope;
use crate::contract::response::Response;
use crate::contract::step::StepContract;
use crate::contract::tier::Tier;
use crate::contract::window::Window;
use crate::dispatch::retry::RetryPolicy;
use crate::runtime::job::{Grants, Holds};
use crate::runtime::limits::Limits;
use crate::runtime::plugin::Plugin;
use crate::store::claim::Terms;
use crate::store::pace::{Breaker, Rate};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How much longer than a run a lease is, in milliseconds: the settle must still find its claim.
const LEASE_MARGIN_MS: u64 = 20_000;

/// Full waits for a model that a lease allows for. A step that waits longer loses its claim, and changes nothing.
const MODEL_WAITS: u64 = 3;

/// A loaded step with its grants and budgets.
#[derive(Debug)]
pub struct StepSetup {
    /// The component.
    pub plugin: Arc<Plugin>,
    /// What it may reach: asked for by the contract and granted by the operator.
    pub grants: Arc<Grants>,
    /// What a run may use.
    pub limits: Arc<Limits>,
    /// When a failed run is tried again.
    pub retry: RetryPolicy,
    /// The contract's window, or the operator's longer one.
    pub window: Window,
    /// The contract's response, or the operator's.
    pub response: Response,
    /// Contracts of earlier versions, newest first.
    pub earlier: Vec<StepContract>,
    /// Decisions that a person must approve first.
    pub holds: Arc<Holds>,
    /// The longest that a run waits for one answer of a model, in milliseconds; 0 where it may ask none.
    pub model_wait_ms: u64,
    /// How long a lease is, where the operator set it, in milliseconds. At least the wall limit.
    pub lease_ms: Option<u64>,
}

impl StepSetup {
    /// The step's contract.
    #[must_use]
    pub fn contract(&self) -> &StepContract {
        self.plugin.contract()
    }

    /// The conditions of its claims. A lease outlasts the run, so that hosted steps need no renewal.
    #[must_use]
    pub fn terms(&self) -> Terms {
        // Waits for a model are outside the wall.
        let waits_ms = self.model_wait_ms.saturating_mul(MODEL_WAITS);
        let whole_ms = self.limits.wall_ms.saturating_add(waits_ms);
        let lease_ms = self
            .lease_ms
            .unwrap_or_else(|| whole_ms.saturating_add(LEASE_MARGIN_MS))
            .max(self.limits.wall_ms);
        Terms {
            lease_ms: i64::try_from(lease_ms).unwrap_or(i64::MAX),
            attempts_max: self.retry.attempts_max,
            age_max_ms: i64::try_from(self.retry.age_max_ms).unwrap_or(i64::MAX),
        }
    }
}

/// A destination with its budgets.
pub struct DestinationSetup {
    /// The operator's name for it.
    pub name: String,
    /// Address and manners.
    pub envelope: Envelope,
    /// What it can promise.
    pub tier: Tier,
    /// How long it remembers a key, in milliseconds.
    pub retention_ms: u64,
    /// How long after a write a look-up may still miss it, in milliseconds.
    pub settling_ms: u64,
    /// When a failed delivery is tried again.
    pub retry: RetryPolicy,
    /// How long a sender may take, in milliseconds: longer than any request.
    pub lease_ms: u64,
    /// Rows at once.
    pub concurrency: u32,
    /// How often it may be called.
    pub rate: Option<Rate>,
    /// When it rests after failures.
    pub breaker: Option<Breaker>,
    /// The way out.
    pub connector: Arc<dyn Connector>,
}

/// What is frozen at a row's first attempt, so that a later configuration does not change what was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// The receiver's tier.
    pub tier: Tier,
    /// How long it remembers a key, in milliseconds.
    pub retention_ms: u64,
    /// How long after a write a look-up may still miss it, in milliseconds.
    #[serde(default)]
    pub settling_ms: u64,
    /// Address and manners.
    pub envelope: Envelope,
}

impl DestinationSetup {
    /// What a first attempt freezes.
    #[must_use]
    pub fn frozen(&self) -> Frozen {
        Frozen {
            tier: self.tier,
            retention_ms: self.retention_ms,
            settling_ms: self.settling_ms,
            envelope: self.envelope.clone(),
        }
    }
}
