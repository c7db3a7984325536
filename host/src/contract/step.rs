//! The contract a step exports.
//!
//! Owns its parts and what makes them usable together; how it is written into the ledger and read back is
//! [`recorded`]'s. Refuses a contract that can't work, when it is loaded and not when the first event comes.

pub mod recorded;
mod error;

pub use crate::contract::step::error::ContractError;

use crate::contract::capability::{Mode, WantedDestination};
use crate::contract::response::Response;
use crate::contract::window::Window;
use crate::identity::pointer::Pointer;
use crate::identity::rules::Rules;
use crate::identity::work_id::Identity;
use serde::{Deserialize, Serialize};

/// The longest name of a step. It stands in readable keys and file names.
pub const NAME_LIMIT_BYTES: usize = 64;

/// The longest name of a marker, a destination or a model. An operator types it.
pub const REFERENCE_LIMIT_BYTES: usize = 128;

/// The most destinations or models one step may ask for; a step that wants more is several steps.
pub const CAPABILITY_LIMIT: usize = 64;

/// Identity, window and response of a step, and the capabilities it asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
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
    /// What is kept of its runs.
    #[serde(default)]
    pub mode: Mode,
    /// Destinations the step asks for.
    pub destinations: Vec<WantedDestination>,
    /// Models the step asks for.
    pub models: Vec<String>,
}

/// Whether a step may be named so, or an outside caller's scope, which stands in a step's place: lower-case letters, digits
/// and hyphens, at most [`NAME_LIMIT_BYTES`].
///
/// ```
/// use onceward::contract::step::is_usable_name;
/// assert!(is_usable_name("lead-classifier"));
/// assert!(!is_usable_name("Lead Classifier") && !is_usable_name(""));
/// ```
#[must_use]
pub fn is_usable_name(name: &str) -> bool {
    let usable = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= NAME_LIMIT_BYTES && name.chars().all(usable)
}

impl StepContract {
    /// Refuse a contract that can't work, naming what is wrong.
    pub fn validate(&self) -> Result<(), ContractError> {
        if !is_usable_name(&self.name) {
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
        self.refuse_idle_window()?;
        let usable = |name: &String| !name.trim().is_empty() && name.len() <= REFERENCE_LIMIT_BYTES;
        let destinations = self.destinations.iter().map(|wanted| &wanted.name).collect::<Vec<_>>();
        for (what, names) in [("destinations", destinations), ("models", self.models.iter().collect())] {
            if names.len() > CAPABILITY_LIMIT || !names.into_iter().all(usable) {
                return Err(ContractError::Capabilities { step: self.name.clone(), what });
            }
        }
        Ok(())
    }

    /// A window that ends as it begins, or that nobody can end, forgets every key or none by accident.
    fn refuse_idle_window(&self) -> Result<(), ContractError> {
        match &self.window {
            Window::Duration(0) => Err(ContractError::NoWindow(self.name.clone())),
            Window::UntilMarker(marker)
                if marker.trim().is_empty() || marker.len() > REFERENCE_LIMIT_BYTES =>
            {
                Err(ContractError::Marker(self.name.clone()))
            }
            Window::ForEver | Window::Duration(_) | Window::UntilMarker(_) => Ok(()),
        }
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

#[cfg(test)]
mod tests;
