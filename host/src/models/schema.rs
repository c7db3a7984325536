//! Holding a model's answer to the step's JSON Schema.
//!
//! Owns [`Schema`], which is a schema compiled within [`bounds`]; [`Schemas`], which keeps a few; and [`hold`], which
//! reads an answer strictly and holds it to a schema. A schema comes from a step's author, who isn't trusted, and the
//! answer from a model that reads what strangers wrote: references lead nowhere but into the schema, patterns run on an
//! engine without backtracking, `format` is a note and no test, and what schema and answer cost together is bounded
//! before the work begins. Compiling and checking run on a thread of their own with a time-out; the bounds are what
//! protects, since a thread can't be stopped. It fails as [`SchemaError`], which names the place and the reason.

pub mod bounds;
pub mod error;

use crate::identity::json_text;
use crate::models::schema::bounds::Bounds;
use crate::models::schema::error::SchemaError;
use crate::models::schema::error::SchemaFault;
use crate::models::schema::error::SchemaFaults;
use jsonschema::PatternOptions;
use jsonschema::Retrieve;
use jsonschema::Uri;
use jsonschema::ValidationError;
use jsonschema::Validator;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

/// The longest schema, in bytes. A schema for a decision is a page or two; more is a mistake or an attack.
pub const SCHEMA_LIMIT_BYTES: usize = 32 * 1024;

/// The longest answer, in bytes: twenty pages. A decision is a plan, not a document; what is longer can't be read by the
/// person who must approve it.
pub const ANSWER_LIMIT_BYTES: usize = 64 * 1024;

/// Compiled schemas that are kept: a host has tens of steps, and compiling one again takes milliseconds.
pub const KEPT_SCHEMAS: usize = 16;

/// How long compiling or checking is waited for, in milliseconds. An ordinary schema takes one or two; the rest is for a
/// busy machine.
pub const CHECK_TIMEOUT_MS: u64 = 2_000;

/// Values of a schema times values of an answer: each pair is looked at once, which takes a second for so many.
pub const PAIRS_MAX: usize = 16 * 1024 * 1024;

/// Patterns of a schema times bytes of an answer. The slowest pattern known takes three seconds for so many, an ordinary
/// one a millisecond.
pub const MATCHED_LIMIT_BYTES: usize = 128 * 1024;

/// One compiled pattern may take so many bytes, enough for a class of all letters and too little for nested counts.
const PATTERN_LIMIT_BYTES: usize = 64 * 1024;

/// Pairs up to which faults are told one by one: naming a fault takes 300 bytes, and as many as there are pairs are
/// made before the first is read.
const NAMED_PAIRS_MAX: usize = 512 * 1024;

/// The most faults that are reported: a model that gets one item wrong often gets a thousand wrong.
const REPORTED_FAULTS: usize = 8;

/// The longest reason for one fault, in characters; the validator quotes the value, which can be the whole answer.
const REASON_LIMIT_CHARS: usize = 200;

const COMPILING: &str = "compiling a step's schema";
const CHECKING: &str = "checking an answer";

/// A compiled schema.
///
/// ```
/// use onceward::models::schema::Schema;
/// let schema = Schema::compile(r#"{"type": "object", "required": ["intent"]}"#)?;
/// assert!(schema.check(r#"{"intent": "buy"}"#).is_ok());
/// let error = schema.check("{}").unwrap_err();
/// assert!(error.to_string().ends_with(r#"at ``: "intent" is a required property"#));
/// # Ok::<(), onceward::models::schema::error::SchemaError>(())
/// ```
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    bounds: Bounds,
}

