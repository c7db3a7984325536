#![doc = include_str!("../README.md")]

mod types;

pub use crate::types::Contact;
pub use crate::types::Deal;
pub use crate::types::Lead;
pub use crate::types::Reference;
pub use crate::types::Written;

use onceward_guest::prelude::*;

/// The step.
#[derive(Debug)]
pub struct CrmWriter;

impl Step for CrmWriter {
    type Input = Lead;
    type Output = Written;

    fn handle(work: Work<Lead>) -> Result<Outcome<Written>, Failure> {
        let deal = deal(work.payload);
        let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
        progress::advance_or_note("matched");
        Ok(Outcome::done(Written { row_id, title: deal.title }))
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

/// A deal from a lead, whatever of it is known.
fn deal(lead: Lead) -> Deal {
    let Lead { source, message_id, contact, text, r#type, priority, summary } = lead;
    let who = contact.name.as_deref().or(contact.email.as_deref()).unwrap_or("unknown contact");
    Deal {
        title: format!("{}: {who}", r#type.as_deref().unwrap_or("lead")),
        priority: priority.unwrap_or_else(|| "normal".to_owned()),
        summary: summary.or(text).unwrap_or_default(),
        reference: Reference { source, message_id },
        contact,
    }
}

#[cfg(test)]
mod tests {
    use super::Contact;
    use super::Lead;
    use super::deal;

    #[test]
    fn a_lead_without_a_triage_is_a_deal_too() {
        let deal = deal(Lead {
            source: "web-form".into(),
            message_id: "m-1".into(),
            contact: Contact { name: None, email: Some("ada@example.com".into()) },
            text: Some("Please call me".into()),
            r#type: None,
            priority: None,
            summary: None,
        });
        assert_eq!((deal.title.as_str(), deal.priority.as_str()), ("lead: ada@example.com", "normal"));
        assert_eq!(deal.summary, "Please call me");
    }
}
