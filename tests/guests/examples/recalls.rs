//! Recalls the answer of an earlier attempt, and asks where there is none. Puts out which of both it was.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct Recalls;

impl Step for Recalls {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        if let Some(decision) = decisions::recall::<Value>("answer")? {
            return Ok(Outcome::done(json!({ "recalled": decision.answer })));
        }
        let question =
            Question::to("oracle").slot("answer").prompt_version("1").prompt("What is the answer?");
        let decision = question.decide::<Value>()?;
        Ok(Outcome::done(json!({ "asked": decision.answer })))
    }
}

step! {
    Recalls,
    name: "recalls",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    models: ["oracle"],
}
