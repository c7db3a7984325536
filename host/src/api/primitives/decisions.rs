//! `recall`, `store` and `decide`: answers that are decided once.

use crate::api::auth::Caller;
use crate::api::error::{Problem, Success, success};
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::identity::key::WorkId;
use crate::models::ModelRequest;
use crate::runtime::decide::Decision;
use crate::store::decision::Figures;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A slot whose answer is wanted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecallRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The decision's name within the work.
    slot: String,
}

/// An answer, with all that it was an answer to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The decision's name within the work.
    slot: String,
    /// The model that was asked.
    model: String,
    /// The version of the prompt.
    prompt_version: String,
    /// The prompt, where it tells more than its version.
    #[serde(default)]
    prompt: String,
    /// What was decided on: any JSON value.
    #[schema(value_type = Object)]
    input: Box<RawValue>,
    /// The sampling temperature; 0 where it is left out.
    #[serde(default)]
    temperature: f64,
    /// The JSON Schema that the answer must satisfy.
    #[schema(value_type = Option<Object>)]
    schema: Option<Box<RawValue>>,
    /// The answer: any JSON value.
    #[schema(value_type = Object)]
    answer: Box<RawValue>,
    /// What it took.
    #[serde(default)]
    spent: Spent,
}

/// What it took to ask, as far as it is known.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Spent {
    /// Tokens of the question.
    tokens_in: Option<u64>,
    /// Tokens of the answer.
    tokens_out: Option<u64>,
    /// The price in millionths of the provider's currency.
    cost_micros: Option<u64>,
    /// How long it took, in milliseconds.
    latency_ms: u64,
}

/// A question for a model of the host.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecideRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The decision's name within the work.
    slot: String,
    /// The model by the operator's name.
    model: String,
    /// The version of the prompt.
    prompt_version: String,
    /// The instructions.
    prompt: String,
    /// What to decide on: any JSON value.
    #[schema(value_type = Object)]
    input: Box<RawValue>,
    /// The sampling temperature; 0 where it is left out.
    #[serde(default)]
    temperature: f64,
    /// The JSON Schema that the answer must satisfy.
    #[schema(value_type = Option<Object>)]
    schema: Option<Box<RawValue>>,
}

/// Whether the slot has an answer.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DecisionWord {
    /// It has.
    Decided,
    /// It has none.
    Undecided,
}

/// A slot's answer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DecisionAnswer {
    /// Whether it has one.
    verdict: DecisionWord,
    /// The work, in 64 hexadecimal digits.
    work_id: WorkId,
    /// The decision's name within the work.
    slot: String,
    /// The answer that stands: any JSON value. It is the first one, whatever was given or asked later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    answer: Option<Box<RawValue>>,
    /// `asked`: it is new; `cached`: an equal question had it; `pinned`: the slot had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
}

impl DecisionAnswer {
    fn response(work_id: WorkId, slot: String, decision: Option<Decision>) -> Response {
        let answer = match decision {
            Some(Decision { answer, origin }) => Self {
                verdict: DecisionWord::Decided,
                work_id,
                slot,
                answer: RawValue::from_string(answer).ok(),
                origin: Some(origin.word()),
            },
            None => Self { verdict: DecisionWord::Undecided, work_id, slot, answer: None, origin: None },
        };
        success(Success::Done, answer)
    }
}

impl Primitive for RecallRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let work_id = work.id;
        let found = caller.namespace.callers.recall(work, token, &self.slot).await;
        let found = found.map_err(|error| problem(error, work_id))?;
        Ok(DecisionAnswer::response(work_id, self.slot, found))
    }
}

impl Primitive for StoreRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let (work_id, answer) = (work.id, self.answer.get().to_owned());
        let request = ModelRequest {
            model: self.model,
            prompt_version: self.prompt_version,
            prompt: self.prompt,
            temperature: self.temperature,
            input: self.input.get().to_owned(),
            schema: self.schema.map(|schema| schema.get().to_owned()),
        };
        let Spent { tokens_in, tokens_out, cost_micros, latency_ms } = self.spent;
        let figures = Figures { calls: 1, tokens_in, tokens_out, cost_micros, latency_ms };
        let kept = caller.namespace.callers.keep(work, token, &self.slot, request, answer, figures).await;
        let kept = kept.map_err(|error| problem(error, work_id))?;
        Ok(DecisionAnswer::response(work_id, self.slot, Some(kept)))
    }
}

impl Primitive for DecideRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let work_id = work.id;
        let request = ModelRequest {
            model: self.model,
            prompt_version: self.prompt_version,
            prompt: self.prompt,
            temperature: self.temperature,
            input: self.input.get().to_owned(),
            schema: self.schema.map(|schema| schema.get().to_owned()),
        };
        let decided = caller.namespace.callers.decide(work, token, &self.slot, request).await;
        let decided = decided.map_err(|error| problem(error, work_id))?;
        Ok(DecisionAnswer::response(work_id, self.slot, Some(decided)))
    }

    /// Models are slow, and works have nothing to do with each other's.
    fn line(&self) -> &str {
        &self.work
    }
}
