//! What comes in, what the model answers, and what goes out.
//!
//! It owns the shapes alone. A lead without a contact or a channel is still a lead, so those may be missing.

use serde::Deserialize;
use serde::Serialize;

/// An enquiry as it came in. Its `source` and `message_id` make its identity and are required.
#[derive(Debug, Clone, Deserialize)]
pub struct Lead {
    /// The system that it came from.
    pub source: String,
    /// That system's id of the message.
    pub message_id: String,
    /// Where the person wrote: a form, a mailbox, a chat.
    pub channel: Option<String>,
    /// Who wrote.
    #[serde(default)]
    pub contact: Contact,
    /// What was written.
    pub text: String,
}

/// Who wrote, as far as it is known.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct Contact {
    /// The name that the person gave.
    pub name: Option<String>,
    /// The address that the person gave. It is no identity: one contact can ask twice.
    pub email: Option<String>,
}

/// What the model is asked about. The message's id and the address are left out: the answer does not depend on them.
#[derive(Debug, Serialize)]
pub(crate) struct Asked<'a> {
    pub(crate) channel: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) text: &'a str,
}

/// The model's answer; `triage.schema.json` is the same in JSON Schema.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Triage {
    /// What kind of enquiry it is.
    pub r#type: Kind,
    /// How soon somebody should look.
    pub priority: Priority,
    /// One sentence for the colleague who takes it.
    pub summary: String,
    /// A draft of an answer. Nothing is sent from here.
    pub reply: String,
    /// From 0 to 1.
    pub confidence: f64,
}

/// What kind of enquiry it is.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Somebody wants to buy.
    NewBusiness,
    /// A customer needs help.
    Support,
    /// Not meant for people.
    Spam,
    /// None of these.
    Other,
}

/// How soon somebody should look.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// When there is time.
    Low,
    /// Today.
    Normal,
    /// Now.
    High,
}

/// The lead with what was decided about it, for the next step.
#[derive(Debug, Clone, Serialize)]
pub struct Classified {
    /// As it came.
    pub source: String,
    /// As it came.
    pub message_id: String,
    /// As it came.
    pub channel: Option<String>,
    /// As it came.
    pub contact: Contact,
    /// As it came.
    pub text: String,
    /// Whether the fields of the triage are there.
    pub enriched: bool,
    /// The model's answer, its fields beside the others.
    #[serde(flatten)]
    pub triage: Option<Triage>,
}
