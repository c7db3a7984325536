//! A deal with the priority that the model gave, which is asked once and then kept in memory.
//!
//! The mistake: the step believes that its static outlives the attempt. Each attempt has an instance of its own, so after a
//! crash the memory is empty, and the deal leaves with the priority that stands for no answer.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use std::sync::Mutex;
use test_guests::text;

/// The model's answer, for the retries of this lead.
static PRIORITY: Mutex<Value> = Mutex::new(Value::Null);

/// The guest.
#[derive(Debug)]
pub struct BadMemory;

impl Step for BadMemory {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let mut priority = PRIORITY.lock().map_err(|_| Failure::retry("the memory is poisoned"))?;
        if work.attempt == 1 {
            *priority = Question::to("oracle")
                .slot("priority")
                .prompt_version("1")
                .prompt("How urgent is this enquiry?")
                .input(&text(&work.payload, "text")?)
                .decide::<Value>()?
                .answer;
        }
        let deal = json!({ "title": text(&work.payload, "subject")?, "priority": *priority });
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        Ok(Outcome::done(json!({ "row_id": row_id })))
    }
}

step! {
    BadMemory,
    name: "bad-memory",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
    models: ["oracle"],
}
