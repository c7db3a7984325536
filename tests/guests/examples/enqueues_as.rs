//! Puts the rows that its payload describes into the outbox for `crm`: slot and body, and where they are named an ordering
//! key, the reason of an approval, the seconds within which it must come, and the step for the receipt.

use onceward_guest::prelude::*;
use serde_json::Value;
use serde_json::json;
use test_guests::field;
use test_guests::text;

/// The guest.
#[derive(Debug)]
pub struct EnqueuesAs;

impl Step for EnqueuesAs {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let rows = field(&work.payload, "rows")?.as_array();
        let rows = rows.ok_or_else(|| Failure::reject("`rows` must be an array"))?;
        let ids = rows.iter().map(enqueue).collect::<Result<Vec<_>, _>>()?;
        Ok(Outcome::done(json!({ "row_ids": ids })))
    }
}

fn enqueue(wanted: &Value) -> Result<String, Failure> {
    let optional = |name: &str| wanted.get(name).and_then(Value::as_str);
    let mut row = Row::to("crm").slot(text(wanted, "slot")?).payload(field(wanted, "body")?);
    if let Some(key) = optional("ordering_key") {
        row = row.ordering_key(key);
    }
    if let Some(reason) = optional("approval") {
        row = match wanted.get("within_s").and_then(Value::as_u64) {
            Some(seconds) => row.approval_within(reason, seconds),
            None => row.approval(reason),
        };
    }
    if let Some(step) = optional("receipt_step") {
        row = row.receipt_step(step);
    }
    Ok(row.enqueue()?)
}

step! {
    EnqueuesAs,
    name: "enqueues-as",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
