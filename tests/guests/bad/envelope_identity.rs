//! A deal for each lead, which is known by the id of the notification that brought it.
//!
//! The mistake: `notification_id` names the request and not the lead, and each redelivery has a new one. So a redelivery is
//! a second work, and the CRM gets a second deal. The host can't see it: it refuses `delivery_id` and `request_id` as an
//! identity, and this name says no such thing.

use onceward_guest::prelude::*;
use serde_json::Value;
use test_guests::make_deal;

/// The guest.
#[derive(Debug)]
pub struct BadEnvelopeIdentity;

impl Step for BadEnvelopeIdentity {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        make_deal(&work.payload)
    }
}

step! {
    BadEnvelopeIdentity,
    name: "bad-envelope-identity",
    version: 1,
    identity: Identity::business_key(&["/notification_id"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
