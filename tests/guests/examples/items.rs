//! Claims the keys of `/items`, records an effect for each that it got, and puts out the verdicts. All in one call, or
//! `/chunk` keys a call.

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
        let chunk = work.payload.get("chunk").and_then(Value::as_u64).unwrap_or(u64::MAX).max(1);
        let mut verdicts = Vec::new();
        for keys in keys.chunks(usize::try_from(chunk).unwrap_or(usize::MAX)) {
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
