//! A deal with the priority that the model gave, where it has given one already.
//!
//! The mistake: the row is made before the decision. The first attempt enqueues without a priority and asks afterwards; the
//! answer is durable at once and the row is not. So a crash between them makes the next attempt enqueue another body.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadEnqueueBeforeDecision;

impl Step for BadEnqueueBeforeDecision {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let known = decisions::recall::<Value>("priority")?.map(|decision| decision.answer);
        let deal = json!({ "title": text(&work.payload, "subject")?, "priority": known });
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        let priority = Question::to("oracle")
            .slot("priority")
            .prompt_version("1")
            .prompt("How urgent is this enquiry?")
            .input(&text(&work.payload, "text")?)
            .decide::<Value>()?
            .answer;
        Ok(Outcome::done(json!({ "row_id": row_id, "priority": priority })))
    }
}

step! {
    BadEnqueueBeforeDecision,
    name: "bad-enqueue-before-decision",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
    models: ["oracle"],
}
