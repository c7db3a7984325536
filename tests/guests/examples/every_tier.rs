//! Asks its model one question about the payload, and puts one row for each tier into the outbox: the payload, to the
//! destinations `key`, `field`, `lookup` and `blind`.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

const TIERS: [&str; 4] = ["key", "field", "lookup", "blind"];

/// The guest.
#[derive(Debug)]
pub struct EveryTier;

impl Step for EveryTier {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let question = Question::to("oracle")
            .slot("answer")
            .prompt_version("1")
            .prompt("What is the answer?")
            .input(&work.payload);
        let answer = question.decide::<Value>()?.answer;
        let put = |tier: &&str| Row::to(*tier).slot("effect").payload(&work.payload).enqueue();
        let rows = TIERS.iter().map(put).collect::<Result<Vec<_>, _>>()?;
        Ok(Outcome::done(json!({ "answer": answer, "row_ids": rows })))
    }
}

step! {
    EveryTier,
    name: "every-tier",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["key", "field", "lookup", "blind"],
    models: ["oracle"],
}
