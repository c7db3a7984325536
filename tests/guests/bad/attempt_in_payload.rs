//! A deal for each lead, whose body tells the CRM which attempt made it.
//!
//! The mistake: the attempt's number is in what leaves. After any crash the receiver gets another body than it would have
//! got without, so what is sent depends on how the host fared; and a body that is made anew under the same key is a
//! conflict.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadAttemptInPayload;

impl Step for BadAttemptInPayload {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let deal = json!({
            "title": text(&work.payload, "subject")?,
            "text": text(&work.payload, "text")?,
            "made_by_attempt": work.attempt,
        });
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadAttemptInPayload,
    name: "bad-attempt-in-payload",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
