//! Asks the model `oracle` once; the prompt version comes from `/prompt_version`.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
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
            .prompt_version(text(&work.payload, "prompt_version")?)
            .prompt("What is the answer?")
            .input(&work.payload)
            .decide::<Value>()?;
        Ok(Outcome::done(json!({ "answer": decision.answer, "origin": decision.origin.as_str() })))
    }
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
