//! What comes in, what the CRM gets, and what goes out.
//!
//! It owns the shapes alone. What a model may have added is optional: a lead that nobody could triage is a deal too.

use serde::Deserialize;
use serde::Serialize;

/// A lead, as the lead classifier puts it out; any other step or sender may.
#[derive(Debug, Clone, Deserialize)]
pub struct Lead {
    /// The system that it came from.
    pub source: String,
    /// That system's id of the message.
    pub message_id: String,
    /// Who wrote.
    #[serde(default)]
    pub contact: Contact,
    /// What was written.
    pub text: Option<String>,
    /// What kind of enquiry it is, where that is known.
    pub r#type: Option<String>,
    /// How soon somebody should look, where that is known.
    pub priority: Option<String>,
    /// One sentence about it, where there is one.
    pub summary: Option<String>,
}

/// Who wrote, as far as it is known.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct Contact {
    /// The name that the person gave.
    pub name: Option<String>,
    /// The address that the person gave.
    pub email: Option<String>,
}

/// The body of the outbox row.
#[derive(Debug, Clone, Serialize)]
pub struct Deal {
    /// What the deal is called in the CRM.
    pub title: String,
    /// Who wrote.
    pub contact: Contact,
    /// How soon somebody should look; `normal` where that is not known.
    pub priority: String,
    /// What it is about: the summary, else the message itself.
    pub summary: String,
    /// Where it came from, so that a person finds the message again.
    pub reference: Reference,
}

/// The message that a deal came from.
#[derive(Debug, Clone, Serialize)]
pub struct Reference {
    /// The system that it came from.
    pub source: String,
    /// That system's id of the message.
    pub message_id: String,
}

/// What was put into the outbox.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// The outbox row's id, 64 hexadecimal digits.
    pub row_id: String,
    /// What the deal is called.
    pub title: String,
}
