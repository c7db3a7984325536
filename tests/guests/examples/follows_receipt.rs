//! Goes on from a receipt: tells what it was given. Where the body that was sent says `"again": true`, it sends the same once
//! more in a slot of its own, and names itself for that receipt as well.

use onceward_guest::prelude::*;
use onceward_guest::receipt::Receipt;
use serde_json::Value;
use serde_json::json;

/// The guest.
#[derive(Debug)]
pub struct FollowsReceipt;

impl Step for FollowsReceipt {
    type Input = Receipt;
    type Output = Value;

    fn handle(work: Work<Receipt>) -> Result<Outcome<Value>, Failure> {
        let Receipt { row, destination, slot, reference, receipt, sent } = work.payload;
        if sent.get("again").and_then(Value::as_bool) == Some(true) {
            let slot = format!("{slot}+");
            Row::to("crm").slot(slot).payload(&sent).receipt_step("follows-receipt").enqueue()?;
        }
        Ok(Outcome::done(json!({
            "row": row,
            "destination": destination,
            "slot": slot,
            "reference": reference,
            "receipt": receipt,
            "sent": sent,
        })))
    }
}

step! {
    FollowsReceipt,
    name: "follows-receipt",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}
