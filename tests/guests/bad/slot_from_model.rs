//! A reply for each lead, drafted for the topic that the model finds in it.
//!
//! The mistake: a decision's slot is made from another answer, which each attempt asks for anew. Where the second topic is
//! worded otherwise, the draft that was decided is not found again: the model is paid twice, and the reply that leaves is not
//! the one that a person may have read in the evidence.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct BadSlotFromModel;

impl Step for BadSlotFromModel {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let enquiry = text(&work.payload, "text")?;
        let topic = Question::to("oracle")
            .slot(format!("topic-{}", work.attempt))
            .prompt_version(work.attempt.to_string())
            .prompt("What is this enquiry about?")
            .input(&enquiry)
            .decide::<Value>()?
            .answer;
        let draft = Question::to("oracle")
            .slot(format!("reply on {topic}"))
            .prompt_version("1")
            .prompt("Answer the enquiry.")
            .input(&json!({ "topic": topic, "enquiry": enquiry }))
            .decide::<Value>()?
            .answer;
        let row_id = Row::to("crm").slot("reply").payload(&json!({ "reply": draft })).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadSlotFromModel,
    name: "bad-slot-from-model",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
    models: ["oracle"],
}
