//! Why a contract was refused.
//!
//! Owns the words alone; every one names the step and the remedy.

use crate::contract::step::CAPABILITY_LIMIT;
use crate::contract::step::NAME_LIMIT_BYTES;
use crate::contract::step::REFERENCE_LIMIT_BYTES;
use crate::identity::rules::RulesError;
use crate::identity::work_id::IdentityError;

/// Why a contract was refused.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// The name is not usable.
    #[error(
        "reading the contract: the name {0:?} is not usable; take lower-case letters, digits and hyphens, at most {NAME_LIMIT_BYTES}"
    )]
    Name(String),
    /// The version is zero.
    #[error("reading the contract of {0:?}: version 0; versions count from 1")]
    Version(String),
    /// The identity is not usable.
    #[error("reading the contract of {step:?}: its identity is not usable")]
    Identity {
        /// The step.
        step: String,
        /// What is wrong with it.
        source: IdentityError,
    },
    /// A field of the identity is volatile as well, so that it would be stripped before it is read.
    #[error(
        "reading the contract of {step:?}: the identity field {field:?} is volatile too; a field that changes with each delivery can't identify work"
    )]
    VolatileIdentity {
        /// The step.
        step: String,
        /// The field.
        field: String,
    },
    /// A normalisation rule is not usable, or counts on built-in lists that this host does not know.
    #[error("reading the contract of {step:?}: a normalisation rule is not usable")]
    Rules {
        /// The step.
        step: String,
        /// Which rule, and why.
        source: RulesError,
    },
    /// The window is 0 seconds long.
    #[error(
        "reading the contract of {0:?}: its window is 0 seconds long, so that every duplicate would be new work; give the seconds in which a duplicate can still come, or take the window for-ever"
    )]
    NoWindow(String),
    /// The window's marker has no usable name.
    #[error(
        "reading the contract of {0:?}: its window waits for a marker whose name is blank or longer than {REFERENCE_LIMIT_BYTES} bytes; give the name that the operator sets"
    )]
    Marker(String),
    /// Too many capabilities, or a blank or too long name among them.
    #[error(
        "reading the contract of {step:?}: {what} must be at most {CAPABILITY_LIMIT} names, none blank or longer than {REFERENCE_LIMIT_BYTES} bytes; split the step or correct the names"
    )]
    Capabilities {
        /// The step.
        step: String,
        /// "destinations" or "models".
        what: &'static str,
    },
    /// The identity part changed although the version did not.
    #[error(
        "loading {step:?}: identity or normalisation differ from the recorded contract of version {version}; raise the version, or old events would become new work"
    )]
    ChangedWithoutVersion {
        /// The step.
        step: String,
        /// The version that both claim.
        version: u32,
    },
    /// A contract was recorded in a format that this host does not know.
    #[error(
        "reading the recorded contract of {step:?}: it is in format {format}, and this host reads formats 1 to {known}; run a host at least as new as the one that recorded it, since its identities can't be guessed"
    )]
    Format {
        /// The step.
        step: String,
        /// The format, as it is written there.
        format: String,
        /// The newest format that is known here.
        known: u32,
    },
    /// A recorded contract lacks a part, or holds something else there.
    #[error("reading a recorded contract: it is not what a host writes; restore the ledger from a backup")]
    Unreadable(#[source] serde_json::Error),
}
