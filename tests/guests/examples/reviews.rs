//! Asks for a person's decision.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct Reviews;

impl Step for Reviews {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Err(Failure::review("a person must look"))
    }
}

step! {
    Reviews,
    name: "reviews",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
