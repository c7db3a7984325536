//! A message as it comes in.
//!
//! It owns the shapes that forms, mailboxes and chats send, each field under the names that are in use for it. It
//! refuses a field of the wrong kind, with its place; everything may be missing. Fields with other names are not read.

use serde::Deserialize;

/// A message as it comes in.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    /// Where the person wrote.
    pub channel: Option<String>,
    /// The thread that it belongs to.
    #[serde(alias = "thread_id")]
    pub conversation: Option<String>,
    /// When it was written.
    #[serde(alias = "date")]
    pub sent_at: Option<Time>,
    /// Who wrote.
    #[serde(alias = "from")]
    pub contact: Person,
    /// Who wrote, where a form sends its fields side by side.
    pub name: Option<String>,
    /// As `name`.
    pub email: Option<String>,
    /// As `name`.
    pub phone: Option<String>,
    /// As `name`.
    pub country: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// What was written.
    #[serde(alias = "message", alias = "body")]
    pub text: Option<String>,
    /// What came with it.
    #[serde(alias = "files")]
    pub attachments: Vec<File>,
}

/// Who wrote, as they typed it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Person {
    /// The name.
    pub name: Option<String>,
    /// The e-mail address, perhaps as `Ada <ada@example.com>`.
    pub email: Option<String>,
    /// The telephone number.
    pub phone: Option<String>,
    /// The country's two letters.
    pub country: Option<String>,
}

/// A time as senders write it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Time {
    /// As RFC 3339 has it, or RFC 2822, which is the `Date` of a mail.
    Text(String),
    /// Unix time, in seconds or in milliseconds.
    Unix(i64),
}

/// A file that came with a message. Content that stands in the message itself is not handed on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct File {
    /// Its name.
    #[serde(alias = "filename")]
    pub name: Option<String>,
    /// Its media type.
    #[serde(alias = "content_type")]
    pub r#type: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// The SHA-256 of its content.
    pub sha256: Option<String>,
    /// Where its content can be fetched.
    #[serde(alias = "url")]
    pub address: Option<String>,
}
