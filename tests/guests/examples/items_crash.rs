//! Claims the keys of `/items` and records an effect for each that it got. Its first attempt panics then; later ones put
//! out how many they got.

use onceward_guest::ledger::ItemVerdict;
use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::texts;

/// The guest.
#[derive(Debug)]
pub struct ItemsCrash;

impl Step for ItemsCrash {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let keys = texts(&work.payload, "items")?;
        let mut acquired = 0;
        for (key, verdict) in keys.iter().zip(ledger::claim(keys.iter().copied())?) {
            if verdict == ItemVerdict::Acquired {
                ledger::record_effect(key, None)?;
                acquired += 1;
            }
        }
        assert!(work.attempt > 1, "after the claim");
        Ok(Outcome::done(json!({ "acquired": acquired })))
    }
}

step! {
    ItemsCrash,
    name: "items-crash",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
