//! Done, with its payload as its output.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct Echo;

impl Step for Echo {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Ok(Outcome::done(work.payload))
    }
}

step! {
    Echo,
    name: "echo",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
