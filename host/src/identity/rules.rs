//! Rules: which parts of a payload count, and how they are compared.
//!
//! Owns the contract's lists of fields and what they do to a payload: volatile fields are taken out, then
//! declared fields are trimmed, then normalised as addresses or times. What is left is the normal payload
//! that identities and the [`ContentHash`] are made from.
//!
//! An absent field, `null` and the empty text say "no value" and are left alone: an optional field that a
//! form left empty must not cost a lead. Anything else that can't be normalised is refused, because comparing
//! it as it is would join or part works by accident. The [`RulesError`] names the field.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::identity::canonical_json::canonical;
use crate::identity::key::ContentHash;
use crate::identity::key::digest;
use crate::identity::pointer::Pointer;
use crate::identity::pointer::PointerError;
use crate::identity::pointer::array_index;
use crate::identity::time;
use crate::identity::time::TimeError;
use crate::identity::url;
use crate::identity::url::UrlError;

/// Names that differ with each delivery of one event, taken out at every depth of every payload.
///
/// The run is not the work: a new run, request or trace id must never make old work new.
pub const BUILT_IN_VOLATILE: &[&str] = &[
    "attempt",
    "attempt_number",
    "attemptNumber",
    "delivered_at",
    "deliveredAt",
    "delivery_attempt",
    "deliveryAttempt",
    "delivery_id",
    "deliveryId",
    "execution_id",
    "executionId",
    "received_at",
    "receivedAt",
    "request_id",
    "requestId",
    "retry_count",
    "retryCount",
    "run_id",
    "runId",
    "span_id",
    "spanId",
    "trace_id",
    "traceId",
    "traceparent",
    "tracestate",
];

/// The contract's rules for comparing payloads. Each entry is a JSON Pointer (RFC 6901) into the payload; the
/// token `*` stands for every element or member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Fields that never count, besides [`BUILT_IN_VOLATILE`]. An entry without a slash is a member's name
    /// and counts at every depth.
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

/// Why rules are unusable, or why a payload could not be brought into its normal form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// An entry is not a JSON Pointer.
    #[error("read the contract's list `{list}`: an entry is no JSON Pointer; correct the entry")]
    BadPointer {
        /// The list that holds the entry.
        list: &'static str,
        /// What is wrong with it.
        #[source]
        source: PointerError,
    },
    /// A volatile entry is neither a pointer nor a member's name.
    #[error(
        "read the contract's list `volatile`: `{entry}` is neither a JSON Pointer nor a member's name; \
             begin a pointer with `/`, and write a name without one"
    )]
    BadName {
        /// The entry.
        entry: String,
    },
    /// A content field is always taken out before anything is compared.
    #[error(
        "read the contract's list `content_fields`: `{pointer}` is volatile and would never be compared; \
             take it off the list, or give the field another name"
    )]
    NeverCompared {
        /// The entry.
        pointer: String,
    },
    /// A field that must hold text holds something else.
    #[error(
        "normalise `{pointer}`, declared in `{list}`: it holds {found} instead of text; \
         send text, or drop the declaration"
    )]
    WrongKind {
        /// Pointer of the field.
        pointer: String,
        /// The list that declares it.
        list: &'static str,
        /// What the field holds.
        found: &'static str,
    },
    /// A field does not hold a usable address.
    #[error(
        "normalise `{pointer}`, declared in `urls`: it holds no comparable address; \
         correct it or leave it out"
    )]
    BadUrl {
        /// Pointer of the field.
        pointer: String,
        /// What is wrong with it.
        #[source]
        source: UrlError,
    },
    /// A field does not hold an instant.
    #[error(
        "normalise `{pointer}`, declared in `times`: it holds no comparable time; correct it or leave it out"
    )]
    BadTime {
        /// Pointer of the field.
        pointer: String,
        /// What is wrong with it.
        #[source]
        source: TimeError,
    },
}

impl RulesError {
    /// The stable name of the refusal, as the shared vectors write it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::BadPointer { .. } => "bad-pointer",
            Self::BadName { .. } => "bad-name",
            Self::NeverCompared { .. } => "never-compared",
            Self::WrongKind { .. } => "wrong-kind",
            Self::BadUrl { .. } => "bad-url",
            Self::BadTime { .. } => "bad-time",
        }
    }
}

impl Rules {
    /// Checks all lists, so that a contract is refused when it is loaded and not when the first event comes.
    ///
    /// # Errors
    /// The first entry that is no pointer (or, in `volatile`, no name), or a content field that is always
    /// taken out.
    pub fn validate(&self) -> Result<(), RulesError> {
        let volatile = self.volatile_pointers()?;
        for (list, entries) in [("urls", &self.urls), ("times", &self.times), ("trimmed", &self.trimmed)] {
            pointers(list, entries)?;
        }
        let content = pointers("content_fields", self.content_fields.as_deref().unwrap_or_default())?;
        match content.iter().find(|field| self.takes_out(&volatile, field)) {
            Some(field) => Err(RulesError::NeverCompared { pointer: field.as_str().to_owned() }),
            None => Ok(()),
        }
    }

    /// Whether a field is always taken out as volatile, so that nothing can be read from it.
    ///
    /// # Errors
    /// A `volatile` list that [`Rules::validate`] would refuse.
    pub fn strips(&self, field: &Pointer) -> Result<bool, RulesError> {
        Ok(self.takes_out(&self.volatile_pointers()?, field))
    }

    fn takes_out(&self, volatile: &[Pointer], field: &Pointer) -> bool {
        field.tokens().iter().any(|token| self.is_volatile_name(token))
            || volatile.iter().any(|taken| field.tokens().starts_with(taken.tokens()))
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
    /// A list that [`Rules::validate`] would refuse, or a field that is there but can't be normalised.
    pub fn apply(&self, mut value: Value) -> Result<Value, RulesError> {
        let volatile = self.volatile_pointers()?;
        for pointer in &volatile {
            for place in pointer.places(&value).iter().rev() {
                remove(&mut value, place);
            }
        }
        self.strip_names(&mut value);
        change(&mut value, "trimmed", &self.trimmed, |_, text| Ok(text.trim().to_owned()))?;
        change(&mut value, "urls", &self.urls, |place, text| {
            url::normalise(text).map_err(|source| RulesError::BadUrl { pointer: place.to_owned(), source })
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

    fn is_volatile_name(&self, name: &str) -> bool {
        BUILT_IN_VOLATILE.contains(&name) || self.volatile.iter().any(|entry| entry == name)
    }

    fn volatile_pointers(&self) -> Result<Vec<Pointer>, RulesError> {
        let (entries, names): (Vec<_>, Vec<_>) =
            self.volatile.iter().cloned().partition(|entry| entry.starts_with('/'));
        match names.into_iter().find(|name| name.is_empty() || name.contains('/')) {
            Some(entry) => Err(RulesError::BadName { entry }),
            None => pointers("volatile", &entries),
        }
    }

    fn strip_names(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| !self.is_volatile_name(name));
                members.values_mut().for_each(|member| self.strip_names(member));
            }
            Value::Array(elements) => elements.iter_mut().for_each(|element| self.strip_names(element)),
            _ => {}
        }
    }
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

/// Takes out the place that a concrete pointer names.
fn remove(value: &mut Value, place: &str) {
    let Some((parent, token)) = place.rsplit_once('/') else { return };
    match value.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.remove(&token.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(elements)) => {
            if let Some(index) = array_index(token).filter(|index| *index < elements.len()) {
                elements.remove(index);
            }
        }
        _ => {}
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
