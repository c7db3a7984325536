//! Caller keys: what is the same work where no step, but a program outside, says it.
//!
//! Owns the byte layout of these identities. They have labels of their own, so that a scope that happens to be named
//! like a step shares nothing with it. The content that comes with a key is compared and never hashed into it; it
//! loses the volatile fields that every payload loses, since a retry carries fresh ones.
//!
//! Refuses a blank, too long or unspeakable key, and content that has no single meaning.

use crate::identity::builtin;
use crate::identity::event::EVENT_LIMIT_BYTES;
use crate::identity::event::KEY_FIELD_LIMIT_BYTES;
use crate::identity::json_text::JsonError;
use crate::identity::json_text::parse;
use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use crate::identity::key::digest;
use crate::identity::readable_key::readable_key;
use crate::identity::rules::Rules;
use crate::identity::rules::RulesError;
use crate::identity::work_id::Identified;

/// The version of these identities. Callers have no contract whose version could be raised.
pub const CALLER_KEY_VERSION: u32 = 1;

/// Why a caller's key is no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallerKeyError {
    /// The key is blank: a missing identity is never an empty text.
    #[error(
        "read a claim's key: it is blank; give what makes this the same work, such as the order's number"
    )]
    Blank,
    /// The key is too long.
    #[error(
        "read a claim's key: it has {bytes} bytes and the limit is {KEY_FIELD_LIMIT_BYTES}; give a key there, and the rest as content"
    )]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The key holds U+0000, which not every backend's text can hold.
    #[error("read a claim's key: it holds the character U+0000, which can't stand in a key; leave it out")]
    Nul,
    /// The content is too large.
    #[error(
        "read a claim's content: it has {bytes} bytes and the limit is {EVENT_LIMIT_BYTES}; give the fields that must agree"
    )]
    ContentTooLarge {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The content is no JSON with a single meaning.
    #[error("read a claim's content: it is not acceptable JSON; correct it, or leave it out")]
    Content {
        /// What is wrong and where.
        #[source]
        source: JsonError,
    },
    /// The content can't be normalised.
    #[error("read a claim's content: it can't be normalised; correct it, or leave it out")]
    Rules {
        /// Which rule, and why.
        #[source]
        source: RulesError,
    },
}

/// Says what work a caller's key is within its scope.
///
/// The work id is the digest of `onceward/caller-work` over namespace, scope and key; the root key that of
/// `onceward/caller-root` over the same. Without content, the content hash is that of no content, so that a repeat must
/// leave it out as well.
///
/// ```
/// use onceward::identity::caller_key::identify_key;
///
/// let first = identify_key("sales", "invoices", "2026-07", Some(r#"{"total": 1.0}"#))?;
/// let repeat = identify_key("sales", "invoices", "2026-07", Some(r#"{"request_id": "x", "total": 1}"#))?;
/// assert_eq!(first, repeat);
/// let other = identify_key("sales", "invoices", "2026-07", None)?;
/// assert!(first.work_id == other.work_id && first.content_hash != other.content_hash);
/// # Ok::<(), onceward::identity::caller_key::CallerKeyError>(())
/// ```
///
/// # Errors
/// [`CallerKeyError`] says what was refused and what to give.
pub fn identify_key(
    namespace: &str,
    scope: &str,
    key: &str,
    content: Option<&str>,
) -> Result<Identified, CallerKeyError> {
    if key.trim().is_empty() {
        return Err(CallerKeyError::Blank);
    }
    if key.len() > KEY_FIELD_LIMIT_BYTES {
        return Err(CallerKeyError::TooLong { bytes: key.len() });
    }
    if key.contains('\0') {
        return Err(CallerKeyError::Nul);
    }
    let parts = [namespace.as_bytes(), scope.as_bytes(), key.as_bytes()];
    Ok(Identified {
        work_id: WorkId::from_bytes(digest("onceward/caller-work", &parts)),
        root_key: RootKey::from_bytes(digest("onceward/caller-root", &parts)),
        readable_key: readable_key(scope, CALLER_KEY_VERSION, &[key.to_owned()]),
        content_hash: content_hash(content)?,
    })
}

fn content_hash(content: Option<&str>) -> Result<ContentHash, CallerKeyError> {
    let Some(text) = content else {
        return Ok(ContentHash::from_bytes(digest("onceward/no-content", &[])));
    };
    if text.len() > EVENT_LIMIT_BYTES {
        return Err(CallerKeyError::ContentTooLarge { bytes: text.len() });
    }
    let value = parse(text).map_err(|source| CallerKeyError::Content { source })?;
    let refused = |source| CallerKeyError::Rules { source };
    // No contract records a revision here, so that it stays the first one for ever.
    let rules = Rules { builtin: builtin::FIRST, ..Rules::default() };
    let normal = rules.apply(value).map_err(refused)?;
    rules.content_hash_of_normal(&normal).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::{CallerKeyError, identify_key};

    #[test]
    fn a_key_is_its_own_within_namespace_and_scope() {
        let id = |namespace: &str, scope: &str, key: &str| {
            identify_key(namespace, scope, key, None).unwrap().work_id
        };
        let first = id("a", "b", "c");
        assert_eq!(first, id("a", "b", "c"));
        for other in [id("ab", "", "c"), id("x", "b", "c"), id("a", "x", "c"), id("a", "b", "C")] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for (key, expected) in [
            ("  ", CallerKeyError::Blank),
            ("a\0b", CallerKeyError::Nul),
            (&"x".repeat(2049), CallerKeyError::TooLong { bytes: 2049 }),
        ] {
            assert_eq!(identify_key("n", "s", key, None), Err(expected));
        }
        let twice = identify_key("n", "s", "k", Some(r#"{"a":1,"a":2}"#));
        assert!(matches!(twice, Err(CallerKeyError::Content { .. })), "{twice:?}");
    }
}
