//! A deal for each lead, which is known by its enquiry's number.
//!
//! The mistake: the sender has no `enquiry_id`. The host takes no empty identity, so it refuses every event, and all leads
//! stay with the sender.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadMissingIdentity;

impl Step for BadMissingIdentity {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let deal = json!({ "title": text(&work.payload, "subject")?, "text": text(&work.payload, "text")? });
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadMissingIdentity,
    name: "bad-missing-identity",
    version: 1,
    identity: Identity::business_key(&["/enquiry_id"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
