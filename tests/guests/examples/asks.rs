//! Asks what `/attempts` says: a list for each attempt (the last one for all beyond), of questions with `/slot`, `/model`,
//! `/schema` (text, or JSON), `/input` and `/temperature` (a number, `nan` or `infinity`), each of which may be left out.
//! Puts out a list of answers with their origins, and of errors where there is none.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;

/// The guest.
#[derive(Debug)]
pub struct Asks;

impl Step for Asks {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let attempts = field(&work.payload, "attempts")?.as_array().cloned().unwrap_or_default();
        let place = (work.attempt as usize).min(attempts.len()).saturating_sub(1);
        let questions = attempts.get(place).and_then(Value::as_array).cloned().unwrap_or_default();
        Ok(Outcome::done(questions.iter().map(ask).collect()))
    }
}

fn ask(wanted: &Value) -> Value {
    let text =
        |name: &str, default: &str| wanted.get(name).and_then(Value::as_str).unwrap_or(default).to_owned();
    let temperature = match wanted.get("temperature") {
        Some(Value::String(infinite)) if infinite == "infinity" => f64::INFINITY,
        Some(Value::String(_)) => f64::NAN,
        other => other.and_then(Value::as_f64).unwrap_or_default(),
    };
    let question = Question::to(text("model", "oracle"))
        .slot(text("slot", "answer"))
        .prompt_version(text("prompt_version", "1"))
        .prompt("What is the answer?")
        .temperature(temperature)
        .input(&wanted.get("input"));
    let question = match wanted.get("schema") {
        None => question,
        Some(Value::String(text)) => question.schema(text),
        Some(schema) => question.schema(schema.to_string()),
    };
    match question.decide::<Value>() {
        Ok(decision) => json!({ "answer": decision.answer, "origin": decision.origin.as_str() }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

step! {
    Asks,
    name: "asks",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    models: ["oracle"],
}
