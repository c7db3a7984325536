//! Answers that are decided once.
//!
//! It owns the sugar of the host's `decisions` interface: a [`Question`] with typed input and a typed answer. The
//! first recorded answer for a (work, slot) is the answer, for ever, so a retry gets it whatever the prompt has
//! become. It fails with a [`DecisionError`], which `?` turns into the fitting [`Failure`].

use crate::bindings::onceward::step::decisions as wit;
use crate::host;
use crate::misfit::Misfit;
use crate::misfit::explain;
use crate::misfit::read;
use crate::outcome::Failure;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::fmt;

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The model was asked for this work.
    Asked,
    /// An equal question had been answered before; no call was made.
    Cached,
    /// This work had its answer already; no call was made.
    Pinned,
}

impl Origin {
    /// The name in the WIT: `asked`, `cached` or `pinned`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Cached => "cached",
            Self::Pinned => "pinned",
        }
    }
}

/// A recorded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<A> {
    /// The answer.
    pub answer: A,
    /// Where it came from. A step that branches on it is no longer the same on a retry; it is for notes.
    pub origin: Origin,
}

/// A question to a model.
///
/// ```no_run
/// use onceward_guest::decisions::Question;
/// # #[derive(serde::Deserialize)] struct Triage { priority: String }
/// # fn run() -> Result<(), onceward_guest::Failure> {
/// let triage = Question::to("classifier")
///     .slot("triage")
///     .prompt_version("1")
///     .prompt("How urgent is this message?")
///     .input(&"Our site is down")
///     .schema(r#"{"type": "object", "required": ["priority"]}"#)
///     .decide::<Triage>()?;
/// # let _ = triage.answer.priority; Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "a question is asked by `decide`"]
pub struct Question {
    model: String,
    slot: String,
    prompt_version: String,
    prompt: String,
    temperature: f64,
    input: Result<String, serde_json::Error>,
    schema: Option<String>,
}

impl Question {
    /// A question to the model that the operator configured under this name. The contract must ask for it.
    pub fn to(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            slot: String::new(),
            prompt_version: String::new(),
            prompt: String::new(),
            temperature: 0.0,
            input: Ok("null".to_owned()),
            schema: None,
        }
    }

    /// Names the decision within the work. An answer is pinned to it, whatever the question becomes later. Needed.
    pub fn slot(mut self, slot: impl Into<String>) -> Self {
        self.slot = slot.into();
        self
    }

    /// Part of what makes two questions equal, as the prompt's own text is. Raise it where the same text should be
    /// answered anew, and to tell the wordings of a prompt apart in what is recorded. A pinned answer stays, whatever
    /// the version.
    pub fn prompt_version(mut self, version: impl Into<String>) -> Self {
        self.prompt_version = version.into();
        self
    }

    /// What the model is told to do with the input. Part of what makes two questions equal: another wording is another
    /// question, also under the same version.
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// From 0, which is the default, to what the model takes. Part of what makes two questions equal.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = temperature;
        self
    }

    /// What the question is about. Leave out what the answer does not depend on (ids, times): it would only keep
    /// equal questions from sharing an answer.
    pub fn input(mut self, input: &impl Serialize) -> Self {
        self.input = serde_json::to_string(input);
        self
    }

    /// The JSON Schema text that an answer must pass before it is recorded.
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// The pinned answer; else a cached answer to an equal question; else ask the model, record, and pin. It is
    /// durable before this returns.
    ///
    /// # Errors
    /// See [`DecisionError`]. Nothing is recorded with an error, but for [`DecisionError::Misfit`]: there the answer
    /// stands, and the Rust type is at odds with it.
    pub fn decide<A: DeserializeOwned>(self) -> Result<Decision<A>, DecisionError> {
        let Self { model, slot, prompt_version, prompt, temperature, input, schema } = self;
        let input = match input {
            Ok(input) => input,
            Err(source) => return Err(DecisionError::Unwritable { slot, source }),
        };
        let answered = host::decide(&wit::Question {
            slot: slot.clone(),
            model,
            prompt_version,
            prompt,
            temperature,
            input,
            output_schema: schema,
        });
        typed(&slot, answered)
    }
}

