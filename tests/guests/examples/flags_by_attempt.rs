//! Asks to be tried again until its attempt reaches `/succeed_at`; then done.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::number;

/// The guest.
#[derive(Debug)]
pub struct FlagsByAttempt;

impl Step for FlagsByAttempt {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        if u64::from(work.attempt) < number(&work.payload, "succeed_at")? {
            return Err(Failure::retry("not yet"));
        }
        Ok(Outcome::done(json!({ "attempt": work.attempt })))
    }
}

step! {
    FlagsByAttempt,
    name: "flags-by-attempt",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
