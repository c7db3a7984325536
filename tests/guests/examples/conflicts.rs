//! Puts two payloads into one slot: the second is a conflict, and a person is asked.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct Conflicts;

impl Step for Conflicts {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Row::to("crm").slot("deal").payload(&json!({ "title": "first" })).enqueue()?;
        Row::to("crm").slot("deal").payload(&json!({ "title": "second" })).enqueue()?;
        Ok(Outcome::done(json!(null)))
    }
}

step! {
    Conflicts,
    name: "conflicts",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
