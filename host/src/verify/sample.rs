//! Answers that fit a JSON Schema, and differ from each other where the schema leaves room.
//!
//! Owns a small generator for the schemas that steps give to models: objects, enumerations, numbers, texts, lists. Where it
//! finds none that fits, that is an error, and the author gives answers by hand.

use crate::models::schema::Schema;
use serde_json::{Map, Value, json};

/// The n-th answer to a question with this schema, JSON text; numbered from 0.
///
/// ```
/// use onceward::verify::sample::answer;
/// let schema = r#"{"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["sales", "help"]}}}"#;
/// assert_eq!(answer(Some(schema), 0)?, r#"{"kind":"sales"}"#);
/// assert_eq!(answer(Some(schema), 1)?, r#"{"kind":"help"}"#);
/// assert_eq!(answer(None, 2)?, r#"{"answer":"variant 3"}"#);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Why there is none, in words.
pub fn answer(schema: Option<&str>, number: usize) -> Result<String, String> {
    let Some(text) = schema else {
        return Ok(json!({ "answer": format!("variant {}", number + 1) }).to_string());
    };
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let answer = sample(&value, number).to_string();
    let schema = Schema::compile(text).map_err(|error| error.to_string())?;
    match schema.check(&answer) {
        Ok(()) => Ok(answer),
        Err(error) => Err(format!("none of the made-up answers fits ({error}); give answers with --answers")),
    }
}

fn sample(schema: &Value, number: usize) -> Value {
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty()) {
        return values[number % values.len()].clone();
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(first) = schema.get(several).and_then(|schemas| schemas.get(0)) {
            return sample(first, number);
        }
    }
    match kind(schema) {
        "object" => object(schema, number),
        "array" => array(schema, number),
        "string" => Value::from(string(schema, number)),
        "integer" => Value::from(number_within(schema, number) as i64),
        "number" => json!(number_within(schema, number)),
        "boolean" => Value::from(number.is_multiple_of(2)),
        _ => Value::Null,
    }
}

/// The schema's type, or what its other words say about it.
fn kind(schema: &Value) -> &str {
    let named = schema.get("type").and_then(|named| named.as_str().or_else(|| named.get(0)?.as_str()));
    named.unwrap_or(match () {
        () if schema.get("properties").is_some() => "object",
        () if schema.get("items").is_some() => "array",
        () => "string",
    })
}

fn object(schema: &Value, number: usize) -> Value {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    Value::Object(properties.iter().map(|(name, schema)| (name.clone(), sample(schema, number))).collect())
}

fn array(schema: &Value, number: usize) -> Value {
    let length = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).min(100);
    let item = schema.get("items").unwrap_or(&Value::Null);
    Value::Array((0..length).map(|_| sample(item, number)).collect())
}

fn string(schema: &Value, number: usize) -> String {
    let limit =
        |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|chars| usize::try_from(chars).ok());
    let mut text = format!("variant {}", number + 1);
    if let Some(least) = limit("minLength") {
        text.extend(std::iter::repeat_n('.', least.saturating_sub(text.len())));
    }
    match limit("maxLength") {
        // What tells variants apart is at the end.
        Some(most) if text.len() > most => text.split_off(text.len() - most),
        _ => text,
    }
}

/// A number within the schema's bounds, another one for each answer as far as they allow.
fn number_within(schema: &Value, number: usize) -> f64 {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let least =
        bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + 0.5)).unwrap_or(0.0);
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound - 0.5));
    let step = most.map_or(1.0, |most| ((most - least) / 4.0).min(1.0));
    least + step * (number % 4) as f64
}
