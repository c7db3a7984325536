//! Enqueues to a destination that its contract does not ask for.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct Ungranted;

impl Step for Ungranted {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Row::to("elsewhere").slot("deal").payload(&work.payload).enqueue()?;
        Ok(Outcome::done(json!(null)))
    }
}

step! {
    Ungranted,
    name: "ungranted",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
