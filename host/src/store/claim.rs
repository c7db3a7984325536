//! Claims, as the store takes and answers them: an event that asks for its work, and how that work stands.

use crate::contract::fence::Token;
use crate::contract::response::Response;
use crate::contract::window::Window;
use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use crate::store::durable::Durable;
use crate::store::intent::Intent;
use crate::store::quarantine::OnMismatch;
use crate::store::raw::Raw;
use crate::store::work::{Holder, WorkRecord, WorkRef, WorkState};

/// An event's identity under one version of the step's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The contract version.
    pub version: u32,
    /// The work's id under this version.
    pub work_id: WorkId,
    /// The identity without the version; effects and follow-ups descend from it.
    pub root_key: RootKey,
    /// The readable key.
    pub readable_key: String,
    /// The hash of the declared content.
    pub content_hash: ContentHash,
}

/// What an event asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// Its work, for the caller to run.
    Claim,
    /// To be on record, and no more: the caller can't run it now, and whoever takes due work next does.
    Record,
}

/// An event that asks for a claim, or to be recorded.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The namespace.
    pub namespace: String,
    /// The step that handles it.
    pub step: String,
    /// The identity under the current contract version.
    pub current: Candidate,
    /// The identity under earlier versions, newest first: a redelivery after a raised version is not new work.
    pub earlier: Vec<Candidate>,
    /// Where the event came from.
    pub source: String,
    /// The provider's message id.
    pub event_id: Option<String>,
    /// The event's original time. Absent: the time of the first arrival becomes the original time.
    pub occurred_at_ms: Option<i64>,
    /// The payload's JSON text as it arrived.
    pub payload: String,
    /// The event itself, where it came in one piece. It is kept with new work and with an event that is kept for a person.
    pub raw: Option<Raw>,
    /// The contract's window.
    pub window: Window,
    /// What a duplicate of finished work is answered.
    pub response: Response,
    /// What it asks for.
    pub taking: Taking,
    /// What happens where its identity is on record with other content.
    pub on_mismatch: OnMismatch,
    /// Who runs it.
    pub holder: Holder,
    /// The effect that an outside caller is about to do. It is opened under the claim's token in the same transaction,
    /// unless it is on record as done.
    pub intent: Option<String>,
}

impl Arrival {
    /// The identities it may be on record under, the current one first.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        std::iter::once(&self.current).chain(&self.earlier)
    }
}

/// The conditions of a claim.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How long the claim holds without a settle, in milliseconds.
    pub lease_ms: i64,
    /// After so many attempts the work dies instead of being claimed again.
    pub attempts_max: u32,
    /// So long after its first attempt it dies too, in milliseconds.
    pub age_max_ms: i64,
}

/// A claim's answer.
#[derive(Debug)]
pub enum Claim {
    /// The caller holds the work.
    Acquired(Box<Acquired>),
    /// The caller does not: somebody else does, it waits, or it has ended. What is answered is on disk.
    Answered(Answered),
}

/// A held work.
#[derive(Debug)]
pub struct Acquired {
    /// The work, as it stands now.
    pub work: WorkRecord,
    /// Proof of the claim.
    pub token: Token,
    /// Whether somebody held it before and went away.
    pub takeover: bool,
    /// Whether it was recorded with this claim.
    pub new: bool,
    /// The effects of an outside caller so far, oldest first, with the one opened by this claim. One that is recorded
    /// must not be done again.
    pub intents: Vec<Intent>,
    /// When the claim is on disk.
    pub durable: Durable,
}

/// How a work stands that the caller does not get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The work.
    pub work: WorkRef,
    /// Its readable key.
    pub readable_key: String,
    /// Why the caller does not get it.
    pub standing: Standing,
}

/// What the contract gives a repeat of finished work. What it withholds is not here, so that no face can leak it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// The stored first result.
    Original {
        /// JSON text.
        output: String,
        /// The reason why a person is asked to look.
        needs_review: Option<String>,
    },
    /// That it is done, and that its result was erased on request.
    Erased,
    /// That it is done, and no more.
    Acknowledgement,
    /// An error: the sender must not send it again.
    Error,
}

/// Why a caller does not get a work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Done before.
    Done(Repeat),
    /// Somebody is at it, or it waits for its next attempt.
    InProgress {
        /// Running or waiting.
        state: WorkState,
        /// When to ask again, in milliseconds from now.
        retry_after_ms: i64,
    },
    /// The same identity with other declared content. The first content stands.
    Mismatch {
        /// Of the first content.
        recorded: ContentHash,
        /// Of this one.
        arrived: ContentHash,
    },
    /// The same, and it is kept for a person, who admits it as work of its own or drops it.
    Quarantined {
        /// The id that it is kept under.
        id: WorkId,
    },
    /// It was kept, and a person said that it shall never run.
    Dropped {
        /// The id that it is kept under.
        id: WorkId,
    },
    /// A person must decide.
    InReview {
        /// Why.
        cause: String,
    },
    /// It may or may not have happened.
    InDoubt {
        /// Why.
        cause: String,
    },
    /// Attempts used up, or a conflict.
    Dead {
        /// The last cause.
        cause: String,
    },
    /// It can never succeed.
    Rejected {
        /// Why.
        cause: String,
    },
    /// An operator stopped it.
    Cancelled,
    /// It is new and on record, as was asked. It is due, and nobody holds it.
    Recorded,
    /// It is recorded, and its step is paused; it runs when the pause is lifted.
    Paused {
        /// Why.
        cause: String,
    },
    /// The event is older than the window: it can't be told from a repeat, so it is never new.
    TooOld,
}

/// What of a recorded work a repeat of it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Where it stands.
    pub state: WorkState,
    /// JSON text, where it is done.
    pub output: Option<String>,
    /// Why a person is asked to look at a done work.
    pub needs_review: Option<String>,
    /// The last cause of a failure.
    pub cause: Option<String>,
    /// Whether its payloads were erased on request.
    pub erased: bool,
}

impl From<WorkRecord> for Recorded {
    fn from(work: WorkRecord) -> Self {
        let WorkRecord { state, output, needs_review, cause, erased_ms, .. } = work;
        Self { state, output, needs_review, cause, erased: erased_ms.is_some() }
    }
}

impl Standing {
    /// How a recorded work stands, as the contract has it answered.
    #[must_use]
    pub fn of(work: Recorded, response: Response) -> Self {
        let cause = work.cause.unwrap_or_default();
        match work.state {
            WorkState::Done => Self::Done(match response {
                Response::Original if work.erased => Repeat::Erased,
                Response::Original => Repeat::Original {
                    output: work.output.unwrap_or_default(),
                    needs_review: work.needs_review,
                },
                Response::Acknowledgement => Repeat::Acknowledgement,
                Response::Error => Repeat::Error,
            }),
            WorkState::Review => Self::InReview { cause },
            WorkState::InDoubt => Self::InDoubt { cause },
            WorkState::Dead => Self::Dead { cause },
            WorkState::Rejected => Self::Rejected { cause },
            WorkState::Cancelled => Self::Cancelled,
            state @ (WorkState::Waiting | WorkState::Running) => {
                Self::InProgress { state, retry_after_ms: 0 }
            }
        }
    }
}