/// The answer pinned to this slot of the work, where there is one. No model is asked.
///
/// # Errors
/// See [`DecisionError`].
pub fn recall<A: DeserializeOwned>(slot: &str) -> Result<Option<Decision<A>>, DecisionError> {
    match host::recall(slot) {
        Ok(None) => Ok(None),
        Ok(Some(decision)) => typed(slot, Ok(decision)).map(Some),
        Err(error) => Err(DecisionError::of(slot, error)),
    }
}

/// Record an answer that the step found by itself (a rule). The first one wins, and it is returned. It commits with
/// the step's outcome.
///
/// # Errors
/// See [`DecisionError`].
pub fn cache<A: Serialize + DeserializeOwned>(slot: &str, answer: &A) -> Result<Decision<A>, DecisionError> {
    let text = serde_json::to_string(answer)
        .map_err(|source| DecisionError::Unwritable { slot: slot.to_owned(), source })?;
    typed(slot, host::cache(slot, &text))
}

fn typed<A: DeserializeOwned>(
    slot: &str,
    answered: Result<wit::Decision, wit::DecisionError>,
) -> Result<Decision<A>, DecisionError> {
    let decision = answered.map_err(|error| DecisionError::of(slot, error))?;
    let answer =
        read(&decision.answer).map_err(|source| DecisionError::Misfit { slot: slot.to_owned(), source })?;
    let origin = match decision.origin {
        wit::Origin::Asked => Origin::Asked,
        wit::Origin::Cached => Origin::Cached,
        wit::Origin::Pinned => Origin::Pinned,
    };
    Ok(Decision { answer, origin })
}

/// There is no answer that the step can use.
#[derive(Debug)]
pub enum DecisionError {
    /// The contract does not ask for this model, or the operator does not grant it.
    NotGranted {
        /// The slot that was to be decided.
        slot: String,
        /// The host's words.
        reason: String,
    },
    /// The model could not be asked, or kept failing. The work can go on without it.
    ModelFailed {
        /// The slot that was to be decided.
        slot: String,
        /// The host's words.
        reason: String,
    },
    /// The model answered, and its answer does not fit the schema. Nothing was recorded.
    InvalidAnswer {
        /// The slot that was to be decided.
        slot: String,
        /// The host's words.
        reason: String,
    },
    /// The question itself is at fault.
    InvalidQuestion {
        /// The slot that was to be decided.
        slot: String,
        /// The host's words.
        reason: String,
    },
    /// A limit of the host was reached.
    Limit {
        /// The slot that was to be decided.
        slot: String,
        /// The host's words: the limit's name and value.
        reason: String,
    },
    /// A person has rejected the slot's answer. No attempt gets it, and the work can go on without it.
    Rejected {
        /// The slot that was decided.
        slot: String,
        /// The host's words: who rejected it, and why.
        reason: String,
    },
    /// The question's input, or the rule's answer, cannot be written as JSON. The host was not called.
    Unwritable {
        /// The slot that was to be decided.
        slot: String,
        /// What JSON cannot express.
        source: serde_json::Error,
    },
    /// The recorded answer passed the schema and does not fit the Rust type.
    Misfit {
        /// The slot whose answer it is.
        slot: String,
        /// Where, and what was found.
        source: Misfit,
    },
}

impl DecisionError {
    fn of(slot: &str, error: wit::DecisionError) -> Self {
        let slot = slot.to_owned();
        match error {
            wit::DecisionError::NotGranted(reason) => Self::NotGranted { slot, reason },
            wit::DecisionError::ModelFailed(reason) => Self::ModelFailed { slot, reason },
            wit::DecisionError::InvalidAnswer(reason) => Self::InvalidAnswer { slot, reason },
            wit::DecisionError::InvalidQuestion(reason) => Self::InvalidQuestion { slot, reason },
            wit::DecisionError::Limit(reason) => Self::Limit { slot, reason },
            wit::DecisionError::Rejected(reason) => Self::Rejected { slot, reason },
        }
    }
}

