//! Done with its payload, and a person is asked to look at it.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct Uncertain;

impl Step for Uncertain {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Ok(Outcome::done_for_review(work.payload, "not sure"))
    }
}

step! {
    Uncertain,
    name: "uncertain",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
