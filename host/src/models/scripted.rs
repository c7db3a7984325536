//! A model that answers from a file of rules: no key, no network, the same answer every time.
//!
//! Owns the script's form, its checking at load ([`ScriptError`] names file, rule and remedy) and the
//! answers. It serves the demo and the tests: a call log counts calls across killed processes, a delay and
//! failures on demand play a slow or unavailable model. It refuses what it does not know (a condition, a
//! broken placeholder) when it is loaded, never when it is asked.
//!
//! ```json
//! {
//!   "rules": [
//!     {"when": {"/text": {"contains": "invoice"}}, "answer": {"intent": "billing", "note": "from {{/name}}"}},
//!     {"when": {"/priority": {"equals": 1}, "/phone": {"present": true}}, "answer": {"intent": "call"}}
//!   ],
//!   "otherwise": {"intent": "other"}
//! }
//! ```
//!
//! All conditions of a rule must hold, the first such rule answers, and `otherwise` (which may be left out)
//! answers the rest. The keys of `when` are JSON Pointers into the input. `contains` looks into texts and
//! numbers, without regard to case; `present` means there and not null. `{{/name}}` in an answer's texts
//! becomes the input's value at that pointer, a text as it is and anything else as JSON.

use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use thiserror::Error;

use crate::models::Model;
use crate::models::ModelError;
use crate::models::ModelReply;
use crate::models::ModelRequest;
use crate::models::Usage;

/// A script is written by hand; more than this is the wrong file.
pub const SCRIPT_LIMIT_BYTES: u64 = 1024 * 1024;

/// How a scripted model behaves beside answering.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedOptions {
    /// A file to which every call adds one JSON line: `model`, `prompt_version` and `input_hash`.
    pub call_log: Option<PathBuf>,
    /// How long every call takes, in milliseconds.
    pub delay_ms: u64,
    /// So many calls fail as unavailable, after the load, before the first answer.
    pub fail_first: u32,
}

/// Why a script could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file can't be read.
    #[error("reading the model script `{path}`: the file can't be read; check the path and its rights")]
    Read {
        /// The script.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is too large.
    #[error(
        "reading the model script `{path}`: it has {size_bytes} bytes and the limit is {SCRIPT_LIMIT_BYTES}; is it the right file?"
    )]
    TooLarge {
        /// The script.
        path: PathBuf,
        /// Its size.
        size_bytes: u64,
    },
    /// The file is not JSON, or not of the form above.
    #[error(
        "reading the model script `{path}`: it is not a JSON object with `rules` and perhaps `otherwise`; \
         correct what the source names"
    )]
    Form {
        /// The script.
        path: PathBuf,
        /// Line, column and what was expected.
        source: serde_json::Error,
    },
    /// A rule is wrong.
    #[error("reading the model script `{path}`: {place}: {fault}")]
    Rule {
        /// The script.
        path: PathBuf,
        /// `rules[2]`, counted from 0, or `otherwise`.
        place: String,
        /// What is wrong, with the remedy.
        fault: String,
    },
    /// The call log can't be opened.
    #[error(
        "opening the call log `{path}` of a scripted model: it can't be opened for appending; check the folder and its rights"
    )]
    CallLog {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    rules: Vec<Value>,
    #[serde(default, deserialize_with = "some")]
    otherwise: Option<Value>,
}

/// An `otherwise` of `null` is an answer, not an absence.
fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Debug)]
struct Rule {
    when: Vec<(String, Condition)>,
    answer: Value,
}

#[derive(Debug)]
enum Condition {
    /// The text, in lower case.
    Contains(String),
    Equals(Value),
    Present(bool),
}

/// A model that answers from rules.
#[derive(Debug)]
pub struct Scripted {
    path: PathBuf,
    rules: Vec<Rule>,
    otherwise: Option<Value>,
    call_log: Option<File>,
    delay: Duration,
    failures_left: AtomicU32,
}

impl Scripted {
    /// Reads the script at `path`.
    ///
    /// # Errors
    /// [`ScriptError`].
    pub fn load(path: &Path, options: &ScriptedOptions) -> Result<Scripted, ScriptError> {
        let read = |source| ScriptError::Read { path: path.to_owned(), source };
        let size_bytes = std::fs::metadata(path).map_err(read)?.len();
        if size_bytes > SCRIPT_LIMIT_BYTES {
            return Err(ScriptError::TooLarge { path: path.to_owned(), size_bytes });
        }
        Scripted::parse(&std::fs::read_to_string(path).map_err(read)?, path, options)
    }

