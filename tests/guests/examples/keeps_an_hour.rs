//! Remembers its events for an hour, and leaves something of everything behind: a note, a decision by rule, a stage, and
//! the row `/deal` for `crm`.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;

/// The guest.
#[derive(Debug)]
pub struct KeepsAnHour;

impl Step for KeepsAnHour {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        journal::note("a deal is made");
        decisions::cache("kind", &json!("deal"))?;
        progress::advance("received")?;
        let row_id = Row::to("crm").slot("deal").payload(field(&work.payload, "deal")?).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    KeepsAnHour,
    name: "keeps-an-hour",
    version: 1,
    identity: Identity::EventKey,
    window: Window::Seconds(3_600),
    response: Response::Original,
    destinations: ["crm"],
}
