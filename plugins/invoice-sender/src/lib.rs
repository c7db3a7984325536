#![doc = include_str!("../README.md")]

mod invoice;

pub use crate::invoice::Invoice;
pub use crate::invoice::Money;

use onceward_guest::prelude::*;
use serde::Serialize;

/// The step.
#[derive(Debug)]
pub struct InvoiceSender;

impl Step for InvoiceSender {
    type Input = Invoice;
    type Output = Queued;

    fn handle(work: Work<Invoice>) -> Result<Outcome<Queued>, Failure> {
        let invoice = work.payload;
        if let Some(fault) = invoice.fault() {
            return Err(Failure::review(fault));
        }
        let row = Row::to("billing").slot("invoice").payload(&invoice);
        let approval = invoice.approval();
        let held = approval.is_some();
        let row = match approval {
            Some(reason) => row.approval(reason),
            None => row,
        };
        Ok(Outcome::done(Queued { row_id: row.enqueue()?, held }))
    }
}

step! {
    InvoiceSender,
    name: "invoice-sender",
    version: 1,
    identity: Identity::business_key(&["/issuer", "/number"]),
    window: Window::ForEver,
    response: Response::Original,
    // Money: a receiver that can't tell a repeat is refused before anything runs.
    keyed_destinations: ["billing"],
}

/// What was put into the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Queued {
    /// The outbox row's id, 64 hexadecimal digits.
    pub row_id: String,
    /// Whether a person has to approve it first.
    pub held: bool,
}
