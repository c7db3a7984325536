//! What a step is given that goes on from a destination's receipt.
//!
//! It owns the payload's type alone: the work is recorded by the host, in the transaction that marks the row as sent.

use serde::Deserialize;
use serde_json::Value;

/// The payload of a step that a row named with [`receipt_step`](crate::outbox::Row::receipt_step).
///
/// ```
/// use onceward_guest::receipt::Receipt;
/// #[derive(serde::Deserialize)]
/// struct Deal { title: String }
/// let text = r#"{"row": "00", "destination": "crm", "slot": "deal", "reference": "deal-7",
///                "receipt": {"id": "deal-7"}, "sent": {"title": "New business"}}"#;
/// let receipt: Receipt<Deal> = serde_json::from_str(text)?;
/// assert_eq!((receipt.reference.as_deref(), receipt.sent.title.as_str()), (Some("deal-7"), "New business"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Receipt<Sent = Value> {
    /// The row that was accepted: 64 hexadecimal digits.
    pub row: String,
    /// The destination that accepted it.
    pub destination: String,
    /// The row's slot.
    pub slot: String,
    /// The id the third party gave, where its answer held one or a person said it.
    pub reference: Option<String>,
    /// The destination's answer: its JSON, else its text; null where a person said that the row was applied.
    pub receipt: Value,
    /// The payload that was sent.
    pub sent: Sent,
}
