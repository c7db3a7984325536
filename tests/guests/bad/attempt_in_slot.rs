//! A deal for each lead, in a slot of its own for each attempt.
//!
//! The mistake: the effect's identity is made from the attempt's number. A lead that needed two attempts leaves under
//! another key than the same lead that needed one, so whatever runs it again, such as a raised version, makes a second deal.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadAttemptInSlot;

impl Step for BadAttemptInSlot {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let deal = json!({ "title": text(&work.payload, "subject")?, "text": text(&work.payload, "text")? });
        let slot = format!("deal-{}", work.attempt);
        let row_id = Row::to("crm").slot(slot).payload(&deal).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadAttemptInSlot,
    name: "bad-attempt-in-slot",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