    /// Reads a script's text; `path` is only for messages.
    ///
    /// # Errors
    /// [`ScriptError`].
    ///
    /// ```
    /// # use std::path::Path;
    /// use onceward::models::scripted::{Scripted, ScriptedOptions};
    /// let options = ScriptedOptions::default();
    /// assert!(Scripted::parse(r#"{"rules": [], "otherwise": {"intent": "other"}}"#, Path::new("demo"), &options).is_ok());
    /// let bad = r#"{"rules": [{"when": {"text": {"contains": "a"}}, "answer": 1}]}"#;
    /// let error = Scripted::parse(bad, Path::new("demo"), &options).unwrap_err();
    /// assert!(error.to_string().contains("rules[0]"));
    /// ```
    pub fn parse(text: &str, path: &Path, options: &ScriptedOptions) -> Result<Scripted, ScriptError> {
        let script: Script = serde_json::from_str(text)
            .map_err(|source| ScriptError::Form { path: path.to_owned(), source })?;
        let fault = |place: String, fault| ScriptError::Rule { path: path.to_owned(), place, fault };
        let mut rules = Vec::new();
        for (index, value) in script.rules.into_iter().enumerate() {
            rules.push(rule(value).map_err(|text| fault(format!("rules[{index}]"), text))?);
        }
        if let Some(answer) = &script.otherwise {
            check_placeholders(answer).map_err(|text| fault("otherwise".to_owned(), text))?;
        }
        let call_log = options.call_log.as_deref().map(open_log).transpose()?;
        Ok(Scripted {
            path: path.to_owned(),
            rules,
            otherwise: script.otherwise,
            call_log,
            delay: Duration::from_millis(options.delay_ms),
            failures_left: AtomicU32::new(options.fail_first),
        })
    }

    /// One line in one write to a file opened for appending: whole lines, also from several processes, and
    /// none lost when a process is killed afterwards. It is not synced, since the log counts calls and need
    /// not outlive a power failure.
    fn log(&self, request: &ModelRequest) -> io::Result<()> {
        let Some(mut file) = self.call_log.as_ref() else { return Ok(()) };
        let hash: String =
            Sha256::digest(request.input.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let entry =
            json!({"model": request.model, "prompt_version": request.prompt_version, "input_hash": hash});
        let line = format!("{entry}\n");
        if file.write(line.as_bytes())? == line.len() {
            file.flush()
        } else {
            Err(io::Error::other("a line was written in part"))
        }
    }

    fn answer(&self, input: &Value) -> Result<Value, String> {
        let rule = self.rules.iter().find(|rule| {
            rule.when.iter().all(|(pointer, condition)| holds(condition, input.pointer(pointer)))
        });
        let answer = rule.map(|rule| &rule.answer).or(self.otherwise.as_ref());
        let answer = answer.ok_or_else(|| {
            format!("no rule of the script `{}` fits, and it has no `otherwise`", self.path.display())
        })?;
        filled(answer, input)
    }
}

#[async_trait]
impl Model for Scripted {
    async fn ask(&self, request: &ModelRequest) -> ModelReply {
        ModelReply {
            answer: self.answer_to(request).await,
            usage: Usage { cost_micros: Some(0), ..Usage::default() },
        }
    }
}

impl Scripted {
    async fn answer_to(&self, request: &ModelRequest) -> Result<String, ModelError> {
        let unavailable = |cause: String| ModelError::Unavailable {
            model: request.model.clone(),
            cause,
            retry_after_ms: None,
        };
        // The same question finds the same rules, however often it is asked.
        let refused = |cause: String| ModelError::Refused { model: request.model.clone(), cause };
        // Before everything else: a call counts from when it is made, whatever becomes of it.
        self.log(request).map_err(|error| unavailable(format!("its call log can't be written: {error}")))?;
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        let one_less = |left: u32| left.checked_sub(1);
        if self.failures_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok() {
            return Err(unavailable("the script says so, by `fail_first`".to_owned()));
        }
        let input: Value = serde_json::from_str(&request.input)
            .map_err(|error| refused(format!("the input is not JSON: {error}")))?;
        Ok(self.answer(&input).map_err(refused)?.to_string())
    }
}

fn open_log(path: &Path) -> Result<File, ScriptError> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|source| ScriptError::CallLog { path: path.to_owned(), source })
}

