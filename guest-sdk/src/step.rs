//! The trait that a step implements.
//!
//! It owns [`Step`] alone. The contract stands beside it, in [`step!`](crate::step!).

use crate::outcome::Failure;
use crate::outcome::Outcome;
use crate::work::Work;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A function from one work to one outcome.
///
/// The host calls it in a fresh instance each time, so nothing survives in memory from one work, or one attempt, to
/// the next. It may be run again at any moment: a retry gets the same time, numbers, ids and decisions from the
/// host, and rows and items of an attempt that failed were never committed.
///
/// A panic becomes a failed attempt. Its message and place are in the work's evidence.
pub trait Step {
    /// What the payload is read into.
    type Input: DeserializeOwned;
    /// What a duplicate gets, and the next step's payload.
    type Output: Serialize;

    /// Handle one work.
    ///
    /// # Errors
    /// A [`Failure`] says what shall happen to the work; nothing that was collected commits.
    fn handle(work: Work<Self::Input>) -> Result<Outcome<Self::Output>, Failure>;

    /// The payload did not fit [`Self::Input`]; `error` says where, and what was found.
    ///
    /// By default a person is asked: the payload stays in the ledger, and it can be run again once the type, or
    /// whoever sends it, has been put right. Answer [`Failure::reject`] where such a payload is worthless.
    fn unreadable(error: &str) -> Failure {
        Failure::review(error)
    }
}
