//! Rules: which parts of a payload count, and how they are compared.
//!
//! Owns the contract's lists of fields and what they do to a payload: volatile fields are taken out, then
//! declared fields are trimmed, then normalised as addresses or times. What is left is the normal payload
//! that identities and the [`ContentHash`] are made from. The built-in lists are those of the revision that the
//! rules name ([`crate::identity::builtin`]); one that this host does not know is refused, never guessed.
//!
//! An absent field, `null` and the empty text say "no value" and are left alone: an optional field that a
//! form left empty must not cost a lead. Anything else that can't be normalised is refused, because comparing
//! it as it is would join or part works by accident. The [`RulesError`] names the field.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::identity::builtin;
use crate::identity::builtin::Lists;
use crate::identity::canonical_json::canonical;
use crate::identity::key::ContentHash;
use crate::identity::key::digest;
use crate::identity::pointer::POINTER_LIMIT_BYTES;
use crate::identity::pointer::Pointer;
use crate::identity::pointer::is_wildcard;
pub use crate::identity::rules::error::RulesError;
use crate::identity::time;
use crate::identity::url;

mod error;

/// The most entries that one list may have. Each costs a walk through every payload.
pub const ENTRIES_LIMIT: usize = 128;

/// The contract's rules for comparing payloads. Each entry is a JSON Pointer (RFC 6901) into the payload; the
/// token `*` stands for every element or member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// The revision of the built-in lists. It is recorded with the contract, so that a host with better lists leaves
    /// the identities of old works alone; where it is not recorded, it is [`builtin::FIRST`].
    #[serde(default = "first_revision")]
    pub builtin: u32,
    /// Fields that never count, besides the built-in names. An entry without a slash is a member's name and counts
    /// at every depth. An array's element that is named by its number becomes null, so that its neighbours keep
    /// their places.
    pub volatile: Vec<String>,
    /// Fields that hold an http or https address; see [`crate::identity::url`].
    pub urls: Vec<String>,
    /// Fields that hold an RFC 3339 date-time; see [`crate::identity::time`].
    pub times: Vec<String>,
    /// Fields whose text loses the white space (Unicode `White_Space`) around it.
    pub trimmed: Vec<String>,
    /// The only fields that the content hash covers; all that are left, where this is not given.
    pub content_fields: Option<Vec<String>>,
}

impl Default for Rules {
    /// No rules but the newest built-in lists.
    fn default() -> Self {
        Self {
            builtin: builtin::LATEST,
            volatile: Vec::new(),
            urls: Vec::new(),
            times: Vec::new(),
            trimmed: Vec::new(),
            content_fields: None,
        }
    }
}

const fn first_revision() -> u32 {
    builtin::FIRST
}

impl Rules {
    /// Checks all lists, so that a contract is refused when it is loaded and not when the first event comes.
    ///
    /// # Errors
    /// An unknown revision of the built-in lists, a list beyond its limits, the first entry that is no pointer (or,
    /// in `volatile`, no name), or a content field that is always taken out.
    pub fn validate(&self) -> Result<(), RulesError> {
        let lists = self.lists()?;
        let content_fields = self.content_fields.as_deref().unwrap_or_default();
        for (list, entries) in [
            ("volatile", &self.volatile[..]),
            ("urls", &self.urls),
            ("times", &self.times),
            ("trimmed", &self.trimmed),
            ("content_fields", content_fields),
        ] {
            within_limits(list, entries)?;
            if list != "volatile" {
                pointers(list, entries)?;
            }
        }
        let volatile = self.volatile_pointers()?;
        let content = pointers("content_fields", content_fields)?;
        match content.iter().find(|field| self.takes_out(lists, &volatile, field)) {
            Some(field) => Err(RulesError::NeverCompared { pointer: field.as_str().to_owned() }),
            None => Ok(()),
        }
    }

    /// Whether a field is always taken out as volatile, so that nothing can be read from it.
    ///
    /// # Errors
    /// An unknown revision, or a `volatile` list that [`Rules::validate`] would refuse.
    pub fn strips(&self, field: &Pointer) -> Result<bool, RulesError> {
        Ok(self.takes_out(self.lists()?, &self.volatile_pointers()?, field))
    }

    fn takes_out(&self, lists: &Lists, volatile: &[Pointer], field: &Pointer) -> bool {
        let names = |taken: &String, token: &String| is_wildcard(taken) || taken == token;
        field.tokens().iter().any(|token| self.is_volatile_name(lists, token))
            || volatile.iter().any(|taken| {
                let taken = taken.tokens();
                taken.len() <= field.tokens().len()
                    && taken.iter().zip(field.tokens()).all(|(taken, token)| names(taken, token))
            })
    }

