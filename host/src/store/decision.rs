//! Decisions, as a run takes and gives them.
//!
//! Owns the words of the decision cache (one answer for all equal questions) and of pins (one answer for a slot of a work).
//! What people do with pins is [`crate::store::slot`]'s.

use crate::contract::fence::Token;
use crate::identity::key::AnswerHash;
use crate::identity::key::CacheKey;
use crate::identity::key::digest;
use crate::store::slot::SlotApproval;
use crate::store::work::WorkRef;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The label under which an answer is hashed, so that a person approves exactly what was shown.
const ANSWER_LABEL: &str = "onceward/answer";

/// What a run asks for.
#[derive(Clone, Debug)]
pub struct DecisionQuery {
    /// The work.
    pub work: WorkRef,
    /// The decision's name within it.
    pub slot: String,
    /// The question, where a cached answer to an equal one would do.
    pub cache_key: Option<CacheKey>,
}

/// What is known about a slot and its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The revision of the slot's pin, or of the one to come. It is 1 until a person has the decision renewed.
    pub revision: u32,
    /// The answer, where there is one.
    pub found: Option<Found>,
}

/// An answer that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is pinned to the slot.
    Pinned(PinnedAnswer),
    /// An equal question was answered before. JSON text.
    Cached(String),
}

/// A slot's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedAnswer {
    /// JSON text.
    pub answer: String,
    /// What people have said about it.
    pub approval: SlotApproval,
}

/// An answer to be stored.
#[derive(Clone, Debug)]
pub struct DecisionRecord {
    /// The model by the operator's name.
    pub model: String,
    /// The prompt's version.
    pub prompt_version: String,
    /// JSON text.
    pub answer: String,
    /// Whether the host asked nobody, and an outside caller brought the answer along.
    pub brought: bool,
    /// What it took.
    pub figures: Figures,
}

/// What it took to ask a model, all calls of one decision together. What the provider does not say is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Figures {
    /// Calls, also those that failed.
    pub calls: u32,
    /// Tokens of the questions.
    pub tokens_in: Option<u64>,
    /// Tokens of the answers.
    pub tokens_out: Option<u64>,
    /// The price in millionths of the provider's currency.
    pub cost_micros: Option<u64>,
    /// Calls and the waits between them, in milliseconds.
    pub latency_ms: u64,
}

/// Calls that came to no answer. They may have cost money.
#[derive(Clone, Debug)]
pub struct DecisionFailure {
    /// The work.
    pub work: WorkRef,
    /// The decision's name within it.
    pub slot: String,
    /// The model by the operator's name.
    pub model: String,
    /// How the last call failed.
    pub cause: String,
    /// What they took.
    pub figures: Figures,
}

/// A pin: it ties a slot of a work to a stored answer, under the run's token.
#[derive(Clone, Debug)]
pub struct Pin {
    /// The work.
    pub work: WorkRef,
    /// Proof of the claim.
    pub token: Token,
    /// The decision's name within the work.
    pub slot: String,
    /// The question whose answer is pinned.
    pub cache_key: CacheKey,
    /// The revision that the look-up gave. From the second on the answer is this slot's own: an equal question's does not
    /// do, and none is given to others.
    pub revision: u32,
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The stored answer to the question, which is the first one recorded. JSON text.
    pub answer: String,
    /// What became of the pin.
    pub pinned: Pinned,
}

/// What became of a pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// The slot's answer, which is the first one pinned. JSON text.
    Answer(String),
    /// The claim is no longer the caller's. Nothing was pinned.
    LeaseLost,
}

/// An answer a step found by rule, to be committed with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePin {
    /// The decision's name within the work.
    pub slot: String,
    /// JSON text.
    pub answer: String,
}

/// The hash of an answer, JSON text.
///
/// ```
/// use onceward::store::decision::answer_hash;
/// assert_ne!(answer_hash("1"), answer_hash("2"));
/// ```
#[must_use]
pub fn answer_hash(answer: &str) -> AnswerHash {
    AnswerHash::from_bytes(digest(ANSWER_LABEL, &[answer.as_bytes()]))
}
