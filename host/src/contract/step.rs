//! The contract a step exports.

use crate::contract::response::Response;
use crate::contract::window::Window;
use crate::identity::pointer::Pointer;
use crate::identity::rules::Rules;
use crate::identity::rules::RulesError;
use crate::identity::work_id::Identity;
use crate::identity::work_id::IdentityError;
use serde::{Deserialize, Serialize};

/// The longest name of a step. It stands in readable keys and file names.
pub const NAME_LIMIT_BYTES: usize = 64;

/// The most destinations or models one step may ask for; a step that wants more is several steps.
pub const CAPABILITY_LIMIT: usize = 64;

/// Identity, window and response of a step, and the capabilities it asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepContract {
    /// The step's name.
    pub name: String,
    /// Raised whenever identity or normalisation change. From 1.
    pub version: u32,
    /// What makes two events the same work.
    pub identity: Identity,
    /// How payloads are normalised before they are compared or hashed.
    pub rules: Rules,
    /// How long a key is remembered.
    pub window: Window,
    /// What a duplicate of finished work is answered.
    pub response: Response,
    /// Destinations the step asks for.
    pub destinations: Vec<String>,
    /// Models the step asks for.
    pub models: Vec<String>,
}

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
    /// A JSON Pointer is malformed.
    #[error("reading the contract of {step:?}: a normalisation rule is not usable")]
    Rules {
        /// The step.
        step: String,
        /// Which rule, and why.
        source: RulesError,
    },
    /// Too many capabilities, or an empty name among them.
    #[error(
        "reading the contract of {step:?}: {what} must be at most {CAPABILITY_LIMIT} names, none empty; split the step or name them"
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
}

impl StepContract {
    /// Refuse a contract that can't work, naming what is wrong.
    pub fn validate(&self) -> Result<(), ContractError> {
        let usable = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || self.name.len() > NAME_LIMIT_BYTES || !self.name.chars().all(usable) {
            return Err(ContractError::Name(self.name.clone()));
        }
        if self.version == 0 {
            return Err(ContractError::Version(self.name.clone()));
        }
        self.rules.validate().map_err(|source| ContractError::Rules { step: self.name.clone(), source })?;
        self.identity
            .validate()
            .map_err(|source| ContractError::Identity { step: self.name.clone(), source })?;
        self.refuse_volatile_identity()?;
        for (what, names) in [("destinations", &self.destinations), ("models", &self.models)] {
            if names.len() > CAPABILITY_LIMIT || names.iter().any(String::is_empty) {
                return Err(ContractError::Capabilities { step: self.name.clone(), what });
            }
        }
        Ok(())
    }

    /// A field that changes with each delivery can't identify work.
    fn refuse_volatile_identity(&self) -> Result<(), ContractError> {
        let Identity::BusinessKey(fields) = &self.identity else { return Ok(()) };
        for field in fields {
            // The identity has been validated, so that every field is a pointer.
            let Ok(pointer) = Pointer::parse(field) else { continue };
            let stripped = self
                .rules
                .strips(&pointer)
                .map_err(|source| ContractError::Rules { step: self.name.clone(), source })?;
            if stripped {
                return Err(ContractError::VolatileIdentity {
                    step: self.name.clone(),
                    field: field.clone(),
                });
            }
        }
        Ok(())
    }

    /// Whether both give every event the same identity and compare the same content.
    #[must_use]
    pub fn identifies_like(&self, other: &Self) -> bool {
        self.identity == other.identity && self.rules == other.rules
    }
}
