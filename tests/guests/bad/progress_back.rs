//! A deal for each lead, with the stages that the lead goes through.
//!
//! The mistake: the lead is said to be owned, and then to be received. Stages only go forward, so the host refuses the
//! second one, the run fails with it, and each lead waits for a person.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadProgressBack;

impl Step for BadProgressBack {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        progress::advance("owned")?;
        let deal = json!({ "title": text(&work.payload, "subject")?, "text": text(&work.payload, "text")? });
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        progress::advance("received")?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadProgressBack,
    name: "bad-progress-back",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
