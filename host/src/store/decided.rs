//! Decisions, for people: what was answered, what it took, and what was answered without a call.

use crate::identity::key::AnswerHash;
use crate::identity::key::WorkId;
use crate::store::decision::Figures;
use crate::store::slot::SlotApproval;
use crate::store::work::WorkState;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionEntry {
    /// The work.
    pub work_id: WorkId,
    /// The work's readable key.
    pub work_key: String,
    /// The work's state.
    pub work_state: WorkState,
    /// The decision's name within the work.
    pub slot: String,
    /// How often it was renewed, and one.
    pub revision: u32,
    /// The answer; none where it was renewed and has not been asked for since.
    pub decided: Option<Decided>,
    /// What people have said about it.
    pub approval: SlotApproval,
    /// How often a later attempt was given it again.
    pub replays: u64,
    /// When the slot was first decided, Unix milliseconds.
    pub created_ms: i64,
}

/// The answer of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = DecidedAnswer)]
pub struct Decided {
    /// JSON text.
    pub answer: String,
    /// Its hash, which an approval can name.
    pub answer_hash: AnswerHash,
    /// `asked`, `cached` or `rule`.
    pub origin: String,
    /// The model by the operator's name; `rule` where the step found the answer itself.
    pub model: String,
    /// The prompt's version.
    pub prompt_version: String,
    /// What it took when it was first asked. Where the origin is `cached`, other work's call was that.
    pub figures: Figures,
}

/// Which decisions to list.
#[derive(Clone, Debug)]
pub struct DecisionFilter {
    /// The namespace.
    pub namespace: String,
    /// Only this work's.
    pub work: Option<WorkId>,
    /// Only those of this name.
    pub slot: Option<String>,
    /// Only those that wait for a person.
    pub waiting: bool,
    /// At most so many.
    pub limit: u32,
}

/// What one model was asked, and what was answered without it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelTotals {
    /// The model by the operator's name.
    pub model: String,
    /// Calls, also those that failed.
    pub calls: u64,
    /// Calls that gave no answer that could be recorded.
    pub failed_calls: u64,
    /// Tokens of the questions, as far as the provider says so.
    pub tokens_in: u64,
    /// Tokens of the answers, as far as the provider says so.
    pub tokens_out: u64,
    /// The price in millionths of the provider's currency, as far as it is known.
    pub cost_micros: u64,
    /// Slots that the model was asked for.
    pub asked: u64,
    /// Slots that an earlier answer to an equal question was given to. No call was made.
    pub cached: u64,
    /// How often a later attempt was given its work's answer again. No call was made.
    pub replayed: u64,
}
