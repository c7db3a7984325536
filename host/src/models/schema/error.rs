//! Why a schema can't be used, and why an answer was not let through.
//!
//! Owns [`SchemaError`] and the list of [`SchemaFault`]s. The texts quote at most a few hundred characters of what a
//! step or a model wrote.

use crate::identity::json_text::JsonError;
use std::fmt;
use thiserror::Error;

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

/// Why a schema can't be used, or an answer was not let through.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema costs more than a step's schema may.
    #[error("compiling a step's schema: it has {count} {what}, and {limit} is the limit; ask for less")]
    TooCostly {
        /// What was counted.
        what: &'static str,
        /// How much of it there is, counted until the limit was passed.
        count: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The schema uses a keyword that can't be used here.
    #[error("compiling a step's schema: `{keyword}` can't be used, since {why}")]
    Refused {
        /// The keyword.
        keyword: String,
        /// The reason, and what to write instead.
        why: &'static str,
    },
    /// A reference does not point to a part of the schema.
    #[error(
        "compiling a step's schema: it refers to `{uri}`, and nothing is ever fetched; put that part into `$defs` and \
         refer to it as `#/$defs/name`"
    )]
    Reference {
        /// The reference, cut.
        uri: String,
    },
    /// A reference leads back to itself.
    #[error(
        "compiling a step's schema: the part `{uri}` refers to itself; write out as many levels as the answer needs"
    )]
    Recursive {
        /// The reference, cut.
        uri: String,
    },
    /// The schema is not JSON.
    #[error("compiling a step's schema: it is not usable JSON; correct the schema in the step")]
    SchemaNotJson(#[source] JsonError),
    /// The schema is JSON and not a schema.
    #[error("compiling a step's schema: at `{path}`: {reason}; correct the schema in the step")]
    BadSchema {
        /// The place in the schema, a JSON Pointer.
        path: String,
        /// What is wrong there.
        reason: String,
    },
    /// The answer is too large.
    #[error("checking an answer: it has {size_bytes} bytes and the limit is {limit_bytes}; ask for less")]
    AnswerTooLarge {
        /// Its size.
        size_bytes: usize,
        /// What is allowed.
        limit_bytes: usize,
    },
    /// Schema and answer together would take too long to compare.
    #[error(
        "checking an answer: {what} come to {count}, and {limit} is the limit; make the schema simpler or ask for less"
    )]
    CheckTooCostly {
        /// What was multiplied.
        what: &'static str,
        /// The product.
        count: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The answer is not JSON.
    #[error("checking an answer: it is not usable JSON")]
    OutputNotJson(#[source] JsonError),
    /// The answer breaks the schema.
    #[error("checking an answer: it does not satisfy the step's schema: {0}")]
    Mismatch(SchemaFaults),
    /// It took too long.
    #[error("{doing}: it took longer than {limit_ms} ms; make the schema simpler")]
    TooSlow {
        /// What was attempted.
        doing: &'static str,
        /// The limit in milliseconds.
        limit_ms: u64,
    },
    /// It panicked; that is a fault of this host.
    #[error("{doing}: it panicked; please report it")]
    Panicked {
        /// What was attempted.
        doing: &'static str,
    },
}
