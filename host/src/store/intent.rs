//! Intents: effects that an outside caller does itself, as the store takes and gives them.
//!
//! A caller says what it is about to do before it does it, and afterwards that it has happened. Between the two nobody
//! else can know, so a lease that ends there puts the work in doubt.
//!
//! ```text
//!  open ──effect_record──────────────► recorded     it has happened
//!   │ └── settle(done) ──────────────► recorded     without a reference
//!   ├──── settle(retry, reject) ─────► withdrawn    it has not happened, the caller says; also settle(give back)
//!   └──── lease end, settle(doubt) ──► (stays open; the work is in doubt until a person resolves it)
//! ```

use crate::contract::fence::Token;
use crate::store::work::{Holder, WorkState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is known of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntentState {
    /// The caller was about to do it, and has not said what came of it.
    Open,
    /// It has happened.
    Recorded,
    /// It has not happened.
    Withdrawn,
}

impl IntentState {
    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Recorded => "recorded",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The state of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Open, Self::Recorded, Self::Withdrawn].into_iter().find(|state| state.word() == word)
    }
}

/// An effect that a caller said it would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Intent {
    /// The caller's name for it within the work.
    pub slot: String,
    /// The number of the token it was opened or recorded under.
    pub token: i64,
    /// When, Unix milliseconds.
    pub opened_ms: i64,
    /// What is known of it.
    pub state: IntentState,
    /// The id the third party gave.
    pub external_reference: Option<String>,
    /// Whether it was recorded when the claim had ended already.
    pub late: bool,
}

/// A caller's word that an effect has happened.
#[derive(Clone, Debug)]
pub struct EffectRecord {
    /// The claim it was done under. It may have been lost meanwhile.
    pub token: Token,
    /// The caller's name for the effect.
    pub slot: String,
    /// The id the third party gave.
    pub external_reference: Option<String>,
}

/// What became of a caller's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is on record.
    Applied,
    /// It was on record already, and that record stands.
    Already {
        /// The reference on record.
        external_reference: Option<String>,
    },
    /// The claim had ended. The word is kept as evidence, and unfinished work is in doubt now.
    Late {
        /// How the work stands now.
        state: WorkState,
    },
    /// There is no such work of a caller, or this token was never given out for it.
    Unknown,
}

/// A holder's wish to hold its claim for longer.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The claim.
    pub token: Token,
    /// Who asks. A caller can't hold the work of a step in this host for longer, nor the other way round.
    pub holder: Holder,
    /// How long it shall hold from now, in milliseconds. A lease is never shortened.
    pub lease_ms: i64,
    /// The next effect that an outside caller is about to do.
    pub intent: Option<String>,
}

/// What became of the wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extended {
    /// The claim holds.
    Applied {
        /// When the lease ends now, Unix milliseconds.
        lease_until_ms: i64,
        /// The work's effects, oldest first. One that has been recorded must not be done again.
        intents: Vec<Intent>,
    },
    /// The claim is no longer the caller's. Nothing changed.
    LeaseLost,
}
