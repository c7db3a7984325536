//! Events as they arrived: what a sender sent, to the byte.
//!
//! Work is recorded with what was read from an event. Beside it the event itself is kept, so that whoever doubts the reading
//! can look, and whoever checks a signature again has what was signed. It never changes, and goes with the payloads:
//! erased on request, forgotten with its family.

/// An event as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// The body.
    pub bytes: Vec<u8>,
    /// What the sender said the body is.
    pub content_type: Option<String>,
    /// Headers by name, in the order in which they came. Which of them are kept says whoever takes the event in: one that
    /// holds a credential does not belong here.
    pub headers: Vec<(String, String)>,
}
