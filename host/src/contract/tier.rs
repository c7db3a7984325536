//! What a receiver can promise, and what an ambiguous answer therefore means.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A receiver's tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Tier 1: it takes an idempotency key, so the same bytes may go out again under the same key.
    Key,
    /// Tier 2: it has a natural unique field, so the same upsert may go out again.
    Field,
    /// Tier 3: it can only be searched, so it is asked for the fingerprint before anything goes out again.
    Lookup,
    /// Tier 4: it can't tell a repeat from a new request, so an ambiguous answer leaves the effect in doubt.
    Blind,
}

/// What to do after an answer that leaves open whether the effect happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAmbiguous {
    /// The same bytes again, later.
    SendAgain,
    /// Ask whether it happened, once the receiver has settled; send again only what it does not have.
    LookUp,
    /// Nothing here can know; a person decides.
    InDoubt,
}

impl Tier {
    /// The word that is written in configurations and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Field => "field",
            Self::Lookup => "lookup",
            Self::Blind => "blind",
        }
    }

    /// Whether a receiver of this tier promises no less than one of the other.
    ///
    /// ```
    /// use onceward::contract::tier::Tier;
    /// assert!(Tier::Key.promises(Tier::Field) && Tier::Field.promises(Tier::Field));
    /// assert!(!Tier::Lookup.promises(Tier::Key));
    /// ```
    #[must_use]
    pub fn promises(self, weakest: Self) -> bool {
        self <= weakest
    }

    /// The tier's rule, `age_ms` after the first attempt, for a receiver that remembers keys for `retention_ms`.
    ///
    /// ```
    /// use onceward::contract::tier::{AfterAmbiguous, Tier};
    /// assert_eq!(Tier::Key.after_ambiguous(1_000, 86_400_000), AfterAmbiguous::SendAgain);
    /// // A key that the receiver may have forgotten protects nothing.
    /// assert_eq!(Tier::Key.after_ambiguous(86_400_001, 86_400_000), AfterAmbiguous::InDoubt);
    /// assert_eq!(Tier::Field.after_ambiguous(i64::MAX, 0), AfterAmbiguous::SendAgain);
    /// assert_eq!(Tier::Lookup.after_ambiguous(i64::MAX, 0), AfterAmbiguous::LookUp);
    /// assert_eq!(Tier::Blind.after_ambiguous(0, 86_400_000), AfterAmbiguous::InDoubt);
    /// ```
    #[must_use]
    pub fn after_ambiguous(self, age_ms: i64, retention_ms: i64) -> AfterAmbiguous {
        match self {
            Self::Key if age_ms <= retention_ms => AfterAmbiguous::SendAgain,
            Self::Field => AfterAmbiguous::SendAgain,
            Self::Lookup => AfterAmbiguous::LookUp,
            Self::Key | Self::Blind => AfterAmbiguous::InDoubt,
        }
    }
}
