//! Collects `/count` things of the kind `/kind`, with `/bytes` bytes of content each: answers by rule (`pins`), `rows`,
//! `keys` of items, external `references` of items, or claims of one item again and again (`claims`). With the kinds
//! `slots`, `destinations`, `models` and `versions` it is a name that is so long.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::number;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct CollectsMuch;

impl Step for CollectsMuch {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let kind = text(&work.payload, "kind")?;
        let content = "x".repeat(usize::try_from(number(&work.payload, "bytes")?).unwrap_or(usize::MAX));
        let count = number(&work.payload, "count")?;
        for index in 0..count {
            // Items are done once for ever, so a test that counts further needs other ones.
            collect(kind, &format!("{index} of {count}"), &content)?;
        }
        Ok(Outcome::done(json!(null)))
    }
}

fn collect(kind: &str, name: &str, content: &str) -> Result<(), Failure> {
    match kind {
        "pins" => drop(decisions::cache(name, &json!(content))?),
        "rows" => drop(Row::to("crm").slot(name).payload(&content).enqueue()?),
        "keys" => drop(ledger::claim([format!("{name}{content}")])?),
        "references" => {
            ledger::claim([name])?;
            ledger::record_effect(name, Some(content))?;
        }
        "claims" => drop(ledger::claim(["one"])?),
        "slots" => drop(Row::to("crm").slot(content).payload(&name).enqueue()?),
        "destinations" => drop(Row::to(content).slot(name).payload(&"").enqueue()?),
        "models" => drop(Question::to(content).slot(name).decide::<Value>()?),
        "versions" => drop(Question::to("oracle").prompt_version(content).slot(name).decide::<Value>()?),
        other => return Err(Failure::reject(format!("nothing of the kind `{other}` can be collected"))),
    }
    Ok(())
}

step! {
    CollectsMuch,
    name: "collects-much",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
    models: ["oracle"],
}
