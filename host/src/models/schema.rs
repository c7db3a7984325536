//! Holding a model's answer to the step's JSON Schema.
//!
//! Owns [`check`] and [`Schemas`], which keeps a few compiled schemas. A schema comes from a step's author,
//! who isn't trusted: references to other documents are refused (nothing is ever fetched), patterns run on an
//! engine without backtracking, and schema and answer are limited in size. It fails as [`SchemaError`], which
//! names the place in the answer and the reason.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use jsonschema::PatternOptions;
use jsonschema::Retrieve;
use jsonschema::Uri;
use jsonschema::ValidationError;
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
use thiserror::Error;

/// A schema for a decision is a page or two; more is a mistake or an attack.
pub const SCHEMA_LIMIT_BYTES: usize = 256 * 1024;

/// A decision is a plan, not a document; what is longer can't be read by the person who must approve it.
pub const OUTPUT_LIMIT_BYTES: usize = 1024 * 1024;

/// Compiled schemas that are kept: a host has tens of steps with a schema or two each.
pub const KEPT_SCHEMAS: usize = 64;

/// One compiled pattern may take this much memory, enough for every ordinary one and too little for nested
/// counts.
const PATTERN_LIMIT_BYTES: usize = 1024 * 1024;

/// The most faults that are reported: a model that gets one item wrong often gets a thousand wrong.
const REPORTED_FAULTS: usize = 8;

/// The longest reason for one fault; the validator quotes the value, which can be the whole answer.
const REASON_LIMIT_CHARS: usize = 200;

/// One place where an answer breaks its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// The place in the answer, a JSON Pointer; empty for the whole answer.
    pub path: String,
    /// What the schema wants there.
    pub reason: String,
}

/// The faults of one answer, the first few of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFaults(pub Vec<SchemaFault>);

impl fmt::Display for SchemaFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}at `{}`: {}", fault.path, fault.reason)?;
        }
        Ok(())
    }
}

/// Why an answer was not let through.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema or the answer is too large.
    #[error(
        "checking an answer: the {what} has {size_bytes} bytes and the limit is {limit_bytes}; make it smaller"
    )]
    TooLarge {
        /// `schema` or `answer`.
        what: &'static str,
        /// Its size.
        size_bytes: usize,
        /// What is allowed.
        limit_bytes: usize,
    },
    /// The schema is not JSON.
    #[error("compiling a step's schema: it is not JSON; correct the schema in the step")]
    SchemaNotJson {
        /// Line and column.
        source: Arc<serde_json::Error>,
    },
    /// The schema is JSON and not a schema.
    #[error("compiling a step's schema: at `{path}`: {reason}; correct the schema in the step")]
    BadSchema {
        /// The place in the schema, a JSON Pointer.
        path: String,
        /// What is wrong there.
        reason: String,
    },
    /// The schema refers to another document.
    #[error(
        "compiling a step's schema: it refers to `{uri}`, and nothing is ever fetched; copy that part into `$defs`"
    )]
    RemoteReference {
        /// The reference.
        uri: String,
    },
    /// The answer is not JSON.
    #[error("checking an answer: it is not JSON")]
    OutputNotJson {
        /// Line and column.
        source: Arc<serde_json::Error>,
    },
    /// The answer breaks the schema.
    #[error("checking an answer: it does not satisfy the step's schema: {0}")]
    Mismatch(SchemaFaults),
}

impl SchemaError {
    /// Whether the step's schema is to blame, so that no other answer can help.
    #[must_use]
    pub fn is_schemas_fault(&self) -> bool {
        !matches!(
            self,
            SchemaError::OutputNotJson { .. }
                | SchemaError::Mismatch(_)
                | SchemaError::TooLarge { what: "answer", .. }
        )
    }
}

/// The answer as a value, if it satisfies the schema. Compiles the schema each time; [`Schemas`] does not.
///
/// # Errors
/// [`SchemaError`].
///
/// ```
/// use onceward::models::schema::check;
/// let schema = r#"{"type": "object", "required": ["intent"]}"#;
/// assert!(check(schema, r#"{"intent": "buy"}"#).is_ok());
/// let error = check(schema, "{}").unwrap_err();
/// assert!(error.to_string().ends_with(r#"at ``: "intent" is a required property"#));
/// ```
pub fn check(schema_text: &str, output_text: &str) -> Result<Value, SchemaError> {
    judge(&compile(schema_text)?, output_text)
}

