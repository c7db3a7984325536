//! Claims the keys of `/items`, records an effect for each that it got, and puts out the verdicts.

use onceward_guest::ledger::ItemVerdict;
use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::texts;

/// The guest.
#[derive(Debug)]
pub struct Items;

impl Step for Items {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let keys = texts(&work.payload, "items")?;
        let mut verdicts = Vec::new();
        for (key, verdict) in keys.iter().zip(ledger::claim(keys.iter().copied())?) {
            verdicts.push(match verdict {
                ItemVerdict::Acquired => {
                    ledger::record_effect(key, Some(&format!("ref-{key}")))?;
                    json!("acquired")
                }
                ItemVerdict::Done(reference) => json!({ "done": reference }),
                ItemVerdict::InProgress => json!("in-progress"),
            });
        }
        Ok(Outcome::done(Value::Array(verdicts)))
    }
}

step! {
    Items,
    name: "items",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