impl fmt::Display for DecisionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGranted { slot, reason } => write!(
                out,
                "deciding `{slot}`: the model is not granted ({reason}); name it in the contract and in the \
                 operator's grants"
            ),
            Self::ModelFailed { slot, reason } => {
                write!(
                    out,
                    "deciding `{slot}`: the model failed ({reason}); try later, or go on without an answer"
                )
            }
            Self::InvalidAnswer { slot, reason } => {
                write!(
                    out,
                    "deciding `{slot}`: the answer does not fit the schema ({reason}); look at the prompt"
                )
            }
            Self::InvalidQuestion { slot, reason } => {
                write!(out, "deciding `{slot}`: the question is at fault ({reason}); correct the step")
            }
            Self::Limit { slot, reason } => {
                write!(out, "deciding `{slot}`: a limit was reached ({reason}); ask for less, or raise it")
            }
            Self::Rejected { slot, reason } => {
                write!(out, "deciding `{slot}`: {reason}; go on without it, or have the decision renewed")
            }
            Self::Unwritable { slot, .. } => {
                write!(out, "deciding `{slot}`: what the step gave is no JSON; correct the step")
            }
            Self::Misfit { slot, .. } => {
                write!(
                    out,
                    "deciding `{slot}`: the recorded answer is not what the step expects; correct the schema"
                )
            }
        }
    }
}

impl Error for DecisionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unwritable { source, .. } => Some(source),
            Self::Misfit { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<DecisionError> for Failure {
    fn from(error: DecisionError) -> Self {
        let reason = explain(&error);
        match error {
            // A model that fails now may answer later, and the attempt budget bounds the waiting.
            DecisionError::ModelFailed { .. } => Self::retry(reason),
            // Asking again may well give the same nonsense for more money; and a recorded answer of the wrong shape
            // stays until a person renews it.
            // A missing grant is the operator's to mend, and the work must still be there afterwards. So must one whose
            // plan was stopped: the person who did that may want another plan, or the work ended.
            DecisionError::InvalidAnswer { .. }
            | DecisionError::Misfit { .. }
            | DecisionError::Rejected { .. }
            | DecisionError::NotGranted { .. } => Self::review(reason),
            // The step would ask the same at every attempt.
            DecisionError::InvalidQuestion { .. }
            | DecisionError::Limit { .. }
            | DecisionError::Unwritable { .. } => Self::reject(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DecisionError;
    use super::Failure;
    use super::typed;
    use super::wit;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Triage {
        #[expect(dead_code, reason = "only the reading matters")]
        priority: String,
    }

    fn failure(answered: Result<&str, wit::DecisionError>) -> Failure {
        let answered =
            answered.map(|answer| wit::Decision { answer: answer.into(), origin: wit::Origin::Asked });
        typed::<Triage>("triage", answered).expect_err("no usable answer").into()
    }

    #[test]
    fn an_answer_of_another_shape_goes_to_a_person_and_names_the_field() {
        match failure(Ok(r#"{"priority": 3}"#)) {
            Failure::Review(reason) => {
                assert!(reason.contains("`triage`") && reason.contains("`/priority`"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_error_becomes_the_failure_that_can_help() {
        use wit::DecisionError as Wit;
        let kind = |error| match failure(Err(error)) {
            Failure::Retry { .. } => "retry",
            Failure::Review(_) => "review",
            Failure::Reject(_) => "reject",
        };
        assert_eq!(kind(Wit::ModelFailed("503".into())), "retry");
        assert_eq!(kind(Wit::InvalidAnswer("no `type`".into())), "review");
        assert_eq!(kind(Wit::NotGranted("classifier".into())), "review");
        assert_eq!(kind(Wit::Rejected("a person rejected the answer".into())), "review");
        assert_eq!(kind(Wit::InvalidQuestion("no slot".into())), "reject");
        assert_eq!(kind(Wit::Limit("host calls 1000".into())), "reject");
    }

    #[test]
    fn an_error_shows_its_cause_once() {
        let source = serde_json::from_str::<u8>("x").expect_err("no number");
        let shown = DecisionError::Unwritable { slot: "a".into(), source }.to_string();
        assert!(!shown.contains("expected value"), "{shown}");
    }
}
