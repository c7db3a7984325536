//! The door to models: one question goes out, one answer comes back.
//!
//! Owns what a question and an answer are ([`ModelRequest`], [`ModelAnswer`]), the scripted model that needs
//! no key and no network ([`scripted`]), asking once for many ([`single_flight`]) and holding answers to a
//! schema ([`schema`]). It never sees the store and caches no answer: what was asked before is the decision
//! cache's to know, and retries are the caller's, who counts them.
//!
//! It fails as [`ModelError`], which says whether asking again can help.

use async_trait::async_trait;
use thiserror::Error;

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

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The answer, JSON text, not yet held to the schema.
    pub output: String,
    /// The price in millionths of the provider's currency, where it is known.
    pub cost_micros: Option<u64>,
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
    /// An answer came, or was scripted, that can't be used.
    #[error("asking the model `{model}`: the answer can't be used ({cause})")]
    Invalid {
        /// The name that was asked for.
        model: String,
        /// What is wrong with it, one short line.
        cause: String,
    },
}

/// A model, or something that answers like one.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks once. The caller pins, caches, checks the schema and retries.
    ///
    /// # Errors
    /// [`ModelError`]; every call may have cost money, also one that failed.
    async fn ask(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError>;
}
