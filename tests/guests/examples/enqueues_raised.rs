//! The step `enqueues` in its second version: another identity and another result, the same row.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;

/// The guest.
#[derive(Debug)]
pub struct EnqueuesRaised;

impl Step for EnqueuesRaised {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let row_id = Row::to("crm").slot("deal").payload(field(&work.payload, "deal")?).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id, "version": 2 })))
    }
}

step! {
    EnqueuesRaised,
    name: "enqueues",
    version: 2,
    identity: Identity::business_key(&["/deal/title"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
