//! Keys: 32-byte hashes, each with the name of what it identifies.
//!
//! Owns the six key types and [`digest`], the only place where the room hashes. A key of one kind can't be
//! passed for another, and every part of a digest carries its length, so no two lists of parts are hashed as
//! the same bytes.
//!
//! Refuses slices that are not 32 bytes and text that is not 64 lower-case hex digits; the [`KeyError`] names
//! the type.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;
use sha2::Digest as _;
use sha2::Sha256;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Length of every key: the output of SHA-256.
pub const KEY_LENGTH_BYTES: usize = 32;

/// Length of a key's text: two hex digits a byte.
pub const KEY_TEXT_LENGTH_BYTES: usize = 2 * KEY_LENGTH_BYTES;

/// What a key's text looks like, for API descriptions.
const KEY_TEXT_PATTERN: &str = "^[0-9a-f]{64}$";

/// Why bytes or text could not be read as a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The slice is not [`KEY_LENGTH_BYTES`] long.
    #[error(
        "read a {name} from bytes: got {bytes} bytes, but it has exactly 32; pass the stored blob unchanged"
    )]
    Length {
        /// The type that was asked for.
        name: &'static str,
        /// How many bytes came.
        bytes: usize,
    },
    /// The text is not [`KEY_TEXT_LENGTH_BYTES`] lower-case hex digits.
    #[error(
        "read a {name} from text: it must be exactly 64 lower-case hex digits; \
         copy the whole key as it was shown"
    )]
    Text {
        /// The type that was asked for.
        name: &'static str,
    },
}

/// Hashes a label and a list of parts with SHA-256.
///
/// The hashed bytes are: the label's length, the label, the number of parts, and each part's length and
/// bytes. Lengths are counted in bytes; lengths and the count are unsigned 64-bit integers, big-endian. So
/// parts that touch can't be shifted into each other, and two labels never share a hash.
///
/// ```
/// use onceward::identity::key::digest;
///
/// assert_ne!(digest("demo", &[b"ab", b"c"]), digest("demo", &[b"a", b"bc"]));
/// assert_ne!(digest("demo", &[b""]), digest("demo", &[]));
/// ```
pub fn digest(label: &str, parts: &[&[u8]]) -> [u8; KEY_LENGTH_BYTES] {
    let mut hasher = Sha256::new();
    hash_prefixed(&mut hasher, label.as_bytes());
    hasher.update(length_prefix(parts.len()));
    for part in parts {
        hash_prefixed(&mut hasher, part);
    }
    hasher.finalize().into()
}

fn hash_prefixed(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update(length_prefix(bytes.len()));
    hasher.update(bytes);
}

fn length_prefix(length: usize) -> [u8; 8] {
    u64::try_from(length).expect("usize is at most 64 bits wide on every supported target").to_be_bytes()
}

fn write_hex(bytes: &[u8; KEY_LENGTH_BYTES], out: &mut fmt::Formatter<'_>) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; KEY_TEXT_LENGTH_BYTES];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 0x0f)];
    }
    out.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
}

fn read_hex(name: &'static str, text: &str) -> Result<[u8; KEY_LENGTH_BYTES], KeyError> {
    let refused = KeyError::Text { name };
    if text.len() != KEY_TEXT_LENGTH_BYTES {
        return Err(refused);
    }
    let mut bytes = [0; KEY_LENGTH_BYTES];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        match (hex_digit(pair[0]), hex_digit(pair[1])) {
            (Some(high), Some(low)) => *byte = high << 4 | low,
            _ => return Err(refused),
        }
    }
    Ok(bytes)
}

