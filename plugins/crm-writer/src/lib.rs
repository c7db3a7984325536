#![doc = include_str!("../README.md")]

mod deal;

pub use crate::deal::Deal;
pub use crate::deal::Reference;

use lead::Lead;
use onceward_guest::prelude::*;
use serde::Serialize;

/// The step.
#[derive(Debug)]
pub struct CrmWriter;

impl Step for CrmWriter {
    type Input = Lead;
    type Output = Written;

    fn handle(work: Work<Lead>) -> Result<Outcome<Written>, Failure> {
        let lead = work.payload;
        let deal = Deal::from(&lead);
        // A deal without an owner is worth more than no deal.
        let row_id =
            Row::to("crm").slot("deal").payload(&deal).receipt_step_or_note("deal-owner").enqueue()?;
        progress::advance_or_note("matched");
        Ok(Outcome::done(Written { row_id, title: deal.title, lead }))
    }
}

step! {
    CrmWriter,
    name: "crm-writer",
    version: 1,
    identity: Identity::business_key(&["/source", "/message_id"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm"],
}

/// What was put into the outbox, and the lead for the next step.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// The outbox row's id, 64 hexadecimal digits.
    pub row_id: String,
    /// What the deal is called.
    pub title: String,
    /// The lead as it came, its members beside the others.
    #[serde(flatten)]
    pub lead: Lead,
}
