//! Puts two rows into the outbox, in the slots `a` and `b`, with one payload.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct EnqueuesTwo;

impl Step for EnqueuesTwo {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let a = Row::to("crm").slot("a").payload(&work.payload).enqueue()?;
        let b = Row::to("crm").slot("b").payload(&work.payload).enqueue()?;
        Ok(Outcome::done(json!({ "row_ids": [a, b] })))
    }
}

step! {
    EnqueuesTwo,
    name: "enqueues-two",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
