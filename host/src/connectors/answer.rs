//! What became of a delivery.
//!
//! Owns [`Answer`], one variant a class of semantics.md, and what it carries: a [`Receipt`] or a [`Fault`].
//! It holds words only; which reply gets which class is decided in `classify`, and what follows from a class
//! by the caller's tier.

use serde::Deserialize;
use serde::Serialize;

/// What became of one delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The receiver took it: the row is sent.
    Accepted(Receipt),
    /// It certainly was not applied; it may be sent again later.
    NotApplied(Fault),
    /// It may or may not have been applied; the tier decides.
    Ambiguous(Fault),
    /// Refused for good; the same bytes will be refused again.
    Permanent(Fault),
    /// The receiver has other content under this key.
    Conflict(Fault),
    /// The receiver is still at work under this key; wait and send the same again.
    InProgress(Fault),
    /// The credential or the account is not accepted, or gone: the destination is paused and its rows wait.
    Unauthorised(Fault),
    /// The destination is set up so that nothing can be sent: it is paused too, until the operator corrects it.
    Misconfigured(Fault),
}

#[cfg(test)]
impl Answer {
    /// The fault, where there is one.
    pub(crate) fn fault(&self) -> Option<&Fault> {
        match self {
            Answer::Accepted(_) => None,
            Answer::NotApplied(fault)
            | Answer::Ambiguous(fault)
            | Answer::Permanent(fault)
            | Answer::Conflict(fault)
            | Answer::InProgress(fault)
            | Answer::Unauthorised(fault)
            | Answer::Misconfigured(fault) => Some(fault),
        }
    }

    /// The class as one word.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Answer::Accepted(_) => "accepted",
            Answer::NotApplied(_) => "not-applied",
            Answer::Ambiguous(_) => "ambiguous",
            Answer::Permanent(_) => "permanent",
            Answer::Conflict(_) => "conflict",
            Answer::InProgress(_) => "in-progress",
            Answer::Unauthorised(_) => "unauthorised",
            Answer::Misconfigured(_) => "misconfigured",
        }
    }
}

/// Why a delivery was not accepted. Safe to store and to show: it holds no credential and nothing of the
/// request's body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The reply's status code; none where no reply came.
    pub status: Option<u16>,
    /// What went wrong and, where there is one, the remedy; one short line.
    pub cause: String,
    /// How long the receiver asked to wait, in milliseconds, already between floor and ceiling.
    pub retry_after_ms: Option<u64>,
    /// The beginning of the reply's body, for a person.
    pub body_excerpt: Option<String>,
}

impl Fault {
    /// A fault without a reply.
    pub(in crate::connectors) fn without_reply(cause: impl Into<String>) -> Fault {
        Fault { cause: cause.into(), ..Fault::default() }
    }
}

/// What the receiver answered when it accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The reply's status code, 200 to 299.
    pub status: u16,
    /// The reply's body as text, up to the limit; bytes that are not UTF-8 are replaced.
    pub body: String,
    /// Whether the body went on beyond the limit and was cut.
    pub truncated: bool,
    /// The third party's id, where the envelope says where it stands and it is there.
    pub reference: Option<String>,
    /// Whether the body could be read: it is whole and JSON, or empty where the envelope expects nothing from
    /// it.
    pub readable: bool,
}
