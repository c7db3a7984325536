//! A deal for each lead: its priority is decided once, and its effect has a slot of its own and a body that follows from
//! the event and the decision. It asks for a destination of tier `key`, and so it is the step against which a destination
//! shows whether it keeps that promise.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct GoodDeal;

impl Step for GoodDeal {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        progress::advance("received")?;
        let priority = Question::to("oracle")
            .slot("priority")
            .prompt_version("1")
            .prompt("How urgent is this enquiry?")
            .input(&text(&work.payload, "text")?)
            .decide::<Value>()?
            .answer;
        let deal = json!({ "title": text(&work.payload, "subject")?, "priority": priority });
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    GoodDeal,
    name: "good-deal",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    keyed_destinations: ["crm"],
    models: ["oracle"],
}
