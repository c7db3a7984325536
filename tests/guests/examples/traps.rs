//! Panics at once, in a function that a trap can name.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct Traps;

impl Step for Traps {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        bottom()
    }
}

/// Kept apart from who calls it, so that the trap has a place with a name.
#[inline(never)]
fn bottom() -> ! {
    panic!("boom")
}

step! {
    Traps,
    name: "traps",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
