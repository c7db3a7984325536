//! Says that its work can never succeed.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct Rejects;

impl Step for Rejects {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Err(Failure::reject("never"))
    }
}

step! {
    Rejects,
    name: "rejects",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
