//! Only reads: gives its payload back at the attempt `/succeed_at`, or first tries the `/act` that its contract rules out.

use onceward_guest::ledger;
use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::number;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct ReadsOnly;

impl Step for ReadsOnly {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        if u64::from(work.attempt) < number(&work.payload, "succeed_at")? {
            return Err(Failure::retry("not yet"));
        }
        let refused = match text(&work.payload, "act")? {
            "enqueue" => {
                Row::to("crm").slot("deal").payload(&work.payload).enqueue().err().map(|e| e.to_string())
            }
            "cache" => decisions::cache("rule", &work.payload).err().map(|error| error.to_string()),
            "decide" => Question::to("oracle")
                .slot("answer")
                .prompt_version("1")
                .prompt("What is the answer?")
                .input(&work.payload)
                .decide::<Value>()
                .err()
                .map(|error| error.to_string()),
            "claim" => ledger::claim(["item"]).err().map(|error| error.to_string()),
            "advance" => progress::advance("matched").err().map(|error| error.to_string()),
            "continue" => return Ok(Outcome::continue_from("cursor")),
            "review" => return Err(Failure::review("a person decides")),
            "reject" => return Err(Failure::reject("it is spam")),
            "trap" => panic!("the step is broken"),
            _ => None,
        };
        journal::note("read");
        Ok(Outcome::done(json!({ "attempt": work.attempt, "seed": context::seed("s"), "refused": refused })))
    }
}

step! {
    ReadsOnly,
    name: "reads-only",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    read_only,
    destinations: ["crm"],
    models: ["oracle"],
}
