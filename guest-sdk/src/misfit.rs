//! JSON text that does not fit a Rust type, and where.
//!
//! It owns the one way in which this crate reads JSON: an error names the place as a JSON Pointer (RFC 6901), since
//! a line and a column say little about text that a machine wrote. It refuses nothing that serde accepts.

use serde::de::DeserializeOwned;
use std::error::Error;
use std::fmt;

/// JSON text did not fit the Rust type that it was read into.
///
/// The source is serde's own error: what was found, and what the type wants.
#[derive(Debug)]
pub struct Misfit {
    pointer: String,
    source: serde_json::Error,
}

impl Misfit {
    /// The place as a JSON Pointer (RFC 6901). For a missing field it is the object that lacks it; the source names
    /// the field. Empty: the whole text.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => write!(out, "the JSON as a whole does not fit the step's Rust type"),
            pointer => write!(out, "the JSON does not fit the step's Rust type at `{pointer}`"),
        }
    }
}

impl Error for Misfit {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// An error and its causes on one line, for a reason or a note that a person reads.
///
/// ```
/// use onceward_guest::explain;
///
/// let error = "x".parse::<u8>().expect_err("not a number");
/// assert_eq!(explain(&error), "invalid digit found in string");
/// ```
pub fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// Read JSON text into a Rust type.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Misfit> {
    serde_json::from_str(text).map_err(|source| {
        let line_start =
            text.split_inclusive('\n').take(source.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let offset_bytes = line_start.saturating_add(source.column()).min(text.len());
        Misfit { pointer: pointer_at(&text.as_bytes()[..offset_bytes]), source }
    })
}

/// An object or an array that has been opened and not closed.
enum Open {
    /// The member being read, and whether a member's name comes next.
    Object { name: String, name_is_next: bool },
    /// The index of the element being read.
    Array { index: usize },
}

/// The place where JSON text was cut off. serde has consumed exactly these bytes when it finds a misfit, so the
/// place is that of the offending value; or of its object, where a field is missing, for that has been closed.
fn pointer_at(consumed: &[u8]) -> String {
    let mut open = Vec::new();
    let mut bytes = consumed.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'{' => open.push(Open::Object { name: String::new(), name_is_next: true }),
            b'[' => open.push(Open::Array { index: 0 }),
            b'}' | b']' => drop(open.pop()),
            b',' => match open.last_mut() {
                Some(Open::Object { name_is_next, .. }) => *name_is_next = true,
                Some(Open::Array { index }) => *index += 1,
                None => {}
            },
            b'"' => {
                let mut end = consumed.len();
                while let Some((here, byte)) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => {
                            end = here;
                            break;
                        }
                        _ => {}
                    }
                }
                if let Some(Open::Object { name, name_is_next: next @ true }) = open.last_mut() {
                    *name = String::from_utf8_lossy(&consumed[at + 1..end]).into_owned();
                    *next = false;
                }
            }
            _ => {}
        }
    }
    open.iter().map(token).collect()
}

/// One token of a JSON Pointer with the slash before it.
fn token(open: &Open) -> String {
    match open {
        Open::Object { name, .. } if name.is_empty() => String::new(),
        Open::Object { name, .. } => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        Open::Array { index } => format!("/{index}"),
    }
}

#[cfg(test)]
mod tests {
    use super::explain;
    use super::read;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only the reading matters")]
    struct Lead {
        id: String,
        contact: Contact,
        #[serde(default)]
        tags: Vec<Tag>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only the reading matters")]
    struct Contact {
        email: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Tag {
        Hot,
        Cold,
    }

    fn check(text: &str, pointer: &str, says: &str) {
        let misfit = read::<Lead>(text).expect_err(text);
        assert_eq!(misfit.pointer(), pointer, "{text}");
        assert!(explain(&misfit).contains(says), "{text}: {}", explain(&misfit));
    }

    #[test]
    fn a_misfit_names_its_place() {
        check(r#"{"id": 7, "contact": {"email": "a"}}"#, "/id", "integer `7`");
        check(r#"{"contact": {"email": null}, "id": "1"}"#, "/contact/email", "null");
        check("{\"id\": \"1\",\n \"contact\": {\n  \"email\": [1]}}", "/contact/email", "sequence");
        check(r#"{"id": "a\"}{,", "contact": 5}"#, "/contact", "integer `5`");
        check(
            r#"{"id": "1", "tags": ["hot", "cold", "warm"], "contact": {"email": "a"}}"#,
            "/tags/2",
            "`warm`",
        );
        check(r#"{"id": "1", "tags": ["hot", {}], "contact": {"email": "a"}}"#, "/tags/1", "");
        check("[]", "", "");
        check("", "", "EOF");
    }

    #[test]
    fn a_missing_field_is_named_with_the_object_that_lacks_it() {
        check(r#"{"id": "1", "contact": {"mail": "a"}}"#, "/contact", "missing field `email`");
        check(r#"{"id": "1"}"#, "", "missing field `contact`");
    }
}
