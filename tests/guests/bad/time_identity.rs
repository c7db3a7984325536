//! A deal for each lead, which is known by its form and the time at which it was sent.
//!
//! The mistake: the sender stamps `sent_at` with each delivery, so the identity is the delivery's and not the lead's. A
//! redelivery is a second work, and the CRM gets a second deal. The host can't see it: of the names that it knows to be
//! renewed, such as `received_at`, it takes none as an identity, and this is not among them.

use onceward_guest::prelude::*;
use serde_json::Value;
use test_guests::make_deal;

/// The guest.
#[derive(Debug)]
pub struct BadTimeIdentity;

impl Step for BadTimeIdentity {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        make_deal(&work.payload)
    }
}

step! {
    BadTimeIdentity,
    name: "bad-time-identity",
    version: 1,
    identity: Identity::business_key(&["/form", "/sent_at"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
