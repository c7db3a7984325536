//! The headers of a request, as names and bytes.
//!
//! Owns the reading of one header that may be there once. Refuses one that is there twice, since two readers could take
//! different ones; one that is empty; and bytes that are no printable ASCII. The [`HeaderError`] names the header.

use std::fmt;

/// Headers as they came.
///
/// ```
/// use onceward::inbound::headers::Headers;
///
/// let headers = Headers::new([("webhook-id", b"msg_1".as_slice())]);
/// assert_eq!(headers.get("Webhook-Id"), Ok(Some("msg_1")));
/// assert_eq!(headers.get("webhook-timestamp"), Ok(None));
/// ```
#[derive(Clone)]
pub struct Headers<'a> {
    lines: Vec<(&'a str, &'a [u8])>,
}

/// Why a header could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// It is not there.
    #[error("read the header `{name}`: it is missing; send it with every request")]
    Missing {
        /// The header.
        name: String,
    },
    /// It is there more than once.
    #[error(
        "read the header `{name}`: it is there more than once, and nobody can say which counts; send it once"
    )]
    Repeated {
        /// The header.
        name: String,
    },
    /// It has no value.
    #[error("read the header `{name}`: it is empty; give it a value, or leave it out")]
    Blank {
        /// The header.
        name: String,
    },
    /// Its bytes are no printable ASCII.
    #[error("read the header `{name}`: it holds bytes that are no printable ASCII; encode them")]
    NotAscii {
        /// The header.
        name: String,
    },
}

impl<'a> Headers<'a> {
    /// Takes names, in any case, and values.
    #[must_use]
    pub fn new(lines: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        Self { lines: lines.into_iter().collect() }
    }

    /// The value of a header, without the white space around it; none where it is not there.
    ///
    /// # Errors
    /// It is there twice, empty or no printable ASCII.
    pub fn get(&self, name: &str) -> Result<Option<&'a str>, HeaderError> {
        let mut values = self.lines.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let Some((_, bytes)) = values.next() else { return Ok(None) };
        let named = || name.to_owned();
        if values.next().is_some() {
            return Err(HeaderError::Repeated { name: named() });
        }
        let printable = bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
        let text = std::str::from_utf8(bytes).ok().filter(|_| printable);
        let value = text.ok_or_else(|| HeaderError::NotAscii { name: named() })?.trim();
        if value.is_empty() { Err(HeaderError::Blank { name: named() }) } else { Ok(Some(value)) }
    }

    /// The value of a header that must be there.
    ///
    /// # Errors
    /// It is missing, or as for [`Headers::get`].
    pub fn required(&self, name: &str) -> Result<&'a str, HeaderError> {
        self.get(name)?.ok_or_else(|| HeaderError::Missing { name: name.to_owned() })
    }

    /// Whether some header's name begins so.
    pub(crate) fn any_begins(&self, prefix: &str) -> bool {
        let begins =
            |name: &str| name.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix));
        self.lines.iter().any(|(name, _)| begins(name))
    }
}

/// The names alone: among the values are credentials.
impl fmt::Debug for Headers<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.lines.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_nobody_can_read_alike_is_refused_by_name() {
        let headers = Headers::new([
            ("twice", b"a".as_slice()),
            ("Twice", b"a"),
            ("empty", b" \t"),
            ("umlaut", "ä".as_bytes()),
            ("control", b"a\x7fb"),
            ("no-text", b"\xff"),
            ("spaced", b"\t a b "),
        ]);
        let name = |name: &str| name.to_owned();
        assert_eq!(headers.get("twice"), Err(HeaderError::Repeated { name: name("twice") }));
        assert_eq!(headers.get("EMPTY"), Err(HeaderError::Blank { name: name("EMPTY") }));
        for wrong in ["umlaut", "control", "no-text"] {
            assert_eq!(headers.get(wrong), Err(HeaderError::NotAscii { name: name(wrong) }));
        }
        assert_eq!(headers.get("spaced"), Ok(Some("a b")));
        assert_eq!(headers.required("absent"), Err(HeaderError::Missing { name: name("absent") }));
        assert!(headers.any_begins("TW") && !headers.any_begins("ce-"));
    }

    #[test]
    fn values_are_not_printed() {
        let headers = Headers::new([("authorization", b"Bearer hidden".as_slice())]);
        assert_eq!(format!("{headers:?}"), "[\"authorization\"]");
    }
}
