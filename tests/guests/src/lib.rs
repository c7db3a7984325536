//! What the test guests share: reading fields of a payload that is any JSON.
//!
//! A guest's payload says how it shall behave. A field that is missing is the test's fault, so it is a rejection that
//! names the field.

use onceward_guest::prelude::*;
use serde_json::{Value, json};

/// The member of this name.
///
/// # Errors
/// A rejection that names it.
pub fn field<'a>(payload: &'a Value, name: &str) -> Result<&'a Value, Failure> {
    payload.get(name).ok_or_else(|| Failure::reject(format!("the payload needs `{name}`")))
}

/// The member of this name, a string.
///
/// # Errors
/// A rejection that names it.
pub fn text<'a>(payload: &'a Value, name: &str) -> Result<&'a str, Failure> {
    field(payload, name)?.as_str().ok_or_else(|| Failure::reject(format!("`{name}` must be a string")))
}

/// The member of this name, a whole number that is not negative.
///
/// # Errors
/// A rejection that names it.
pub fn number(payload: &Value, name: &str) -> Result<u64, Failure> {
    field(payload, name)?.as_u64().ok_or_else(|| Failure::reject(format!("`{name}` must be a whole number")))
}

/// The member of this name, an array of strings.
///
/// # Errors
/// A rejection that names it.
pub fn texts<'a>(payload: &'a Value, name: &str) -> Result<Vec<&'a str>, Failure> {
    field(payload, name)?
        .as_array()
        .and_then(|entries| entries.iter().map(Value::as_str).collect())
        .ok_or_else(|| Failure::reject(format!("`{name}` must be an array of strings")))
}

/// A deal of the subject and the text of an enquiry, under one slot: what a step does whose contract is its point.
///
/// # Errors
/// A rejection that names the member that is not there; what the host says to the row.
pub fn make_deal(payload: &Value) -> Result<Outcome<Value>, Failure> {
    let deal = json!({ "title": text(payload, "subject")?, "text": text(payload, "text")? });
    let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
    Ok(Outcome::done(json!({ "row_id": row_id })))
}
