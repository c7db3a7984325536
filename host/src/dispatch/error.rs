//! Why a step could not be dispatched: the words alone, each with the remedy.

use crate::identity::work_id::IdentityError;
use crate::store::error::StoreError;

/// Why a step could not be dispatched.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// No step has this name.
    #[error("running {step:?}: no such step; the configuration has {known}")]
    UnknownStep {
        /// The name.
        step: String,
        /// The names there are.
        known: String,
    },
    /// The event has no identity under the step's contract.
    #[error("claiming an event for {step:?}: it has no usable identity")]
    Identity {
        /// The step.
        step: String,
        /// Which field, and why.
        source: IdentityError,
    },
    /// The step only reads, so that there is nothing to claim.
    #[error(
        "claiming work for {step:?}: the step is read-only, and nothing of its runs is kept; read with it instead"
    )]
    ReadOnly {
        /// The step.
        step: String,
    },
    /// The step's runs are recorded, so that it must claim its work.
    #[error("reading with {step:?}: its runs are recorded; have it claim its work instead")]
    Recorded {
        /// The step.
        step: String,
    },
    /// There is no room for the run, and none to wait for it.
    #[error(
        "running {step:?}: every place is taken (runtime.instances), and {waiting} callers wait for one, which is the limit (runtime.queue); nothing was recorded, so send it again after a moment"
    )]
    Busy {
        /// The step.
        step: String,
        /// Callers that wait.
        waiting: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
