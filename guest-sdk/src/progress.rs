//! How far a handoff has come, for people; and the cursor of a batch.
//!
//! It owns the sugar of the host's `progress` interface. Stages go forward only. It fails with a [`ProgressError`],
//! which `?` turns into the fitting [`Failure`]; a step whose effect matters more than its mark uses
//! [`advance_or_note`].

use crate::bindings::onceward::step::progress as wit;
use crate::host;
use crate::journal;
use crate::misfit::explain;
use crate::outcome::Failure;
use std::error::Error;
use std::fmt;

/// Move the handoff to a stage. The stage it is at already changes nothing. It commits with the step's outcome.
///
/// # Errors
/// See [`ProgressError`].
pub fn advance(stage: &str) -> Result<(), ProgressError> {
    host::advance(stage).map_err(|error| match error {
        wit::ProgressError::UnknownStage(stages) => {
            ProgressError::UnknownStage { stage: stage.to_owned(), stages }
        }
        wit::ProgressError::Backwards(reached) => {
            ProgressError::Backwards { stage: stage.to_owned(), reached }
        }
    })
}

/// Move the handoff to a stage; where that can't be, write a note and go on.
///
/// A mark is for people. Where the operator has other stages, or the event is reprocessed after its handoff had come
/// further, that is no reason to lose a lead.
pub fn advance_or_note(stage: &str) {
    if let Err(error) = advance(stage) {
        journal::note(explain(&error));
    }
}

/// The cursor that the last [`Outcome::Continue`](crate::Outcome::Continue) of this work gave; none in its first run.
pub fn load_cursor() -> Option<String> {
    host::load_cursor()
}

/// A handoff could not be moved to a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgressError {
    /// The operator has no stage of this name.
    UnknownStage {
        /// The stage that was asked for.
        stage: String,
        /// The stages there are.
        stages: String,
    },
    /// The handoff is already past it.
    Backwards {
        /// The stage that was asked for.
        stage: String,
        /// The stage it has reached.
        reached: String,
    },
}

impl fmt::Display for ProgressError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownStage { stage, stages } => {
                write!(
                    out,
                    "advancing to `{stage}`: there is no such stage ({stages}); configure it or use another"
                )
            }
            Self::Backwards { stage, reached } => {
                write!(
                    out,
                    "advancing to `{stage}`: the handoff has reached `{reached}`; stages only go forward"
                )
            }
        }
    }
}

impl Error for ProgressError {}

impl From<ProgressError> for Failure {
    /// To a person: another attempt finds the same stages, and the work itself may be worth keeping. Once the
    /// operator's stages are right it can go on.
    fn from(error: ProgressError) -> Self {
        Self::review(explain(&error))
    }
}