fn rule(value: Value) -> Result<Rule, String> {
    let form = || "a rule is an object with `when` and `answer` and nothing else".to_owned();
    let Value::Object(mut members) = value else { return Err(form()) };
    let (Some(Value::Object(when)), Some(answer), true) =
        (members.remove("when"), members.remove("answer"), members.is_empty())
    else {
        return Err(form());
    };
    if when.is_empty() {
        return Err(
            "`when` is empty, so no later rule could ever answer: put the answer into `otherwise`".to_owned()
        );
    }
    check_placeholders(&answer)?;
    let mut conditions = Vec::new();
    for (pointer, wanted) in when {
        if !is_pointer(&pointer) {
            return Err(format!("`{pointer}` is no JSON Pointer: begin it with `/`, and write `~` as `~0`"));
        }
        let Value::Object(wanted) = wanted else {
            return Err(format!("`{pointer}` needs an object such as {{\"contains\": \"invoice\"}}"));
        };
        conditions.extend(conditions_at(&pointer, wanted)?);
    }
    Ok(Rule { when: conditions, answer })
}

fn conditions_at(pointer: &str, wanted: Map<String, Value>) -> Result<Vec<(String, Condition)>, String> {
    if wanted.is_empty() {
        return Err(format!("`{pointer}` has no condition: give it `contains`, `equals` or `present`"));
    }
    let condition = |(name, value): (String, Value)| match (name.as_str(), value) {
        ("contains", Value::String(text)) if !text.is_empty() => Ok(Condition::Contains(text.to_lowercase())),
        ("contains", _) => Err(format!("`contains` at `{pointer}` needs a text that is not empty")),
        ("equals", value) => Ok(Condition::Equals(value)),
        ("present", Value::Bool(present)) => Ok(Condition::Present(present)),
        ("present", _) => Err(format!("`present` at `{pointer}` needs true or false")),
        (other, _) => {
            Err(format!("`{other}` at `{pointer}` is not known: use `contains`, `equals` or `present`"))
        }
    };
    wanted.into_iter().map(|member| Ok((pointer.to_owned(), condition(member)?))).collect()
}

fn holds(condition: &Condition, found: Option<&Value>) -> bool {
    match (condition, found) {
        (Condition::Present(present), found) => found.is_some_and(|value| !value.is_null()) == *present,
        (_, None) => false,
        (Condition::Contains(text), Some(Value::String(found))) => found.to_lowercase().contains(text),
        (Condition::Contains(text), Some(Value::Number(found))) => found.to_string().contains(text),
        (Condition::Contains(_), Some(_)) => false,
        (Condition::Equals(wanted), Some(found)) => {
            wanted == found || (wanted.is_number() && wanted.as_f64() == found.as_f64())
        }
    }
}

fn is_pointer(text: &str) -> bool {
    text.starts_with('/') && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

/// A text cut into what stands there and what is filled in.
enum Piece<'a> {
    Literal(&'a str),
    Pointer(&'a str),
}

fn pieces(mut text: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    while let Some((before, rest)) = text.split_once("{{") {
        let (pointer, after) =
            rest.split_once("}}").ok_or_else(|| "an answer has `{{` and no `}}` after it".to_owned())?;
        if !is_pointer(pointer) {
            return Err(format!(
                "the placeholder `{{{{{pointer}}}}}` holds no JSON Pointer: write it as `{{{{/name}}}}`"
            ));
        }
        pieces.extend([Piece::Literal(before), Piece::Pointer(pointer)]);
        text = after;
    }
    pieces.push(Piece::Literal(text));
    Ok(pieces)
}

fn check_placeholders(answer: &Value) -> Result<(), String> {
    match answer {
        Value::String(text) => pieces(text).map(drop),
        Value::Array(items) => items.iter().try_for_each(check_placeholders),
        Value::Object(members) => members.values().try_for_each(check_placeholders),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn filled(answer: &Value, input: &Value) -> Result<Value, String> {
    Ok(match answer {
        Value::String(text) => Value::String(filled_text(text, input)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| filled(item, input)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| Ok((name.clone(), filled(value, input)?)));
            Value::Object(members.collect::<Result<_, String>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => answer.clone(),
    })
}

fn filled_text(text: &str, input: &Value) -> Result<String, String> {
    let mut out = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Literal(literal) => out.push_str(literal),
            Piece::Pointer(pointer) => match input.pointer(pointer) {
                Some(Value::String(found)) => out.push_str(found),
                Some(found) => out.push_str(&found.to_string()),
                None => {
                    return Err(format!(
                        "the answer wants `{pointer}` and the input has none: give the rule the condition `present`"
                    ));
                }
            },
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
