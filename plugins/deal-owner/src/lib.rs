#![doc = include_str!("../README.md")]

mod rules;

use lead::Contact;
use onceward_guest::prelude::*;
use serde::Deserialize;
use serde::Serialize;

/// The step.
#[derive(Debug)]
pub struct DealOwner;

impl Step for DealOwner {
    type Input = Receipt<Deal>;
    type Output = Owned;

    fn handle(work: Work<Receipt<Deal>>) -> Result<Outcome<Owned>, Failure> {
        let Receipt { reference, sent, .. } = work.payload;
        let found = rules::owner(&sent.contact, &sent.priority).map_err(Failure::review)?;
        // In the evidence a person sees why this deal has this owner, whatever the table says later.
        let owner = decisions::cache("owner", &found)?.answer;
        let Some(deal) = reference else {
            return Err(Failure::review(format!(
                "the CRM's answer held no id of the deal; make {owner} its owner there by hand, and cancel this work"
            )));
        };
        let change = Owned { deal, owner };
        Row::to("crm-owner").slot("owner").payload(&change).enqueue()?;
        progress::advance_or_note("owned");
        Ok(Outcome::done(change))
    }
}

step! {
    DealOwner,
    name: "deal-owner",
    version: 1,
    identity: Identity::business_key(&["/row"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["crm-owner"],
}

/// Of the deal that was sent, what decides who owns it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Deal {
    /// Who wrote.
    #[serde(default)]
    pub contact: Contact,
    /// How soon somebody should look.
    #[serde(default)]
    pub priority: String,
}

/// A deal and its owner: the body of the row, and the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owned {
    /// The CRM's id of the deal.
    pub deal: String,
    /// Who takes care of it.
    pub owner: String,
}
