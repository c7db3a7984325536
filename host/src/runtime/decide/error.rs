//! Why there is no answer.

use crate::models::ModelError;
use crate::runtime::stop::Stop;
use crate::store::error::StoreError;
use std::error::Error;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DecideError {
    /// The model is not the step's to ask.
    #[error("the model {model:?} needs both the contract to ask for it and the operator to grant it")]
    NotGranted {
        /// The model.
        model: String,
    },
    /// The model could not be asked, or kept failing.
    #[error("{error}{}", after(*.calls))]
    Model {
        /// How the last call failed.
        error: ModelError,
        /// How often it was asked.
        calls: u32,
    },
    /// No answer fitted the question's schema. Nothing was recorded.
    #[error("the answer of {model:?} does not fit the schema: {reason}{}", after(*.calls))]
    InvalidAnswer {
        /// The model.
        model: String,
        /// Where the last answer does not fit, and why.
        reason: String,
        /// How often it was asked.
        calls: u32,
    },
    /// The question can't be asked.
    #[error("{0}")]
    InvalidQuestion(String),
    /// A person has rejected the slot's answer.
    #[error("a person rejected the answer: {0}")]
    Rejected(String),
    /// The run is over.
    #[error(transparent)]
    Stop(#[from] Stop),
}

fn after(calls: u32) -> String {
    if calls > 1 { format!(", after {calls} calls") } else { String::new() }
}

impl DecideError {
    /// A fault before or beside any call.
    pub(super) const fn without_call(error: ModelError) -> Self {
        Self::Model { error, calls: 0 }
    }

    /// A question that is at fault itself.
    pub(super) fn question(error: &(dyn Error + 'static)) -> Self {
        Self::InvalidQuestion(with_causes(error))
    }
}

impl From<StoreError> for DecideError {
    fn from(error: StoreError) -> Self {
        Self::Stop(Stop::Store(error))
    }
}

/// An error with what lies behind it, for whoever gets one text: a guest, a finding.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts = std::iter::successors(Some(error), |error| (*error).source()).map(ToString::to_string);
    texts.collect::<Vec<_>>().join(": ")
}
