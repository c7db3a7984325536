//! Remembers its events until the marker `synced` is set, and gives back what it is given.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct KeepsUntilSynced;

impl Step for KeepsUntilSynced {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Ok(Outcome::done(work.payload))
    }
}

step! {
    KeepsUntilSynced,
    name: "keeps-until-synced",
    version: 1,
    identity: Identity::EventKey,
    window: Window::UntilMarker("synced"),
    response: Response::Original,
}
