//! Waits inside a host call, for a model that is slow.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct SleepsInHost;

impl Step for SleepsInHost {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let decision = Question::to("oracle")
            .slot("answer")
            .prompt_version("1")
            .prompt("Take your time.")
            .input(&work.payload)
            .decide::<Value>()?;
        Ok(Outcome::done(decision.answer))
    }
}

step! {
    SleepsInHost,
    name: "sleeps-in-host",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    models: ["oracle"],
}
