//! Caches two different answers of a rule in one slot: the first one wins.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct CachesRule;

impl Step for CachesRule {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let first = decisions::cache("rule", &json!("first"))?;
        let second = decisions::cache("rule", &json!("second"))?;
        Ok(Outcome::done(json!({
            "first": { "answer": first.answer, "origin": first.origin.as_str() },
            "second": { "answer": second.answer, "origin": second.origin.as_str() },
        })))
    }
}

step! {
    CachesRule,
    name: "caches-rule",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
