//! What a schema may cost, counted before it is compiled.
//!
//! A schema comes from a step's author, who isn't trusted, and a validator can't be stopped once it runs. So what makes
//! the work multiply is refused beforehand, by size: the schema is measured *with every reference replaced by what it
//! points to*, which is how a validator walks it. A reference that leads back to itself has no such size and is refused;
//! so are the keywords whose cost is exponential whatever the size (`unevaluatedProperties` and its like run their
//! siblings again at each level: 24 levels in a kilobyte take ten seconds) and those that change what `#/…` means.
//!
//! `Bounds` of a schema then hold for its checks: each part meets each value of an answer at most once. It fails as
//! [`SchemaError`], naming the limit or the keyword.

use crate::models::schema::error::SchemaError;
use serde_json::Value;
use std::collections::HashMap;

/// Values of a schema, its references followed. A schema of 32 KiB has about 3,000; the rest is for parts used again.
pub const NODES_MAX: usize = 8 * 1024;

/// Arrays and objects inside one another, references followed. Validators recurse, and a thread's stack is 2 MiB.
pub const LEVELS_MAX: usize = 128;

/// Patterns of a schema, references followed. Each costs up to half a megabyte of compiled automata.
pub const PATTERNS_MAX: usize = 32;

/// All patterns of a schema together, references followed, in bytes: an ordinary one has thirty.
pub const PATTERNS_LIMIT_BYTES: usize = 4 * 1024;

/// The longest quotation of a reference in an error, in characters.
const QUOTED_CHARS: usize = 100;

/// The languages whose keywords are known here. In older ones other keywords change what `#/…` means.
const DIALECTS: [&str; 3] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
];

/// Keywords that are refused wherever they stand, and why.
const REFUSED: [(&str, &str); 4] = [
    ("unevaluatedProperties", "its cost has no bound; write `additionalProperties` beside each `properties`"),
    ("unevaluatedItems", "its cost has no bound; write `items` beside each `prefixItems`"),
    ("$dynamicRef", "it has no fixed target; write `$ref` with `#/$defs/name`"),
    ("$recursiveRef", "it has no fixed target; write `$ref` with `#/$defs/name`"),
];

/// How large a schema is, its references followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Values.
    pub(super) nodes: usize,
    /// Arrays and objects inside one another.
    pub(super) levels: usize,
    /// Patterns.
    pub(super) patterns: usize,
    /// Their length.
    patterns_bytes: usize,
}

impl Bounds {
    /// Measure a schema, or refuse it.
    pub(super) fn of(schema: &Value) -> Result<Self, SchemaError> {
        Measure { root: schema, targets: HashMap::new() }.value(schema, 0)
    }

    /// These and what stands beside them.
    fn and(self, other: Self) -> Result<Self, SchemaError> {
        let sum = Self {
            nodes: within("values (references followed)", self.nodes + other.nodes, NODES_MAX)?,
            levels: self.levels.max(other.levels),
            patterns: within("patterns (references followed)", self.patterns + other.patterns, PATTERNS_MAX)?,
            patterns_bytes: within(
                "bytes of patterns (references followed)",
                self.patterns_bytes + other.patterns_bytes,
                PATTERNS_LIMIT_BYTES,
            )?,
        };
        Ok(sum)
    }

    fn pattern(text: &str) -> Self {
        Self { patterns: 1, patterns_bytes: text.len(), ..Self::default() }
    }
}

fn within(what: &'static str, count: usize, limit: usize) -> Result<usize, SchemaError> {
    if count > limit { Err(SchemaError::TooCostly { what, count, limit }) } else { Ok(count) }
}

/// What is known of a reference's target.
enum Target {
    /// It is being measured; to meet it again is to go in circles.
    Begun,
    /// Measured.
    Ended(Bounds),
}

struct Measure<'a> {
    root: &'a Value,
    targets: HashMap<&'a str, Target>,
}

impl<'a> Measure<'a> {
    /// The bounds of a value that stands `above` levels deep.
    fn value(&mut self, value: &'a Value, above: usize) -> Result<Bounds, SchemaError> {
        let depth = within("levels (references followed)", above + 1, LEVELS_MAX)?;
        let mut inside = Bounds::default();
        match value {
            Value::Array(items) => {
                for item in items {
                    inside = inside.and(self.value(item, depth)?)?;
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    inside =
                        inside.and(self.keyword(name, member, above)?)?.and(self.value(member, depth)?)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        let itself = Bounds { nodes: 1, ..Bounds::default() };
        Ok(Bounds { levels: inside.levels + 1, ..inside.and(itself)? })
    }

    /// What a member costs beside its value. Names are taken for keywords wherever they stand, also in a `const` or an
    /// `example`: better a schema too many refused than one too few.
    fn keyword(&mut self, name: &str, member: &'a Value, above: usize) -> Result<Bounds, SchemaError> {
        if let Some((keyword, why)) = REFUSED.iter().find(|(keyword, _)| *keyword == name) {
            return Err(SchemaError::Refused { keyword: (*keyword).to_owned(), why });
        }
        match (name, member) {
            ("$ref", Value::String(uri)) => self.reference(uri, above),
            ("pattern", Value::String(text)) => Ok(Bounds::pattern(text)),
            ("patternProperties", Value::Object(patterns)) => {
                patterns.keys().try_fold(Bounds::default(), |sum, text| sum.and(Bounds::pattern(text)))
            }
            ("$id", Value::String(_)) if above > 0 => Err(SchemaError::Refused {
                keyword: name.to_owned(),
                why: "it would change what `#/…` means below it; leave it out",
            }),
            ("$schema", Value::String(dialect)) if !DIALECTS.contains(&dialect.trim_end_matches('#')) => {
                Err(SchemaError::Refused {
                    keyword: name.to_owned(),
                    why: "this host knows the drafts 2020-12, 2019-09 and 7; name one of them, or none",
                })
            }
            _ => Ok(Bounds::default()),
        }
    }

    fn reference(&mut self, uri: &'a str, above: usize) -> Result<Bounds, SchemaError> {
        let cut = || uri.chars().take(QUOTED_CHARS).collect::<String>();
        let outside = || SchemaError::Reference { uri: cut() };
        if uri == "#" {
            return Err(SchemaError::Recursive { uri: cut() });
        }
        let pointer = uri.strip_prefix('#').filter(|rest| rest.starts_with('/')).ok_or_else(outside)?;
        // The validator reads percent escapes; nobody needs them, and two readings of one text are one too many.
        let found = if pointer.contains('%') { None } else { self.root.pointer(pointer) };
        let target = found.ok_or_else(outside)?;
        let bounds = match self.targets.get(pointer) {
            Some(Target::Begun) => return Err(SchemaError::Recursive { uri: cut() }),
            Some(Target::Ended(bounds)) => *bounds,
            None => {
                self.targets.insert(pointer, Target::Begun);
                let bounds = self.value(target, above + 1)?;
                self.targets.insert(pointer, Target::Ended(bounds));
                bounds
            }
        };
        within("levels (references followed)", above + 1 + bounds.levels, LEVELS_MAX)?;
        Ok(bounds)
    }
}
