//! Wants a payload with a string `id` and a number `count`; anything else is unreadable.

use onceward_guest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

/// What it can read.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    id: String,
    count: u32,
}

/// The guest.
#[derive(Debug)]
pub struct UnreadablePayload;

impl Step for UnreadablePayload {
    type Input = Wanted;
    type Output = Value;

    fn handle(work: Work<Wanted>) -> Result<Outcome<Value>, Failure> {
        Ok(Outcome::done(json!({ "id": work.payload.id, "count": work.payload.count })))
    }
}

step! {
    UnreadablePayload,
    name: "unreadable-payload",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