impl Schema {
    /// Compile a schema that keeps the bounds.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn compile(text: &str) -> Result<Self, SchemaError> {
        if text.len() > SCHEMA_LIMIT_BYTES {
            let (count, limit) = (text.len(), SCHEMA_LIMIT_BYTES);
            return Err(SchemaError::TooCostly { what: "bytes", count, limit });
        }
        let schema = json_text::parse(text).map_err(SchemaError::SchemaNotJson)?;
        let bounds = Bounds::of(&schema)?;
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_LIMIT_BYTES).dfa_size_limit(PATTERN_LIMIT_BYTES);
        let validator = jsonschema::options()
            .with_retriever(Nothing)
            .with_pattern_options(patterns)
            .should_validate_formats(false)
            .build(&schema)
            .map_err(|error| SchemaError::BadSchema {
                path: cut(&error.instance_path().to_string()),
                reason: cut(&error.to_string()),
            })?;
        Ok(Self { validator, bounds })
    }

    /// Hold an answer, JSON text, to this schema.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn check(&self, answer: &str) -> Result<(), SchemaError> {
        let value = read(answer)?;
        let pairs = self.bounds.nodes.saturating_mul(values_of(&value));
        let matched_bytes = self.bounds.patterns.saturating_mul(answer.len());
        for (what, count, limit) in [
            ("values of the schema times values of the answer", pairs, PAIRS_MAX),
            ("patterns of the schema times bytes of the answer", matched_bytes, MATCHED_LIMIT_BYTES),
        ] {
            if count > limit {
                return Err(SchemaError::CheckTooCostly { what, count, limit });
            }
        }
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        // Naming the faults walks what lies below an `anyOf` once for each level that it is deep.
        let levels = self.bounds.levels;
        let faults = if pairs.saturating_mul(levels) <= NAMED_PAIRS_MAX
            && matched_bytes.saturating_mul(levels) <= MATCHED_LIMIT_BYTES
        {
            let faults = self.validator.iter_errors(&value).take(REPORTED_FAULTS);
            faults.map(|error| fault(error.instance_path().to_string(), &error)).collect()
        } else {
            let reason = "somewhere in it; schema and answer are too large to say where".to_owned();
            vec![SchemaFault { path: String::new(), reason }]
        };
        Err(SchemaError::Mismatch(SchemaFaults(faults)))
    }
}

/// A few compiled schemas, the oldest of which makes room for a new one.
#[derive(Debug, Default)]
pub struct Schemas {
    kept: Mutex<VecDeque<([u8; 32], Arc<Schema>)>>,
}

impl Schemas {
    /// With nothing compiled yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The compiled schema of this text, kept by its hash. Compiled on a thread of its own; call it on a tokio runtime.
    ///
    /// # Errors
    /// [`SchemaError`], always with the schema to blame.
    pub async fn compiled(&self, text: &str) -> Result<Arc<Schema>, SchemaError> {
        let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        if let Some(found) = self.find(&hash) {
            return Ok(found);
        }
        // Two at once may both compile, which costs a moment and blocks nobody.
        let text = text.to_owned();
        let compiled = Arc::new(aside(COMPILING, CHECK_TIMEOUT_MS, move || Schema::compile(&text)).await?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != hash);
        if kept.len() == KEPT_SCHEMAS {
            kept.pop_front();
        }
        kept.push_back((hash, Arc::clone(&compiled)));
        Ok(compiled)
    }

    fn find(&self, hash: &[u8; 32]) -> Option<Arc<Schema>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == hash).map(|(_, schema)| Arc::clone(schema))
    }
}

/// Read an answer strictly and hold it to a schema, where there is one. The answer comes back as it was. The check runs
/// on a thread of its own; call it on a tokio runtime.
///
/// # Errors
/// [`SchemaError`].
pub async fn hold(schema: Option<Arc<Schema>>, answer: String) -> Result<String, SchemaError> {
    aside(CHECKING, CHECK_TIMEOUT_MS, move || {
        match schema {
            Some(schema) => schema.check(&answer)?,
            None => read(&answer).map(drop)?,
        }
        Ok(answer)
    })
    .await
}

/// Do something that computes beside the runtime's own threads, and wait for it only so long.
async fn aside<T, F>(doing: &'static str, limit_ms: u64, work: F) -> Result<T, SchemaError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, SchemaError> + Send + 'static,
{
    match tokio::time::timeout(Duration::from_millis(limit_ms), tokio::task::spawn_blocking(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(_panicked)) => Err(SchemaError::Panicked { doing }),
        Err(_elapsed) => Err(SchemaError::TooSlow { doing, limit_ms }),
    }
}

/// Never fetches. The crate can be built without fetching at all; this holds also where another crate turns
/// that on.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, _uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("nothing is ever fetched".into())
    }
}

fn read(answer: &str) -> Result<Value, SchemaError> {
    if answer.len() > ANSWER_LIMIT_BYTES {
        return Err(SchemaError::AnswerTooLarge {
            size_bytes: answer.len(),
            limit_bytes: ANSWER_LIMIT_BYTES,
        });
    }
    json_text::parse(answer).map_err(SchemaError::OutputNotJson)
}

/// Everything a schema can be held to: values, and members' names.
fn values_of(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values_of).sum(),
        Value::Object(members) => members.values().map(|member| 1 + values_of(member)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn fault(path: String, error: &ValidationError<'_>) -> SchemaFault {
    SchemaFault { path: cut(&path), reason: cut(&error.to_string()) }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(REASON_LIMIT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