/// A few compiled schemas, the oldest of which makes room for a new one.
#[derive(Default)]
pub struct Schemas {
    kept: Mutex<VecDeque<([u8; 32], Arc<Validator>)>>,
}

impl Schemas {
    /// With nothing compiled yet.
    #[must_use]
    pub fn new() -> Schemas {
        Schemas::default()
    }

    /// As [`check`], with the compiled schema kept by the hash of its text.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn check(&self, schema_text: &str, output_text: &str) -> Result<Value, SchemaError> {
        judge(&*self.compiled(schema_text)?, output_text)
    }

    /// Compiles and keeps a schema, so that a bad one is refused when its step is loaded and not at the first
    /// paid answer.
    ///
    /// # Errors
    /// [`SchemaError`], always with the schema to blame.
    pub fn prepare(&self, schema_text: &str) -> Result<(), SchemaError> {
        self.compiled(schema_text).map(drop)
    }

    fn compiled(&self, schema_text: &str) -> Result<Arc<Validator>, SchemaError> {
        let hash: [u8; 32] = Sha256::digest(schema_text.as_bytes()).into();
        if let Some(found) = self.find(&hash) {
            return Ok(found);
        }
        // Compiled outside the lock: two at once may both compile, which costs a moment and blocks nobody.
        let compiled = Arc::new(compile(schema_text)?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != hash);
        if kept.len() == KEPT_SCHEMAS {
            kept.pop_front();
        }
        kept.push_back((hash, compiled.clone()));
        Ok(compiled)
    }

    fn find(&self, hash: &[u8; 32]) -> Option<Arc<Validator>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == hash).map(|(_, validator)| validator.clone())
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

fn compile(schema_text: &str) -> Result<Validator, SchemaError> {
    limit("schema", schema_text, SCHEMA_LIMIT_BYTES)?;
    let schema: Value = serde_json::from_str(schema_text)
        .map_err(|source| SchemaError::SchemaNotJson { source: Arc::new(source) })?;
    let patterns = PatternOptions::regex().size_limit(PATTERN_LIMIT_BYTES);
    let built = jsonschema::options().with_retriever(Nothing).with_pattern_options(patterns).build(&schema);
    built.map_err(|error| match error.kind() {
        ValidationErrorKind::Referencing(jsonschema::ReferencingError::Unretrievable { uri, .. }) => {
            SchemaError::RemoteReference { uri: uri.clone() }
        }
        _ => SchemaError::BadSchema { path: error.instance_path().to_string(), reason: reason(&error) },
    })
}

fn judge(validator: &Validator, output_text: &str) -> Result<Value, SchemaError> {
    limit("answer", output_text, OUTPUT_LIMIT_BYTES)?;
    let output: Value = serde_json::from_str(output_text)
        .map_err(|source| SchemaError::OutputNotJson { source: Arc::new(source) })?;
    let faults: Vec<SchemaFault> = validator
        .iter_errors(&output)
        .take(REPORTED_FAULTS)
        .map(|error| SchemaFault { path: error.instance_path().to_string(), reason: reason(&error) })
        .collect();
    if faults.is_empty() { Ok(output) } else { Err(SchemaError::Mismatch(SchemaFaults(faults))) }
}

fn limit(what: &'static str, text: &str, limit_bytes: usize) -> Result<(), SchemaError> {
    if text.len() > limit_bytes {
        Err(SchemaError::TooLarge { what, size_bytes: text.len(), limit_bytes })
    } else {
        Ok(())
    }
}

