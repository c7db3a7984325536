//! What comes back, as chat completions give it.
//!
//! Owns reading a completion and a provider's refusal, and the price of what was used. It takes every member as it may be
//! missing or of another kind: a reply that is no completion is an error with its name, never a panic.

use crate::connectors::client::Exchange;
use crate::models::ModelError;
use crate::models::ModelReply;
use crate::models::Usage;
use serde::Deserialize;
use serde_json::Value;

/// The longest words of a provider that are logged, in characters.
const WORDS_LIMIT_CHARS: usize = 200;

/// The longest code of a provider, in bytes: what is longer is no name.
const CODE_LIMIT_BYTES: usize = 64;

/// What a million tokens cost, in the provider's currency.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Tokens of questions.
    pub input_per_million: f64,
    /// Tokens of answers.
    pub output_per_million: f64,
}

impl Prices {
    /// The price in millionths of the currency, rounded up: as many tokens at a price a million are as many millionths.
    fn cost_micros(&self, tokens_in: u64, tokens_out: u64) -> u64 {
        let cost = tokens_in as f64 * self.input_per_million + tokens_out as f64 * self.output_per_million;
        // Casts of floats saturate, and NaN becomes 0.
        cost.ceil() as u64
    }
}

/// A reply of 2xx.
#[derive(Debug)]
pub(super) enum Completion {
    /// It is no completion, and why.
    Unreadable(String),
    Json(Value),
}

impl Completion {
    pub(super) fn read(exchange: &Exchange) -> Self {
        if exchange.truncated {
            return Self::Unreadable("it is longer than any answer may be".to_owned());
        }
        match serde_json::from_str(&exchange.body) {
            Ok(json) => Self::Json(json),
            Err(error) => Self::Unreadable(format!(
                "the body is not JSON, at line {} column {}",
                error.line(),
                error.column()
            )),
        }
    }

    /// What the caller gets.
    pub(super) fn reply(&self, name: &str, prices: Option<&Prices>) -> ModelReply {
        let model = || name.to_owned();
        let json = match self {
            Self::Unreadable(cause) => {
                return ModelReply::failed(ModelError::Invalid { model: model(), cause: cause.clone() });
            }
            Self::Json(json) => json,
        };
        ModelReply { answer: answer(json, &model), usage: usage(json, prices) }
    }
}

fn answer(json: &Value, model: &dyn Fn() -> String) -> Result<String, ModelError> {
    let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str);
    let declined = |cause: &str| ModelError::Declined { model: model(), cause: cause.to_owned() };
    let invalid = |cause: &str| ModelError::Invalid { model: model(), cause: cause.to_owned() };
    if json.pointer("/choices/0").is_none() {
        return Err(invalid("it holds no `choices`, so it is no completion"));
    }
    if text("/choices/0/message/refusal").is_some_and(|refusal| !refusal.is_empty()) {
        return Err(declined("the model refuses"));
    }
    match text("/choices/0/finish_reason") {
        Some("length") => return Err(ModelError::CutOff { model: model() }),
        Some("content_filter") => return Err(declined("a content filter")),
        _ => {}
    }
    match text("/choices/0/message/content") {
        Some(content) if !content.trim().is_empty() => Ok(content.to_owned()),
        Some(_) | None => Err(invalid("`choices[0].message.content` holds no text")),
    }
}

fn usage(json: &Value, prices: Option<&Prices>) -> Usage {
    let number = |pointer: &str| json.pointer(pointer).and_then(Value::as_u64);
    let (tokens_in, tokens_out) = (number("/usage/prompt_tokens"), number("/usage/completion_tokens"));
    let used = tokens_in.is_some() || tokens_out.is_some();
    let cost_micros = prices
        .filter(|_| used)
        .map(|prices| prices.cost_micros(tokens_in.unwrap_or(0), tokens_out.unwrap_or(0)));
    Usage { tokens_in, tokens_out, cost_micros }
}

/// A reply that is none of 2xx.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The provider's codes, such as ` (invalid_request_error, context_length_exceeded)`; may be empty. Safe to store.
    pub(super) codes: String,
    /// The provider's words, which may quote the question.
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn read(body: &str) -> Self {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let word = |name: &str| json.get("error")?.get(name)?.as_str();
        let codes: Vec<&str> =
            ["type", "code", "param"].into_iter().filter_map(word).filter(|word| is_code(word)).collect();
        let codes = if codes.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
        let message = word("message").unwrap_or(body).chars().take(WORDS_LIMIT_CHARS).collect();
        Self { codes, message }
    }
}

/// Whether it is a short name and not somebody's text.
fn is_code(word: &str) -> bool {
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    !word.is_empty() && word.len() <= CODE_LIMIT_BYTES && word.chars().all(named)
}
