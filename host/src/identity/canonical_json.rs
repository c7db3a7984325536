//! Canonical JSON: one text for each value, so that hashes can be compared.
//!
//! Owns the writer of RFC 8785 (JCS): members by UTF-16 code units at every depth, no white space, the
//! shortest escapes, numbers as ECMAScript writes them. [`parse`] is the strict reader that belongs to it;
//! what it read can always be written, and what was written can always be read again.
//!
//! One deviation, on purpose: whole numbers beyond 2^53 that fit 64 bits print exactly. RFC 8785 would round
//! them through a double, and two order numbers that differ in the last digit would become one work. The
//! price is that a guest must not read such numbers as doubles; larger ones are refused by the reader.
//!
//! Why not a published crate: `serde_json_canonicalizer` and `serde_jcs` turn every integer into an `f64`
//! before they write it, and both take values that were parsed elsewhere, where duplicate members are already
//! lost.
//!
//! Writing can't fail. It walks by recursion; the reader's nesting limit bounds it.

use serde_json::Number;
use serde_json::Value;

pub use crate::identity::json_text::JsonError;
pub use crate::identity::json_text::parse;

/// Writes a value as RFC 8785 asks, with 64-bit integers exact.
///
/// ```
/// use onceward::identity::canonical_json::{canonical, parse};
///
/// let value = parse(r#" {"b": 1.0, "a": 9007199254740993} "#)?;
/// assert_eq!(canonical(&value), r#"{"a":9007199254740993,"b":1}"#);
/// # Ok::<(), onceward::identity::canonical_json::JsonError>(())
/// ```
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(number, text),
        Value::String(plain) => write_string(plain, text),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(element, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
            text.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(name, text);
                text.push(':');
                write_value(member, text);
            }
            text.push('}');
        }
    }
}

fn write_number(number: &Number, text: &mut String) {
    if let Some(integer) = number.as_i64() {
        text.push_str(&integer.to_string());
    } else if let Some(integer) = number.as_u64() {
        text.push_str(&integer.to_string());
    } else {
        let double = number.as_f64().expect("a number that is no 64-bit integer is a finite double");
        text.push_str(ryu_js::Buffer::new().format_finite(double));
    }
}

fn write_string(plain: &str, text: &mut String) {
    text.push('"');
    let mut rest = plain;
    // What is escaped is one byte long in UTF-8, and no part of a longer character.
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        text.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            0x08 => text.push_str("\\b"),
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            0x0c => text.push_str("\\f"),
            b'\r' => text.push_str("\\r"),
            control => text.push_str(&format!("\\u{control:04x}")),
        }
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    text.push('"');
}

#[cfg(test)]
mod tests;
