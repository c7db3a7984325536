//! A deal for each lead, which is known by its enquiry's number.
//!
//! The mistake: the sender has no `enquiry_id`. The host takes no empty identity, so it refuses every event, and all leads
//! stay with the sender.

use onceward_guest::prelude::*;
use serde_json::Value;
use test_guests::make_deal;

/// The guest.
#[derive(Debug)]
pub struct BadMissingIdentity;

impl Step for BadMissingIdentity {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        make_deal(&work.payload)
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
