//! Canonical JSON: one text for each value, however the value is spelled.

use crate::reasons;
use onceward::identity::canonical_json::{canonical, parse};
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// Beyond this, decimals with a point are read as doubles, which are exact up to here: 2^53.
const EXACT_MAX: u64 = 1 << 53;

/// A text is refused with a reason, or its canonical form is one that reads as the same value, however the value is spelled:
/// members in another order, white space, escapes, forms of numbers. What this reader takes, every reader of JSON takes.
///
/// # Panics
/// Where that does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let value = match parse(text) {
        Ok(value) => value,
        Err(error) => return drop(reasons(&error)),
    };
    assert!(serde_json::from_str::<Value>(text).is_ok(), "read what is no JSON: {text:?}");
    let form = canonical(&value);
    let again = parse(&form).unwrap_or_else(|error| panic!("{form:?} can't be read again: {error}"));
    assert_eq!(canonical(&again), form, "the canonical form has another one");
    let mut spelled = String::new();
    respell(&value, &mut spelled);
    let respelled = parse(&spelled).unwrap_or_else(|error| panic!("{spelled:?} can't be read: {error}"));
    assert_eq!(canonical(&respelled), form, "{spelled:?} is the same value as {text:?}");
}

/// The same value in other words.
fn respell(value: &Value, out: &mut String) {
    out.push_str("\r\n\t ");
    match value {
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
        Value::Number(number) => respell_number(number, out),
        Value::String(text) => respell_text(text, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                respell(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().rev().enumerate() {
                out.push_str(if index > 0 { " ," } else { "" });
                respell_text(name, out);
                out.push_str(" :");
                respell(member, out);
            }
            out.push_str("\n}");
        }
    }
    out.push(' ');
}

fn respell_number(number: &Number, out: &mut String) {
    let spelled = match number.as_f64() {
        _ if number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= EXACT_MAX) => {
            format!("{number}.0e0")
        }
        Some(double) if number.is_f64() => format!("{double:e}"),
        _ => number.to_string(),
    };
    out.push_str(&spelled);
}

/// Every character as an escape.
fn respell_text(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        write!(out, "\\u{unit:04X}").expect("a String takes everything");
    }
    out.push('"');
}
