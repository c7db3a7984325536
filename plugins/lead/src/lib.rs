//! The lead that the steps of the lead flow hand on: what came in, and what the steps have added so far.
//!
//! It owns the shapes alone, and is no step. Each step reads a lead, adds what it knows, and puts the lead out again,
//! so that a step can be left out of the flow, or another one put in. Only `source` and `message_id` are required,
//! since they make the lead's identity; everything else may be missing, and a lead without it is a lead too. Members
//! that are not named here are not handed on.
//!
//! Nothing is read through `serde(flatten)`, because that would cost the place in the error of a payload that does not
//! fit.

use serde::Deserialize;
use serde::Serialize;

/// A lead on its way.
///
/// ```
/// use lead::Lead;
///
/// let lead = Lead { text: "Please call me".into(), ..Lead::new("web-form", "m-1") };
/// assert_eq!(lead.conversation(), "m-1");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
pub struct Lead {
    /// The system that it came from.
    pub source: String,
    /// That system's id of the message.
    pub message_id: String,
    /// When the message was written, in RFC 3339 and UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<String>,
    /// Where the person wrote: `web-form`, `email`, a chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The thread that the message belongs to, in the words of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Who wrote.
    #[serde(default)]
    pub contact: Contact,
    /// What was written.
    #[serde(default)]
    pub text: String,
    /// What came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Whether the fields below come from a model; absent where nobody has asked one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enriched: Option<bool>,
    /// What kind of enquiry it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// How soon somebody should look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// One sentence about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// A draft of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// How sure the model was, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl Lead {
    /// A lead of which nothing is known but where it came from.
    #[must_use]
    pub fn new(source: &str, message_id: &str) -> Self {
        Self { source: source.to_owned(), message_id: message_id.to_owned(), ..Self::default() }
    }

    /// The thread that it belongs to; a message without one is a thread of its own.
    #[must_use]
    pub fn conversation(&self) -> &str {
        self.conversation.as_deref().unwrap_or(&self.message_id)
    }
}

/// Who wrote, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Contact {
    /// The name that the person gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The e-mail address that the person gave. It is no identity: one contact can ask twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The telephone number that the person gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// The country, in two capital letters (ISO 3166-1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// A file that came with a message. Its content stays where it is, and travels as an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Attachment {
    /// The file's name, without a path.
    pub name: String,
    /// The media type, such as `application/pdf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// The size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The SHA-256 of the content, in 64 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Where the content can be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}