fn reason(error: &ValidationError<'_>) -> String {
    let text = error.to_string();
    match text.char_indices().nth(REASON_LIMIT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAD: &str = r#"{"type":"object","required":["intent"],"additionalProperties":false,
        "properties":{"intent":{"enum":["buy","leave"]},"scores":{"type":"array","items":{"type":"number","maximum":1}}}}"#;

    fn faults(schema: &str, output: &str) -> Vec<String> {
        match check(schema, output) {
            Err(SchemaError::Mismatch(SchemaFaults(faults))) => {
                faults.into_iter().map(|fault| fault.path).collect()
            }
            other => panic!("no mismatch: {other:?}"),
        }
    }

    #[test]
    fn an_answer_that_satisfies_its_schema_passes_as_it_is() {
        let output = r#"{"intent":"buy","scores":[0.5,1]}"#;
        assert_eq!(check(LEAD, output).unwrap(), serde_json::from_str::<Value>(output).unwrap());
    }

    #[test]
    fn a_fault_names_its_place() {
        assert_eq!(faults(LEAD, r#"{"intent":"sell"}"#), ["/intent"]);
        assert_eq!(faults(LEAD, r#"{"intent":"buy","scores":[0,7,"x"]}"#), ["/scores/1", "/scores/2"]);
        assert_eq!(faults(LEAD, "[]"), [""]);
        assert_eq!(faults(r#"{"properties":{"a/b":{"type":"null"}}}"#, r#"{"a/b":1}"#), ["/a~1b"]);
    }

    #[test]
    fn a_flood_of_faults_is_cut_in_number_and_length() {
        let output = format!(
            r#"{{"intent":"buy","scores":[{}]}}"#,
            vec![format!("\"{}\"", "x".repeat(5_000)); 100].join(",")
        );
        assert_eq!(faults(LEAD, &output).len(), REPORTED_FAULTS);
        assert!(check(LEAD, &output).unwrap_err().to_string().len() < 4_000);
    }

    #[test]
    fn what_is_not_json_says_whose_fault_it_is() {
        let check = |schema: &str, output: &str, schemas_fault: bool, words: &str| {
            let error = check(schema, output).unwrap_err();
            assert_eq!(error.is_schemas_fault(), schemas_fault, "{error}");
            assert!(error.to_string().contains(words), "{error}");
        };
        check("{", "{}", true, "not JSON");
        check("{}", "Sure! Here is the JSON", false, "not JSON");
        check(r#"{"type":"objekt"}"#, "{}", true, "`/type`");
        check(r#"{"pattern":"("}"#, "{}", true, "`/pattern`");
        check(&" ".repeat(SCHEMA_LIMIT_BYTES + 1), "{}", true, "schema has");
        check("{}", &" ".repeat(OUTPUT_LIMIT_BYTES + 1), false, "answer has");
    }

    #[test]
    fn nothing_is_ever_fetched() {
        for uri in ["https://a.example/s.json", "file:///etc/hostname", "http://127.0.0.1:1/s"] {
            let schema = serde_json::json!({"properties": {"a": {"$ref": uri}}}).to_string();
            let error = check(&schema, "{}").unwrap_err();
            assert!(
                matches!(&error, SchemaError::RemoteReference { uri: named } if named == uri),
                "{error:?}"
            );
        }
        let inside = r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}}"##;
        assert_eq!(faults(inside, "1"), [""]);
    }

    #[test]
    fn a_hostile_pattern_costs_no_time_and_no_memory() {
        let catastrophic = r#"{"pattern":"^(a+)+$"}"#;
        assert_eq!(faults(catastrophic, &format!("\"{}!\"", "a".repeat(50_000))), [""]);
        let needs_backtracking = check(r#"{"pattern":"(?=a)a"}"#, "\"a\"").unwrap_err();
        assert!(needs_backtracking.is_schemas_fault(), "{needs_backtracking}");
        let huge = check(r#"{"pattern":"((a{1000}){1000}){1000}"}"#, "\"a\"").unwrap_err();
        assert!(huge.is_schemas_fault(), "{huge}");
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let recursive = r##"{"properties":{"next":{"$ref":"#"}},"type":"object"}"##;
        assert_eq!(faults(recursive, r#"{"next":{"next":1}}"#), ["/next/next"]);
        // Whatever it says about this one, it must come back.
        let _ends = check(r##"{"$ref":"#"}"##, "{}");
    }

    #[test]
    fn schemas_are_compiled_once_and_the_oldest_makes_room() {
        let schemas = Schemas::new();
        let schema = |index: usize| format!(r#"{{"const":{index}}}"#);
        let first = schemas.compiled(&schema(0)).unwrap();
        assert!(Arc::ptr_eq(&first, &schemas.compiled(&schema(0)).unwrap()));
        for index in 1..=KEPT_SCHEMAS {
            assert!(schemas.check(&schema(index), &index.to_string()).is_ok());
            assert!(schemas.check(&schema(index), "-1").is_err());
        }
        assert_eq!(schemas.kept.lock().unwrap().len(), KEPT_SCHEMAS);
        assert!(!Arc::ptr_eq(&first, &schemas.compiled(&schema(0)).unwrap()));
        assert!(schemas.prepare("{").is_err());
    }
}
