//! Stores what a unit of the bench is made of: an answer of 300 bytes, found by rule, a row of 400 bytes for `crm`, and a
//! result. Where the payload says `"ask": true` the answer is the model's.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The size of the answer, JSON text.
const ANSWER_BYTES: usize = 300;

/// The size of the row's payload, JSON text.
const ROW_BYTES: usize = 400;

/// The guest.
#[derive(Debug)]
pub struct StoresUnit;

impl Step for StoresUnit {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        if work.payload["ask"] == true {
            let question = Question::to("oracle").slot("class").prompt_version("1").prompt("What is it?");
            question.input(&work.payload).decide::<Value>()?;
        } else {
            decisions::cache("class", &filled("class", "lead", ANSWER_BYTES))?;
        }
        Row::to("crm").slot("deal").payload(&filled("deal", &work.id, ROW_BYTES)).enqueue()?;
        Ok(Outcome::done(json!({ "class": "lead" })))
    }
}

/// An object with this member, and one that fills it up to its size.
fn filled(name: &str, value: &str, bytes: usize) -> Value {
    let with = |fill: String| json!({ name: value, "fill": fill });
    let left = bytes.saturating_sub(with(String::new()).to_string().len());
    with("x".repeat(left))
}

step! {
    StoresUnit,
    name: "stores-unit",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
    models: ["oracle"],
}