/// A key as an API description tells it: its text.
fn text_schema() -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(KEY_TEXT_PATTERN)).into()
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; KEY_LENGTH_BYTES]);

        impl $name {
            /// Takes the 32 bytes as they are, without hashing them.
            pub const fn from_bytes(bytes: [u8; KEY_LENGTH_BYTES]) -> Self {
                Self(bytes)
            }

            /// The 32 bytes, as the store keeps them.
            pub const fn as_bytes(&self) -> &[u8; KEY_LENGTH_BYTES] {
                &self.0
            }
        }

        impl TryFrom<&[u8]> for $name {
            type Error = KeyError;

            fn try_from(bytes: &[u8]) -> Result<Self, KeyError> {
                match <[u8; KEY_LENGTH_BYTES]>::try_from(bytes) {
                    Ok(bytes) => Ok(Self(bytes)),
                    Err(_) => Err(KeyError::Length { name: stringify!($name), bytes: bytes.len() }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_hex(&self.0, out)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = KeyError;

            fn from_str(text: &str) -> Result<Self, KeyError> {
                read_hex(stringify!($name), text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                text_schema()
            }
        }

        impl ToSchema for $name {}
    };
}

key! {
    /// Names one work: namespace, step, contract version and identity values.
    ///
    /// ```
    /// use onceward::identity::key::WorkId;
    ///
    /// let id = WorkId::from_bytes([0xab; 32]);
    /// assert_eq!(id.to_string().parse(), Ok(id));
    /// ```
    WorkId
}
key! {
    /// Names what a work is about, whatever the contract's version: effects and follow-ups hang on it.
    RootKey
}
key! {
    /// Names one outbox row: one intended effect at one destination.
    RowId
}
key! {
    /// Names one question to a model, so that its answer is found again.
    CacheKey
}
key! {
    /// Names the text of an answer, so that a person approves what was shown and nothing else.
    AnswerHash
}
key! {
    /// Names the compared content of an event: the same key with another content is a mismatch.
    ContentHash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_documented_byte_layout() {
        let mut bytes = Vec::new();
        for piece in [
            &4u64.to_be_bytes()[..],
            b"demo",
            &2u64.to_be_bytes(),
            &1u64.to_be_bytes(),
            b"a",
            &0u64.to_be_bytes(),
        ] {
            bytes.extend_from_slice(piece);
        }
        assert_eq!(digest("demo", &[b"a", b""]), <[u8; 32]>::from(Sha256::digest(&bytes)));
    }

    #[test]
    fn parts_never_run_into_each_other() {
        let lists: [&[&[u8]]; 6] = [&[], &[b""], &[b"", b""], &[b"ab", b"c"], &[b"a", b"bc"], &[b"abc"]];
        for (left_at, left) in lists.iter().enumerate() {
            for right in &lists[left_at + 1..] {
                assert_ne!(digest("x", left), digest("x", right), "{left:?} and {right:?}");
            }
        }
        assert_ne!(digest("ab", &[b"c"]), digest("a", &[b"bc"]));
    }

    #[test]
    fn text_and_json_give_the_key_back() {
        let key = RowId::from_bytes(digest("row", &[]));
        assert_eq!(key.to_string().parse(), Ok(key));
        let json = serde_json::to_string(&key).expect("a key is a string");
        assert_eq!(json, format!("\"{key}\""));
        assert_eq!(serde_json::from_str::<RowId>(&json).expect("its own text"), key);
        assert_eq!(RowId::try_from(&key.as_bytes()[..]), Ok(key));
        let schema = serde_json::to_value(RowId::schema()).expect("a schema is JSON");
        assert_eq!(schema, serde_json::json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }));
    }

    #[test]
    fn an_error_names_the_type_that_was_asked_for() {
        for text in ["", "ab", &"AB".repeat(32), &"g0".repeat(32), &"ü".repeat(32)] {
            let error = text.parse::<CacheKey>().expect_err(text);
            assert_eq!(error, KeyError::Text { name: "CacheKey" });
        }
        let error = WorkId::try_from(&[0u8; 31][..]).expect_err("31 bytes");
        assert!(error.to_string().contains("WorkId") && error.to_string().contains("31"), "{error}");
        assert_eq!(format!("{:?}", RootKey::from_bytes([1; 32])), format!("RootKey({})", "01".repeat(32)));
    }
}
