//! A credential on its way out, and nowhere else.
//!
//! Owns [`Secret`]: an `Authorization` header's value that can't be printed, compared or serialised, and that
//! removes itself from replies that echo it. It refuses values that can't be a header; the connector reports
//! that with the account's name.

use std::fmt;

use reqwest::header::HeaderValue;
use reqwest::header::InvalidHeaderValue;

/// What stands in the place of a credential, wherever one is found.
const REDACTED: &str = "[redacted]";

/// A credential without its scheme is only searched for from this length on, since replacing every "a" would
/// garble the reply and protect nothing.
const SEARCHED_CREDENTIAL_MIN_BYTES: usize = 6;

/// The value of an `Authorization` header, such as `Bearer …` or `Basic …`.
///
/// ```
/// use onceward::connectors::Secret;
/// let secret = Secret::new("Bearer sk-1234567");
/// assert_eq!(format!("{secret} {secret:?}"), "[redacted] Secret([redacted])");
/// assert_eq!(secret.redact("no such token: sk-1234567"), "no such token: [redacted]");
/// ```
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a whole header value; spaces at both ends are dropped.
    #[must_use]
    pub fn new(header_value: impl Into<String>) -> Secret {
        Secret(header_value.into().trim().to_owned())
    }

    /// `text` with the credential taken out, with and without its scheme, and also as JSON would escape it.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let credential = self.0.split_once(' ').map_or("", |(_scheme, rest)| rest.trim());
        let mut clean = text.to_owned();
        for (found, least) in [(self.0.as_str(), 1), (credential, SEARCHED_CREDENTIAL_MIN_BYTES)] {
            if found.len() < least {
                continue;
            }
            let escaped = found.replace('\\', "\\\\").replace('"', "\\\"");
            for form in [found, &escaped, &escaped.replace('/', "\\/")] {
                clean = clean.replace(form, REDACTED);
            }
        }
        clean
    }

    /// The header's value, marked so that the HTTP client does not print it either.
    ///
    /// # Errors
    /// It holds a line break or another control character. The error does not show it.
    pub fn header(&self) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = HeaderValue::from_str(&self.0)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({REDACTED})")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echoed_credential_is_taken_out_in_every_form() {
        let check = |secret: &str, text: &str, expected: &str| {
            assert_eq!(Secret::new(secret).redact(text), expected);
        };
        check("Bearer abc/def=", "got Bearer abc/def=!", "got [redacted]!");
        check("Bearer abc/def=", "token abc/def=", "token [redacted]");
        check("Bearer abc/def=", r#"{"t":"abc\/def="}"#, r#"{"t":"[redacted]"}"#);
        check("key\"x", r#"{"t":"key\"x"}"#, r#"{"t":"[redacted]"}"#);
        check("Bearer ab", "a cab", "a cab");
        check("", "untouched", "untouched");
    }

    #[test]
    fn a_line_break_is_no_header() {
        assert!(Secret::new("Bearer a\r\nX-Admin: 1").header().is_err());
        assert!(Secret::new("Bearer a").header().unwrap().is_sensitive());
    }
}
