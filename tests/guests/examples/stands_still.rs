//! Continues for ever from the cursor `/cursor`, `/times` times as long, with one and the same row where `/row` is true.

use onceward_guest::prelude::*;
use serde_json::Value;
use test_guests::number;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct StandsStill;

impl Step for StandsStill {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        if work.payload.get("row").and_then(Value::as_bool).unwrap_or(false) {
            Row::to("crm").slot("only").payload(&"row").enqueue()?;
        }
        let times = usize::try_from(number(&work.payload, "times")?).unwrap_or(usize::MAX);
        Ok(Outcome::continue_from(text(&work.payload, "cursor")?.repeat(times)))
    }
}

step! {
    StandsStill,
    name: "stands-still",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
