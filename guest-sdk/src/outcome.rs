//! What a step answers: an [`Outcome`], or a [`Failure`].
//!
//! It owns these two types and their way into the host's. What was collected during the run (rows, marks, effects of
//! items) commits with an outcome and is dropped with a failure; decisions already made stay in either case.

use crate::bindings::exports::onceward::step::guest as wit;
use crate::misfit::Misfit;
use crate::misfit::explain;
use serde::Serialize;
use std::time::Duration;

/// The work, or a chunk of it, is done.
///
/// ```
/// use onceward_guest::Outcome;
///
/// let sure = Outcome::done("written");
/// let unsure = Outcome::done_for_review("written", "the model was not sure");
/// assert_ne!(sure, unsure);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<O> {
    /// Finished for ever.
    Done {
        /// What a duplicate gets, and the next step's payload.
        output: O,
        /// Present: a person is asked to look at it, for this reason. It stops nothing.
        needs_review: Option<String>,
    },
    /// A chunk of a batch is done. What it collected commits, and the step runs again.
    Continue {
        /// Given to the next run by [`progress::load_cursor`](crate::progress::load_cursor).
        cursor: String,
    },
}

impl<O> Outcome<O> {
    /// Finished, with this output.
    pub fn done(output: O) -> Self {
        Self::Done { output, needs_review: None }
    }

    /// Finished, with this output, and a person is asked to look at it.
    pub fn done_for_review(output: O, reason: impl Into<String>) -> Self {
        Self::Done { output, needs_review: Some(reason.into()) }
    }

    /// A chunk is done; the next run gets the cursor.
    pub fn continue_from(cursor: impl Into<String>) -> Self {
        Self::Continue { cursor: cursor.into() }
    }
}

impl<O: Serialize> Outcome<O> {
    /// The host's form of it. An output that JSON cannot express (a map with keys that are no strings) sends the
    /// work to a person: another attempt would build the same output.
    pub(crate) fn into_wit(self) -> Result<wit::Outcome, Failure> {
        match self {
            Self::Continue { cursor } => Ok(wit::Outcome::Continue(cursor)),
            Self::Done { output, needs_review } => match serde_json::to_string(&output) {
                Ok(output) => Ok(wit::Outcome::Done(wit::Finished { output, needs_review })),
                Err(error) => Err(Failure::review(format!("the output cannot be written as JSON: {error}"))),
            },
        }
    }
}

/// The work is not done, and this is what shall happen to it.
///
/// The errors of this crate's modules become failures by `?`; each conversion says why it chose its variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Try again later, within the attempt budget.
    Retry {
        /// Why, for people.
        reason: String,
        /// Not before this has passed. Absent: the operator's schedule.
        after: Option<Duration>,
    },
    /// A person must decide, for this reason. Nothing is lost until they do.
    Review(String),
    /// This work can never succeed, for this reason. It is final.
    Reject(String),
}

impl Failure {
    /// Try again on the operator's schedule.
    pub fn retry(reason: impl Into<String>) -> Self {
        Self::Retry { reason: reason.into(), after: None }
    }

    /// Try again, and not before this has passed. The host counts milliseconds and bounds the wait.
    pub fn retry_after(reason: impl Into<String>, after: Duration) -> Self {
        Self::Retry { reason: reason.into(), after: Some(after) }
    }

    /// A person must decide.
    pub fn review(reason: impl Into<String>) -> Self {
        Self::Review(reason.into())
    }

    /// This work can never succeed.
    pub fn reject(reason: impl Into<String>) -> Self {
        Self::Reject(reason.into())
    }

    /// The host's form of it.
    pub(crate) fn into_wit(self) -> wit::Failure {
        match self {
            Self::Retry { reason, after } => {
                let after_ms = after.map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
                wit::Failure::Retry(wit::Later { reason, after_ms })
            }
            Self::Review(reason) => wit::Failure::Review(reason),
            Self::Reject(reason) => wit::Failure::Reject(reason),
        }
    }
}

impl From<Misfit> for Failure {
    /// To a person: the same text would not fit the next time either, and it may be worth keeping.
    fn from(misfit: Misfit) -> Self {
        Self::review(explain(&misfit))
    }
}

#[cfg(test)]
mod tests {
    use super::Failure;
    use super::Outcome;
    use super::wit;
    use std::collections::BTreeMap;
    use std::time::Duration;

    #[test]
    fn an_output_that_json_cannot_express_goes_to_a_person() {
        let no_json = BTreeMap::from([(vec![1], 1)]);
        assert!(matches!(Outcome::done(no_json).into_wit(), Err(Failure::Review(_))));
    }

    #[test]
    fn a_wait_that_is_too_long_is_clamped() {
        match Failure::retry_after("later", Duration::MAX).into_wit() {
            wit::Failure::Retry(later) => assert_eq!(later.after_ms, Some(u64::MAX)),
            other => panic!("{other:?}"),
        }
    }
}
