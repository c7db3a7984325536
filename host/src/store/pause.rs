//! Pauses: what has been stopped, by an operator or by a destination that refuses us.
//!
//! A pause stops new claims, takes and sends; what is under way comes to its end. Nothing is lost by it: events are
//! recorded and wait, rows wait without losing an attempt.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "scope", content = "name", rename_all = "kebab-case")]
pub enum PauseScope {
    /// Rows to a destination.
    Destination(String),
    /// Works of a step.
    Step(String),
    /// All of a namespace.
    Namespace,
    /// All of the ledger: the kill switch.
    Everything,
}

impl PauseScope {
    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Destination(_) => "destination",
            Self::Step(_) => "step",
            Self::Namespace => "namespace",
            Self::Everything => "everything",
        }
    }

    /// The name within its kind; empty where there is but one.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Destination(name) | Self::Step(name) => name,
            Self::Namespace | Self::Everything => "",
        }
    }

    /// For people.
    ///
    /// ```
    /// use onceward::store::pause::PauseScope;
    /// assert_eq!(PauseScope::Step("lead-intake".to_owned()).words(), "the step \"lead-intake\"");
    /// ```
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Destination(name) => format!("the destination {name:?}"),
            Self::Step(name) => format!("the step {name:?}"),
            Self::Namespace => "the namespace".to_owned(),
            Self::Everything => "everything".to_owned(),
        }
    }

    /// Whether it stops the other one too, of the same namespace.
    ///
    /// ```
    /// use onceward::store::pause::PauseScope;
    /// let step = PauseScope::Step("lead-intake".to_owned());
    /// assert!(step.stops(&step) && PauseScope::Namespace.stops(&step));
    /// assert!(!step.stops(&PauseScope::Namespace) && !PauseScope::Namespace.stops(&PauseScope::Everything));
    /// ```
    #[must_use]
    pub fn stops(&self, other: &Self) -> bool {
        match self {
            Self::Everything => true,
            Self::Namespace => *other != Self::Everything,
            Self::Destination(_) | Self::Step(_) => self == other,
        }
    }

    /// The scope of this word and name.
    #[must_use]
    pub fn from_word(word: &str, name: String) -> Option<Self> {
        match word {
            "destination" => Some(Self::Destination(name)),
            "step" => Some(Self::Step(name)),
            "namespace" => Some(Self::Namespace),
            "everything" => Some(Self::Everything),
            _ => None,
        }
    }
}

/// What stops this one: a pause of its own, of its namespace, or of everything.
#[must_use]
pub fn stopping<'a>(paused: &'a [Pause], one: &PauseScope) -> Option<&'a Pause> {
    paused.iter().find(|pause| pause.scope.stops(one))
}

/// A pause that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pause {
    /// What is stopped.
    #[serde(flatten)]
    pub scope: PauseScope,
    /// Why.
    pub cause: String,
    /// Who stopped it; nobody where the destination itself refuses us.
    pub paused_by: Option<String>,
    /// Since when, Unix milliseconds.
    pub paused_ms: i64,
}
