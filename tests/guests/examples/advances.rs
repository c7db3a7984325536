//! Advances the handoff through the stages of `/stages`, in order.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::texts;

/// The guest.
#[derive(Debug)]
pub struct Advances;

impl Step for Advances {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        for stage in texts(&work.payload, "stages")? {
            progress::advance(stage)?;
        }
        Ok(Outcome::done(json!(null)))
    }
}

step! {
    Advances,
    name: "advances",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
