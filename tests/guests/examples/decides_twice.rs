//! Asks the same question in two slots: one call, two pins.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct DecidesTwice;

impl Step for DecidesTwice {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let ask = |slot: &str| {
            Question::to("oracle")
                .slot(slot)
                .prompt_version("1")
                .prompt("What is the answer?")
                .input(&work.payload)
                .decide::<Value>()
        };
        let first = ask("first")?;
        let second = ask("second")?;
        Ok(Outcome::done(json!({
            "first": { "answer": first.answer, "origin": first.origin.as_str() },
            "second": { "answer": second.answer, "origin": second.origin.as_str() },
        })))
    }
}

step! {
    DecidesTwice,
    name: "decides-twice",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    models: ["oracle"],
}
