//! What the model is asked, and what it answers.
//!
//! It owns these two shapes alone; `triage.schema.json` says the second one to the host.

use lead::Lead;
use serde::Deserialize;
use serde::Serialize;

/// What the model is asked about. The message's id and the address are left out: the answer does not depend on them.
#[derive(Debug, Serialize)]
pub(crate) struct Asked<'a> {
    channel: Option<&'a str>,
    name: Option<&'a str>,
    text: &'a str,
}

impl<'a> From<&'a Lead> for Asked<'a> {
    fn from(lead: &'a Lead) -> Self {
        Self { channel: lead.channel.as_deref(), name: lead.contact.name.as_deref(), text: &lead.text }
    }
}

/// The model's answer.
#[derive(Debug, Clone, Deserialize)]
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
#[derive(Debug, Clone, Copy, Deserialize)]
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

impl Kind {
    /// The word in the model's answer, and on the lead.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NewBusiness => "new-business",
            Self::Support => "support",
            Self::Spam => "spam",
            Self::Other => "other",
        }
    }
}

/// How soon somebody should look.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// When there is time.
    Low,
    /// Today.
    Normal,
    /// Now.
    High,
}

impl Priority {
    /// The word in the model's answer, and on the lead.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}