    fn lists(&self) -> Result<&'static Lists, RulesError> {
        Lists::of(self.builtin).ok_or(RulesError::UnknownBuiltin { revision: self.builtin })
    }

    /// Brings a payload into its normal form. Doing so twice changes nothing.
    ///
    /// ```
    /// use onceward::identity::rules::Rules;
    ///
    /// let rules = Rules { trimmed: vec!["/name".into()], ..Rules::default() };
    /// let normal = rules.apply(serde_json::json!({"name": " Ada ", "meta": {"receivedAt": 7}}))?;
    /// assert_eq!(normal, serde_json::json!({"name": "Ada", "meta": {}}));
    /// # Ok::<(), onceward::identity::rules::RulesError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown revision, an entry that [`Rules::validate`] would refuse, or a field that is there but can't be
    /// normalised.
    pub fn apply(&self, mut value: Value) -> Result<Value, RulesError> {
        let lists = self.lists()?;
        let volatile = self.volatile_pointers()?;
        self.strip(lists, &mut value, &volatile.iter().map(Pointer::tokens).collect::<Vec<_>>());
        change(&mut value, "trimmed", &self.trimmed, |_, text| Ok(text.trim().to_owned()))?;
        change(&mut value, "urls", &self.urls, |place, text| {
            url::normalise(text, lists)
                .map_err(|source| RulesError::BadUrl { pointer: place.to_owned(), source })
        })?;
        change(&mut value, "times", &self.times, |place, text| {
            time::normalise(text).map_err(|source| RulesError::BadTime { pointer: place.to_owned(), source })
        })?;
        Ok(value)
    }

    /// Hashes what two deliveries under one key must agree in.
    ///
    /// # Errors
    /// As [`Rules::apply`].
    pub fn content_hash(&self, value: &Value) -> Result<ContentHash, RulesError> {
        self.content_hash_of_normal(&self.apply(value.clone())?)
    }

    /// The content hash of a payload that [`Rules::apply`] has already brought into its normal form: over the
    /// label `onceward/content` and either `whole` and the canonical text, or `fields` and, sorted by
    /// pointer, the pointer and the canonical text of each declared place that is there.
    pub(crate) fn content_hash_of_normal(&self, normal: &Value) -> Result<ContentHash, RulesError> {
        let mut parts = Vec::new();
        match &self.content_fields {
            None => parts.extend(["whole".to_owned(), canonical(normal)]),
            Some(fields) => {
                let mut compared = BTreeMap::new();
                for place in pointers("content_fields", fields)?.iter().flat_map(|field| field.places(normal))
                {
                    let text = normal.pointer(&place).map(canonical).unwrap_or_default();
                    compared.insert(place, text);
                }
                parts.push("fields".to_owned());
                parts.extend(compared.into_iter().flat_map(|(place, text)| [place, text]));
            }
        }
        let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
        Ok(ContentHash::from_bytes(digest("onceward/content", &parts)))
    }

    fn is_volatile_name(&self, lists: &Lists, name: &str) -> bool {
        lists.is_volatile(name) || self.volatile.iter().any(|entry| entry == name)
    }

    fn volatile_pointers(&self) -> Result<Vec<Pointer>, RulesError> {
        let (entries, names): (Vec<_>, Vec<_>) =
            self.volatile.iter().cloned().partition(|entry| entry.starts_with('/'));
        match names.into_iter().find(|name| name.is_empty() || name.contains('/')) {
            Some(entry) => Err(RulesError::BadName { entry }),
            None => pointers("volatile", &entries),
        }
    }

    /// Takes out the volatile names, and what these pointers (their tokens from here on) name. One walk, so that every
    /// pointer speaks of the payload as it came.
    fn strip(&self, lists: &Lists, value: &mut Value, pointers: &[&[String]]) {
        match value {
            Value::Object(members) => members.retain(|name, member| {
                let inner = below(pointers, name);
                let goes = self.is_volatile_name(lists, name) || inner.iter().any(|rest| rest.is_empty());
                if !goes {
                    self.strip(lists, member, &inner);
                }
                !goes
            }),
            Value::Array(elements) if pointers.iter().any(|tokens| is_every_element(tokens)) => {
                elements.clear()
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter_mut().enumerate() {
                    let inner = below(pointers, &index.to_string());
                    if inner.iter().any(|rest| rest.is_empty()) {
                        *element = Value::Null;
                    } else {
                        self.strip(lists, element, &inner);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What is left of those pointers that lead through this child.
fn below<'a>(pointers: &[&'a [String]], child: &str) -> Vec<&'a [String]> {
    let lead = |tokens: &&'a [String]| {
        let (first, rest) = tokens.split_first()?;
        (is_wildcard(first) || first == child).then_some(rest)
    };
    pointers.iter().filter_map(lead).collect()
}

fn is_every_element(tokens: &[String]) -> bool {
    matches!(tokens, [token] if is_wildcard(token))
}

/// What kind of value this is, in the words of an error.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn pointers(list: &'static str, entries: &[String]) -> Result<Vec<Pointer>, RulesError> {
    let parsed = entries.iter().map(|entry| Pointer::parse(entry)).collect::<Result<_, _>>();
    parsed.map_err(|source| RulesError::BadPointer { list, source })
}

fn within_limits(list: &'static str, entries: &[String]) -> Result<(), RulesError> {
    if entries.len() > ENTRIES_LIMIT {
        return Err(RulesError::TooManyEntries { list, entries: entries.len() });
    }
    match entries.iter().position(|entry| entry.len() > POINTER_LIMIT_BYTES) {
        Some(at) => Err(RulesError::EntryTooLong { list, position: at + 1, bytes: entries[at].len() }),
        None => Ok(()),
    }
}

fn change(
    value: &mut Value,
    list: &'static str,
    entries: &[String],
    normal: impl Fn(&str, &str) -> Result<String, RulesError>,
) -> Result<(), RulesError> {
    for place in pointers(list, entries)?.iter().flat_map(|pointer| pointer.places(value)).collect::<Vec<_>>()
    {
        match value.pointer_mut(&place) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => *text = normal(&place, text)?,
            Some(other) => return Err(RulesError::WrongKind { found: kind(other), pointer: place, list }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
