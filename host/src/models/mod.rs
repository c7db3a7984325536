//! The door to models: one question goes out, one reply comes back.
//!
//! Owns what a question and a reply are ([`ModelRequest`], [`ModelReply`]), the scripted model that needs
//! no key and no network ([`scripted`]), models over HTTP ([`http`]), how patient to be with a model
//! ([`patience`]), asking once for many ([`single_flight`]) and holding answers to a schema ([`schema`]). It never
//! sees the store and caches no answer: what was asked before is the decision cache's to know, and asking again is
//! the caller's, who counts.
//!
//! It fails as [`ModelError`], which says whether asking again can help.

use async_trait::async_trait;
use thiserror::Error;

pub mod http;
pub mod patience;
pub mod schema;
pub mod scripted;
pub mod single_flight;

/// A question: everything that can influence the answer, and so everything that goes into the decision's
/// cache key.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The model's name, as the operator granted it.
    pub model: String,
    /// The version of the prompt, as the step's author counts it.
    pub prompt_version: String,
    /// The instructions.
    pub prompt: String,
    /// The sampling temperature; see [`ModelRequest::temperature_text`].
    pub temperature: f64,
    /// The data to decide on, JSON text.
    pub input: String,
    /// The JSON Schema that the answer must satisfy, as text.
    pub schema: Option<String>,
}

impl ModelRequest {
    /// The temperature as text for the cache key: the shortest decimal that reads back as the same number,
    /// `-0` as `0`.
    ///
    /// ```
    /// use onceward::models::ModelRequest;
    /// let request = ModelRequest {
    ///     model: "m".into(),
    ///     prompt_version: "1".into(),
    ///     prompt: String::new(),
    ///     temperature: -0.0,
    ///     input: "{}".into(),
    ///     schema: None,
    /// };
    /// assert_eq!(request.temperature_text(), "0");
    /// assert_eq!(ModelRequest { temperature: 0.7, ..request }.temperature_text(), "0.7");
    /// ```
    #[must_use]
    pub fn temperature_text(&self) -> String {
        // Adding zero turns -0 into 0 and changes nothing else.
        (self.temperature + 0.0).to_string()
    }
}

/// What came of one call. It has its price whatever came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReply {
    /// The answer, JSON text, not yet held to the schema.
    pub answer: Result<String, ModelError>,
    /// What the call used.
    pub usage: Usage,
}

impl ModelReply {
    /// Nothing came, and nothing is known to have been used.
    #[must_use]
    pub fn failed(error: ModelError) -> Self {
        Self { answer: Err(error), usage: Usage::default() }
    }
}

/// What calls used, as far as the provider says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the questions.
    pub tokens_in: Option<u64>,
    /// Tokens of the answers.
    pub tokens_out: Option<u64>,
    /// The price in millionths of the provider's currency.
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// Both together; what is known of one alone counts.
    ///
    /// ```
    /// use onceward::models::Usage;
    /// let one = Usage { tokens_in: Some(2), ..Usage::default() };
    /// let both = one.and(Usage { tokens_in: Some(3), cost_micros: Some(1), ..Usage::default() });
    /// assert_eq!(both, Usage { tokens_in: Some(5), cost_micros: Some(1), ..Usage::default() });
    /// ```
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Self {
            tokens_in: sum(self.tokens_in, other.tokens_in),
            tokens_out: sum(self.tokens_out, other.tokens_out),
            cost_micros: sum(self.cost_micros, other.cost_micros),
        }
    }
}

/// Why there is no answer. It is cheap to copy, since all who wait for one question get the same error.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// No model has this name.
    #[error("asking the model `{model}`: it is not configured; configured are: {known}")]
    UnknownModel {
        /// The name that was asked for.
        model: String,
        /// The names that there are, for the operator; may be empty.
        known: String,
    },
    /// The model can't be asked now.
    #[error("asking the model `{model}`: it is not available ({cause}); asking again later can help")]
    Unavailable {
        /// The name that was asked for.
        model: String,
        /// What went wrong, one short line.
        cause: String,
        /// How long the provider asks to be left alone, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// The model is taking too long. The call goes on, and its answer is recorded when it comes.
    #[error(
        "asking the model `{model}`: it took longer than {limit_ms} ms; the call goes on, and asking the same later costs \
         nothing more"
    )]
    Slow {
        /// The name that was asked for.
        model: String,
        /// How long it was waited for, in milliseconds.
        limit_ms: u64,
    },
    /// The provider refuses the question itself, or the credential.
    #[error(
        "asking the model `{model}`: the question was refused ({cause}); correct the model's configuration or the prompt"
    )]
    Refused {
        /// The name that was asked for.
        model: String,
        /// What the provider said, one short line, never a credential.
        cause: String,
    },
    /// The model, or a filter before it, does not want to answer this question.
    #[error(
        "asking the model `{model}`: it declined to answer ({cause}); change the prompt, or let the work go on without"
    )]
    Declined {
        /// The name that was asked for.
        model: String,
        /// By whom, one short line.
        cause: String,
    },
    /// The answer was cut off at the limit of its length.
    #[error(
        "asking the model `{model}`: the answer was cut off at its limit of tokens; raise `max_tokens`, or ask for less"
    )]
    CutOff {
        /// The name that was asked for.
        model: String,
    },
    /// A reply came that can't be used.
    #[error("asking the model `{model}`: the reply can't be used ({cause})")]
    Invalid {
        /// The name that was asked for.
        model: String,
        /// What is wrong with it, one short line.
        cause: String,
    },
}

impl ModelError {
    /// Whether the same question may find an answer a moment later. A refusal would be paid for again and be the same.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Invalid { .. })
    }

    /// How long the provider asks to be left alone, in milliseconds.
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Unavailable { retry_after_ms, .. } => *retry_after_ms,
            _ => None,
        }
    }
}

/// A model, or something that answers like one.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks once. The caller pins, caches, checks the schema and asks again. Every call may have cost money, also one
    /// that failed.
    async fn ask(&self, request: &ModelRequest) -> ModelReply;
}
