//! Asks to be tried again, at every attempt.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct Retries;

impl Step for Retries {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Err(Failure::retry("not yet"))
    }
}

step! {
    Retries,
    name: "retries",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
