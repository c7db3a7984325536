//! Pointers: the names that a contract gives to fields (RFC 6901, JSON Pointer).
//!
//! Owns the parsing of a pointer and the walk to the places it names. One addition to the RFC: the token `*`
//! stands for every element of an array or every member of an object. A member that is literally called `*`
//! is matched with the rest and can't be named alone.
//!
//! Refuses text that is no pointer, and the empty pointer, which would name the whole payload where a field
//! is meant. A pointer that names nothing in a value is no error here: whether a field may be absent is its
//! user's question.

use serde_json::Value;

/// The longest pointer, or member's name, that a contract may declare. Payloads nest 128 levels at most, and a path
/// that a person wrote stays far below.
pub const POINTER_LIMIT_BYTES: usize = 512;

/// The token that stands for every element or member.
const WILDCARD: &str = "*";

/// Why a text could not be read as a pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointerError {
    /// The text is empty or does not begin with a slash.
    #[error(
        "read `{text}` as a JSON Pointer: it must begin with `/` and name a field; \
         write it like `/customer/id`"
    )]
    NoSlash {
        /// The text as it was given.
        text: String,
    },
    /// A `~` is not followed by `0` or `1`.
    #[error(
        "read `{text}` as a JSON Pointer: `~` must be followed by 0 or 1; write `~0` for `~` and `~1` for `/`"
    )]
    BadEscape {
        /// The text as it was given.
        text: String,
    },
}

/// A parsed JSON Pointer with at least one token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    text: String,
    tokens: Vec<String>,
}

impl Pointer {
    /// Reads a pointer such as `/items/*/url`.
    ///
    /// # Errors
    /// [`PointerError`] says which rule of RFC 6901 the text breaks.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(PointerError::NoSlash { text: text.to_owned() });
        };
        let tokens = rest.split('/').map(unescape).collect::<Option<Vec<_>>>();
        match tokens {
            Some(tokens) => Ok(Self { text: text.to_owned(), tokens }),
            None => Err(PointerError::BadEscape { text: text.to_owned() }),
        }
    }

    /// The text that was parsed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The unescaped tokens, outermost first; never empty.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The name of the field itself: the last token.
    pub fn last(&self) -> &str {
        self.tokens.last().expect("a parsed pointer has at least one token")
    }

    /// Whether some token is `*`, so that the pointer can name more than one place.
    pub fn is_wild(&self) -> bool {
        self.tokens.iter().any(|token| token == WILDCARD)
    }

    /// The concrete pointers of all places in `value` that this one names, in document order; empty where
    /// there is none.
    ///
    /// ```
    /// use onceward::identity::pointer::Pointer;
    ///
    /// let pointer = Pointer::parse("/items/*/url")?;
    /// let value = serde_json::json!({"items": [{"url": "a"}, {}, {"url": "b"}]});
    /// assert_eq!(pointer.places(&value), ["/items/0/url", "/items/2/url"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn places(&self, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        walk(value, &self.tokens, &mut String::new(), &mut found);
        found
    }
}

/// Appends one token to a pointer's text, escaped as RFC 6901 asks.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}

/// The place in an array that a token names: digits without leading zeros.
fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    plain.then(|| token.parse().ok()).flatten()
}

/// Whether a token is `*`.
pub(crate) fn is_wildcard(token: &str) -> bool {
    token == WILDCARD
}

fn unescape(token: &str) -> Option<String> {
    let mut pieces = token.split('~');
    let mut plain = pieces.next()?.to_owned();
    for piece in pieces {
        let (escaped, rest) = (piece.as_bytes().first()?, &piece.get(1..)?);
        plain.push(match escaped {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        plain.push_str(rest);
    }
    Some(plain)
}

fn walk(value: &Value, tokens: &[String], at: &mut String, found: &mut Vec<String>) {
    let Some((token, rest)) = tokens.split_first() else {
        found.push(at.clone());
        return;
    };
    let here = at.len();
    let mut step = |name: &str, child: &Value| {
        push_token(at, name);
        walk(child, rest, at, found);
        at.truncate(here);
    };
    match value {
        Value::Object(members) if is_wildcard(token) => {
            members.iter().for_each(|(name, child)| step(name, child))
        }
        Value::Array(elements) if is_wildcard(token) => {
            elements.iter().enumerate().for_each(|(index, child)| step(&index.to_string(), child));
        }
        Value::Object(members) => {
            if let Some(child) = members.get(token) {
                step(token, child);
            }
        }
        Value::Array(elements) => {
            if let Some(child) = array_index(token).and_then(|index| elements.get(index)) {
                step(token, child);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let value =
            json!({"a": {"b/c": 1, "d~e": 2, "": 3}, "list": [{"x": 1}, {"y": 2}, {"x": null}], "01": 4});
        let pointer = Pointer::parse(text).expect(text);
        assert_eq!(pointer.places(&value), expected, "{text}");
        for place in expected {
            assert!(value.pointer(place).is_some(), "{place} must be found by the same name elsewhere");
        }
    }

    #[test]
    fn a_pointer_finds_the_places_it_names() {
        check("/a", &["/a"]);
        check("/a/b~1c", &["/a/b~1c"]);
        check("/a/d~0e", &["/a/d~0e"]);
        check("/a/", &["/a/"]);
        check("/list/*/x", &["/list/0/x", "/list/2/x"]);
        check("/list/1/y", &["/list/1/y"]);
        check("/01", &["/01"]);
        check("/list/01", &[]);
        check("/list/-", &[]);
        check("/list/99999999999999999999999", &[]);
        check("/list/+1", &[]);
        check("/list/", &[]);
        check("/missing/x", &[]);
        check("/a/*", &["/a/", "/a/b~1c", "/a/d~0e"]);
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        for text in ["", "a", "a/b", " /a"] {
            assert_eq!(Pointer::parse(text), Err(PointerError::NoSlash { text: text.to_owned() }));
        }
        for text in ["/a~", "/~2", "/a~é", "/~~0"] {
            assert_eq!(Pointer::parse(text), Err(PointerError::BadEscape { text: text.to_owned() }));
        }
    }
}
