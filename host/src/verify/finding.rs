//! What is wrong with a run, in words.

use serde::Serialize;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Finding {
    /// A part of the outcome is not what it is without faults.
    #[error("{what}: without faults {expected}, here {found}")]
    Differs {
        /// Which part.
        what: String,
        /// As it is without faults.
        expected: String,
        /// As it came out.
        found: String,
    },
    /// An effect was done more than once.
    #[error("{destination} has done it {times} times: {effect}")]
    Twice {
        /// The destination.
        destination: String,
        /// Which effect.
        effect: String,
        /// How often.
        times: usize,
    },
    /// A work is not done even where nothing goes wrong.
    #[error("without any fault {work} ends as {state}: {cause}")]
    NotDone {
        /// The work's key.
        work: String,
        /// How it ends.
        state: String,
        /// Why.
        cause: String,
    },
    /// A repeat of an event was taken for a new one.
    #[error("a repeat of event {event} became new work, {work}: its identity changes with each delivery")]
    RepeatIsNew {
        /// Which event, from 1.
        event: usize,
        /// The work's key.
        work: String,
    },
    /// A repeat of an event was refused as something else.
    #[error("a repeat of event {event} was refused: {why}")]
    RepeatRefused {
        /// Which event, from 1.
        event: usize,
        /// What the host said.
        why: String,
    },
    /// Two events became one work.
    #[error(
        "events {first} and {second} became one work, {work}: the identity does not tell them apart, and the second would be lost"
    )]
    Collapsed {
        /// The first event, from 1.
        first: usize,
        /// The second.
        second: usize,
        /// The work's key.
        work: String,
    },
    /// An event was not accepted.
    #[error("event {event} was not accepted: {why}")]
    Refused {
        /// Which event, from 1.
        event: usize,
        /// What the host said.
        why: String,
    },
    /// The model was asked more often than is promised.
    #[error("the model was asked {calls} times; at most {allowed} are promised")]
    Calls {
        /// How often.
        calls: u64,
        /// How often at most.
        allowed: u64,
    },
    /// Two runs of a work were both taken for its end.
    #[error("{work} was finished {times} times: a run that had lost its claim changed finished work")]
    FinishedTwice {
        /// The work's key.
        work: String,
        /// How often.
        times: usize,
    },
    /// Something did not come to an end.
    #[error("{what} is {state} after all has come to rest")]
    Left {
        /// What.
        what: String,
        /// Its state.
        state: String,
    },
    /// The evidence lacks something that happened.
    #[error("the evidence of {work} does not tell of {what}")]
    Evidence {
        /// The work's key.
        work: String,
        /// What is not there.
        what: String,
    },
    /// Something has stopped, and people are not told of it.
    #[error("{what} is {state}, and no alert tells of it")]
    Untold {
        /// What.
        what: String,
        /// Its state.
        state: String,
    },
    /// The run goes on without end.
    #[error("the run does not come to rest, after {hosts} hosts")]
    NeverQuiet {
        /// How many.
        hosts: usize,
    },
    /// A host failed in a way that none of the faults explains.
    #[error("a host failed: {error}")]
    HostFailed {
        /// The whole chain.
        error: String,
    },
}
