//! Works in `/chunks` chunks, with one row a chunk: `chunk-0`, `chunk-1` and so on.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::number;

/// The guest.
#[derive(Debug)]
pub struct Continues;

impl Step for Continues {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let chunks = number(&work.payload, "chunks")?;
        let done = match progress::load_cursor() {
            None => 0,
            Some(cursor) => cursor
                .parse::<u64>()
                .map_err(|error| Failure::reject(format!("cursor `{cursor}`: {error}")))?,
        };
        if done >= chunks {
            return Ok(Outcome::done(json!({ "chunks": done })));
        }
        Row::to("crm").slot(format!("chunk-{done}")).payload(&json!({ "chunk": done })).enqueue()?;
        Ok(Outcome::continue_from((done + 1).to_string()))
    }
}

step! {
    Continues,
    name: "continues",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
