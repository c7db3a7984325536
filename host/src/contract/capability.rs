//! What a step asks for: a destination with the least that it must promise, and whether its runs are recorded.

use crate::contract::tier::Tier;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A destination that a step wants to enqueue to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WantedDestination {
    /// The operator's name for it.
    pub name: String,
    /// The weakest tier the step accepts.
    pub weakest: Tier,
}

impl WantedDestination {
    /// A destination whatever it promises.
    #[must_use]
    pub fn any(name: impl Into<String>) -> Self {
        Self { name: name.into(), weakest: Tier::Blind }
    }
}

/// What the host keeps of a step's runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Claims, decisions and effects.
    #[default]
    Recorded,
    /// Nothing: the step only reads, and whatever would act or be remembered is refused.
    ReadOnly,
}
