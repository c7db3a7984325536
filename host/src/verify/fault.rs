//! What can go wrong at a point, and which faults a point offers.
//!
//! Each kind is a word of the report. A fault is offered only where it means something of its own: a host that dies after a
//! call that changed nothing has died before the next one.

use crate::contract::tier::Tier;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The host dies before the call has any effect.
    DiesBefore,
    /// The host dies after the call has had its effect; nobody hears of it.
    DiesAfter,
    /// The host stands still for longer than every lease; another takes over and brings all to its end; then the first goes
    /// on where it stood.
    Overtaken,
    /// The event is delivered again, to another host, while the first stands here.
    Redelivered,
    /// The ledger is busy.
    Busy,
    /// The request does not reach the destination.
    NotApplied,
    /// The destination has done it, and the answer is lost.
    ReplyLost,
    /// The destination has done it, and the answer comes after another host has taken over.
    ReplyLate,
    /// One call of the model fails.
    ModelFails,
    /// The model fails for as long as one decision asks.
    ModelDown,
    /// The model answers what does not fit its schema, or is no JSON.
    ModelInvalid,
}

impl Fault {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::DiesBefore,
        Self::DiesAfter,
        Self::Overtaken,
        Self::Redelivered,
        Self::Busy,
        Self::NotApplied,
        Self::ReplyLost,
        Self::ReplyLate,
        Self::ModelFails,
        Self::ModelDown,
        Self::ModelInvalid,
    ];

    /// The word of the report and of a schedule.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::DiesBefore => "dies-before",
            Self::DiesAfter => "dies-after",
            Self::Overtaken => "overtaken",
            Self::Redelivered => "redelivered",
            Self::Busy => "busy",
            Self::NotApplied => "not-applied",
            Self::ReplyLost => "reply-lost",
            Self::ReplyLate => "reply-late",
            Self::ModelFails => "model-fails",
            Self::ModelDown => "model-down",
            Self::ModelInvalid => "model-invalid",
        }
    }

    /// What happens, for the story.
    #[must_use]
    pub const fn story(self) -> &'static str {
        match self {
            Self::DiesBefore => "the host dies before this",
            Self::DiesAfter => "it happens, and the host dies before it hears of it",
            Self::Overtaken => {
                "the host stands still here; its leases end, another host does the rest; then it goes on"
            }
            Self::Redelivered => "meanwhile the same event arrives at another host",
            Self::Busy => "the ledger is busy; nothing of it is kept",
            Self::NotApplied => "the request does not reach the destination",
            Self::ReplyLost => "the destination does it, and its answer is lost",
            Self::ReplyLate => "the destination does it; its answer comes when another host has taken over",
            Self::ModelFails => "the model does not answer",
            Self::ModelDown => "the model does not answer, however often it is asked now",
            Self::ModelInvalid => "the model answers what can't be used",
        }
    }

    /// Whether the host is not there any more afterwards.
    #[must_use]
    pub const fn kills(self) -> bool {
        matches!(self, Self::DiesBefore | Self::DiesAfter)
    }

    /// Whether another host acts while the first stands still.
    #[must_use]
    pub const fn brings_a_rival(self) -> bool {
        matches!(self, Self::Overtaken | Self::Redelivered | Self::ReplyLate)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading a schedule: {word:?} is no fault; the faults are: {}", Fault::ALL.map(Fault::word).join(", "))]
pub struct UnknownFault {
    /// The word.
    pub word: String,
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|fault| fault.word() == text)
            .ok_or_else(|| UnknownFault { word: text.to_owned() })
    }
}

/// The door, or the side of the sandbox, that a point stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// A call of the step into the host.
    Step,
    /// A write of the ledger.
    Ledger,
    /// A request to a destination of this tier, as it was declared.
    Destination(Tier),
    /// A question to a destination whether it has a record.
    LookUp,
    /// A question to a model.
    Model,
}

impl Door {
    /// What can go wrong here.
    #[must_use]
    pub const fn faults(self) -> &'static [Fault] {
        match self {
            // What a call of the step changes is collected in the run, or passes the ledger's door as well.
            Self::Step => &[Fault::DiesBefore, Fault::Overtaken],
            Self::Ledger => {
                &[Fault::DiesBefore, Fault::DiesAfter, Fault::Overtaken, Fault::Redelivered, Fault::Busy]
            }
            // A sender that is paused past its lease can write after the look-up said "not there": with such receivers that
            // is possible, and docs/guarantees.md says so. It is no finding.
            Self::Destination(Tier::Lookup) => {
                &[Fault::DiesBefore, Fault::DiesAfter, Fault::NotApplied, Fault::ReplyLost, Fault::ReplyLate]
            }
            Self::Destination(_) => &[
                Fault::DiesBefore,
                Fault::DiesAfter,
                Fault::NotApplied,
                Fault::ReplyLost,
                Fault::ReplyLate,
                Fault::Overtaken,
            ],
            Self::LookUp => &[Fault::DiesBefore, Fault::ReplyLost],
            Self::Model => &[
                Fault::DiesBefore,
                Fault::DiesAfter,
                Fault::Overtaken,
                Fault::Redelivered,
                Fault::ModelFails,
                Fault::ModelDown,
                Fault::ModelInvalid,
            ],
        }
    }
}
