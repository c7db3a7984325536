//! Claims the keys of `/items`, records an effect for each that it got, and panics.

use onceward_guest::ledger::ItemVerdict;
use onceward_guest::prelude::*;
use serde_json::Value;
use test_guests::texts;

/// The guest.
#[derive(Debug)]
pub struct ItemsCrash;

impl Step for ItemsCrash {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let keys = texts(&work.payload, "items")?;
        for (key, verdict) in keys.iter().zip(ledger::claim(keys.iter().copied())?) {
            if verdict == ItemVerdict::Acquired {
                ledger::record_effect(key, None)?;
            }
        }
        panic!("after the claim")
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
