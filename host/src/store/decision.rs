//! Decisions, as the store takes and gives them.

use crate::contract::fence::Token;
use crate::identity::key::CacheKey;
use crate::store::work::WorkRef;

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

/// An answer that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is pinned to the slot. JSON text.
    Pinned(String),
    /// An equal question was answered before. JSON text.
    Cached(String),
}

/// An answer to be stored.
#[derive(Clone, Debug)]
pub struct DecisionRecord {
    /// The question.
    pub cache_key: CacheKey,
    /// The model by the operator's name.
    pub model: String,
    /// The prompt's version.
    pub prompt_version: String,
    /// JSON text.
    pub answer: String,
    /// What the call cost, where the model says so, in millionths of the provider's currency.
    pub cost_micros: Option<u64>,
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
