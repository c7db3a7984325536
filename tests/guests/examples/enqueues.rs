//! Puts one row into the outbox: `/deal` for `crm`, in the slot `deal`.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;

/// The guest.
#[derive(Debug)]
pub struct Enqueues;

impl Step for Enqueues {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let row_id = Row::to("crm").slot("deal").payload(field(&work.payload, "deal")?).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    Enqueues,
    name: "enqueues",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
