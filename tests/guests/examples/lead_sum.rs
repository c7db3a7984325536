//! The full contract: a business key `/id`, declared content, and normalised fields. Puts out the payload's `/amount`.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct LeadSum;

impl Step for LeadSum {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        Ok(Outcome::done(
            json!({ "id": text(&work.payload, "id")?, "amount": field(&work.payload, "amount")? }),
        ))
    }
}

step! {
    LeadSum,
    name: "lead-sum",
    version: 1,
    identity: Identity::business_key(&["/id"]),
    window: Window::ForEver,
    response: Response::Original,
    volatile: ["trace"],
    urls: ["/page"],
    times: ["/asked_at"],
    trimmed: ["/note"],
    content_fields: ["/amount", "/page", "/asked_at", "/note"],
}
