//! Floods the journal: `/notes` lines of a kilobyte each.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::number;

/// Long enough that a few thousand reach any limit.
const LINE_BYTES: usize = 1024;

/// The guest.
#[derive(Debug)]
pub struct NotesMuch;

impl Step for NotesMuch {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let line = "x".repeat(LINE_BYTES);
        for _ in 0..number(&work.payload, "notes")? {
            journal::note(&line);
        }
        Ok(Outcome::done(json!(null)))
    }
}

step! {
    NotesMuch,
    name: "notes-much",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
