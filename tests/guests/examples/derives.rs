//! Puts out its time, two seeds and two ids: the same on every attempt, and each its own.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct Derives;

impl Step for Derives {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Ok(Outcome::done(json!({
            "occurred_at_ms": context::occurred_at_ms(),
            "seed_a": context::seed("a"),
            "seed_b": context::seed("b"),
            "id_a": context::derive_id("a"),
            "id_b": context::derive_id("b"),
        })))
    }
}

step! {
    Derives,
    name: "derives",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
