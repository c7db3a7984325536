//! What the CRM gets.
//!
//! It owns the row's shape, which is also what the step that goes on from the CRM's receipt reads again.

use lead::Attachment;
use lead::Contact;
use lead::Lead;
use serde::Serialize;

/// The body of the outbox row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deal {
    /// What the deal is called in the CRM.
    pub title: String,
    /// Who wrote.
    pub contact: Contact,
    /// How soon somebody should look; `normal` where that is not known.
    pub priority: String,
    /// What it is about: the summary, else the message itself.
    pub summary: String,
    /// What came with the message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Where it came from, so that a person finds the message again.
    pub reference: Reference,
}

/// The message that a deal came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// The system that it came from.
    pub source: String,
    /// That system's id of the message.
    pub message_id: String,
}

impl From<&Lead> for Deal {
    /// A deal from a lead, whatever of it is known.
    fn from(lead: &Lead) -> Self {
        let Lead { source, message_id, contact, text, r#type, priority, summary, attachments, .. } = lead;
        let who = [&contact.name, &contact.email, &contact.phone].into_iter().find_map(Option::as_deref);
        let what = r#type.as_deref().unwrap_or("lead");
        Self {
            title: format!("{what}: {}", who.unwrap_or("unknown contact")),
            priority: priority.clone().unwrap_or_else(|| "normal".to_owned()),
            summary: summary.clone().unwrap_or_else(|| text.clone()),
            attachments: attachments.clone(),
            reference: Reference { source: source.clone(), message_id: message_id.clone() },
            contact: contact.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Deal;
    use lead::Contact;
    use lead::Lead;

    #[test]
    fn a_lead_without_a_triage_is_a_deal_too() {
        let contact = Contact { email: Some("ada@example.com".into()), ..Contact::default() };
        let deal =
            Deal::from(&Lead { contact, text: "Please call me".into(), ..Lead::new("web-form", "m-1") });
        assert_eq!((deal.title.as_str(), deal.priority.as_str()), ("lead: ada@example.com", "normal"));
        assert_eq!(deal.summary, "Please call me");
    }
}
