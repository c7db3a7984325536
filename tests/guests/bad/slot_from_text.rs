//! A deal for each lead, in a slot that is called as the model titled it.
//!
//! The mistake: the effect's key is text that a model wrote. Each attempt asks for a title of its own (the number is in
//! the slot and in the question, so that no recorded answer fits), and so a retry finds another key: nobody can tell that
//! both deals are the same lead.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadSlotFromText;

impl Step for BadSlotFromText {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let title = Question::to("oracle")
            .slot(format!("title-{}", work.attempt))
            .prompt_version(work.attempt.to_string())
            .prompt("Give this enquiry a title.")
            .input(&text(&work.payload, "text")?)
            .decide::<Value>()?
            .answer;
        let deal = json!({ "text": text(&work.payload, "text")? });
        let row_id = Row::to("crm").slot(format!("deal: {title}")).payload(&deal).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadSlotFromText,
    name: "bad-slot-from-text",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
    models: ["oracle"],
}
