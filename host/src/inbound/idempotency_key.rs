//! `Idempotency-Key`: the header that makes an act of a caller one act, however often it is sent.
//!
//! Owns the reading of the header after the IETF draft (draft-ietf-httpapi-idempotency-key-header): a string in double quotes, as
//! RFC 8941 writes one. Many clients send the key bare, without quotes; that is accepted too, and both are the same key.
//!
//! Refuses a header that is there twice, a key that is blank or longer than [`KEY_LIMIT_BYTES`], parameters, and bare keys with
//! spaces, commas or quotes, which may be two keys that a proxy put in one line. The [`IdempotencyKeyError`] says what to send.

use std::fmt;

use crate::inbound::headers::HeaderError;
use crate::inbound::headers::Headers;

/// The header.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The longest key: it stands in the ledger beside what was answered, and a UUID needs 36 bytes.
pub const KEY_LIMIT_BYTES: usize = 255;

/// The key of an act: printable ASCII, not blank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

/// Why a header is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdempotencyKeyError {
    /// The header can't be read.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// There is nothing between the quotes.
    #[error(
        "read the header `{IDEMPOTENCY_KEY}`: the key is blank; send a fresh UUID for each act, and the same one with its repeats"
    )]
    Blank,
    /// It is too long.
    #[error(
        "read the header `{IDEMPOTENCY_KEY}`: the key has {bytes} bytes and the limit is {KEY_LIMIT_BYTES}; send a UUID, or a hash of what you have"
    )]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It is neither a quoted string nor a bare key.
    #[error(
        "read the header `{IDEMPOTENCY_KEY}`: {problem}; send one key in double quotes, with `\\` before each `\"` and `\\` in it"
    )]
    Malformed {
        /// What is wrong.
        problem: &'static str,
    },
}

impl IdempotencyKey {
    /// Reads the key of a request; none where it has none.
    ///
    /// ```
    /// use onceward::inbound::headers::Headers;
    /// use onceward::inbound::idempotency_key::IdempotencyKey;
    ///
    /// let quoted = Headers::new([("Idempotency-Key", b"\"8e03978e\"".as_slice())]);
    /// let bare = Headers::new([("idempotency-key", b"8e03978e".as_slice())]);
    /// let key = IdempotencyKey::read(&quoted)?.ok_or("there is one")?;
    /// assert_eq!(key.as_str(), "8e03978e");
    /// assert_eq!(IdempotencyKey::read(&bare)?, Some(key));
    /// assert_eq!(IdempotencyKey::read(&Headers::new([]))?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The header is there twice, or holds no key.
    pub fn read(headers: &Headers<'_>) -> Result<Option<Self>, IdempotencyKeyError> {
        headers.get(IDEMPOTENCY_KEY)?.map(Self::parse).transpose()
    }

    /// Reads the header's value.
    ///
    /// # Errors
    /// It holds no key.
    pub fn parse(value: &str) -> Result<Self, IdempotencyKeyError> {
        let malformed = |problem| IdempotencyKeyError::Malformed { problem };
        let key = match value.strip_prefix('"') {
            Some(quoted) => unquote(quoted).map_err(malformed)?,
            None if value.bytes().all(is_bare) => value.to_owned(),
            None => {
                return Err(malformed(
                    "a key without quotes holds a space, a comma, a quote or no printable ASCII",
                ));
            }
        };
        if key.trim().is_empty() {
            return Err(IdempotencyKeyError::Blank);
        }
        if key.len() > KEY_LIMIT_BYTES {
            return Err(IdempotencyKeyError::TooLong { bytes: key.len() });
        }
        Ok(Self(key))
    }

    /// The key itself, without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn is_bare(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',')
}

/// An RFC 8941 string after its first quote.
fn unquote(quoted: &str) -> Result<String, &'static str> {
    let mut key = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    loop {
        match characters.next() {
            None => return Err("the quote is not closed"),
            Some('"') if characters.as_str().is_empty() => return Ok(key),
            Some('"') => return Err("there is something after the closing quote"),
            Some('\\') => match characters.next() {
                Some(escaped @ ('"' | '\\')) => key.push(escaped),
                _ => return Err("a `\\` escapes something other than `\"` and `\\`"),
            },
            Some(plain @ ' '..='~') => key.push(plain),
            Some(_) => return Err("it holds something that is no printable ASCII"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_is_the_same_with_and_without_quotes() {
        let check = |value: &str, key: &str| {
            assert_eq!(IdempotencyKey::parse(value).as_ref().map(IdempotencyKey::as_str), Ok(key), "{value}");
        };
        check("\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", "8e03978e-40d5-43dd-bc93-6894a57f9324");
        check("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324");
        check("order:42/a+b=;c", "order:42/a+b=;c");
        check(r#""a \"b\" \\ c, d""#, r#"a "b" \ c, d"#);
        let longest = "k".repeat(KEY_LIMIT_BYTES);
        check(&longest, &longest);
        check(&format!("\"{longest}\""), &longest);
    }

    #[test]
    fn what_may_be_two_keys_or_none_is_refused() {
        let check = |value: &str, says: &str| {
            let said = IdempotencyKey::parse(value).expect_err(value).to_string();
            assert!(said.contains(says) && said.contains("`idempotency-key`"), "{value}: {said}");
        };
        check("\"\"", "blank");
        check("\"  \"", "blank");
        check("", "blank");
        check("a, b", "without quotes");
        check("a,b", "without quotes");
        check("a\"b", "without quotes");
        check("ä", "without quotes");
        check("\"a", "not closed");
        check("\"a\\", "escapes");
        check("\"a\\n\"", "escapes");
        check("\"a\"; b=1", "after the closing quote");
        check("\"a\", \"b\"", "after the closing quote");
        check("\"ä\"", "printable ASCII");
        check(&"k".repeat(KEY_LIMIT_BYTES + 1), "256 bytes");
    }

    #[test]
    fn a_header_that_is_there_twice_is_refused() {
        let twice = Headers::new([("Idempotency-Key", b"a".as_slice()), ("idempotency-key", b"a")]);
        let said = IdempotencyKey::read(&twice).expect_err("twice").to_string();
        assert!(said.contains("`idempotency-key`") && said.contains("send it once"), "{said}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_printable_key_comes_back_from_its_quotes(key in "[ -~]{0,254}[!-~]") {
            let quoted = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
            prop_assert_eq!(IdempotencyKey::parse(&quoted).map(|read| read.0), Ok(key));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = IdempotencyKey::read(&Headers::new([(IDEMPOTENCY_KEY, bytes.as_slice())]));
        }
    }
}
