//! A deal for each lead, which is known by the address of who wrote.
//!
//! The mistake: one person can ask twice. The second, different enquiry has the identity of the first one, so it never becomes
//! a deal. The host warns of this contract, and refuses the second enquiry since its content is another.

use onceward_guest::prelude::*;
use serde_json::Value;
use test_guests::make_deal;

/// The guest.
#[derive(Debug)]
pub struct BadEmailIdentity;

impl Step for BadEmailIdentity {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        make_deal(&work.payload)
    }
}

step! {
    BadEmailIdentity,
    name: "bad-email-identity",
    version: 1,
    identity: Identity::business_key(&["/email"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
