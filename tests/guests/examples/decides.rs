//! Asks the model `oracle` once, with the prompt version `/prompt_version`. Where that is an array, each attempt takes its
//! entry, and attempts beyond it the last one: an author who changes the prompt while a work is under way.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct Decides;

impl Step for Decides {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let decision = Question::to("oracle")
            .slot("answer")
            .prompt_version(prompt_version(&work)?)
            .prompt("What is the answer?")
            .input(&work.payload)
            .decide::<Value>()?;
        Ok(Outcome::done(json!({ "answer": decision.answer, "origin": decision.origin.as_str() })))
    }
}

fn prompt_version(work: &Work<Value>) -> Result<&str, Failure> {
    let Some(versions) = field(&work.payload, "prompt_version")?.as_array() else {
        return text(&work.payload, "prompt_version");
    };
    let place = (work.attempt as usize).min(versions.len()).saturating_sub(1);
    versions
        .get(place)
        .and_then(Value::as_str)
        .ok_or_else(|| Failure::reject("a prompt version must be a string"))
}

step! {
    Decides,
    name: "decides",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    models: ["oracle"],
}
