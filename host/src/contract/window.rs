//! How long a key is remembered.

use serde::{Deserialize, Serialize};

/// The second part of a contract. It starts when everything that belongs to a work has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// Keys are never forgotten.
    ForEver,
    /// Keys are remembered for this many seconds.
    Duration(u64),
    /// Keys are remembered until the operator sets the marker of this name.
    UntilMarker(String),
}

impl Window {
    /// Whether an event of this original time may have been forgotten already, so that it can't be told from new work.
    ///
    /// ```
    /// use onceward::contract::window::Window;
    /// assert!(Window::Duration(60).is_too_old(1_000, 62_000));
    /// assert!(!Window::Duration(60).is_too_old(2_000, 62_000));
    /// assert!(!Window::ForEver.is_too_old(0, i64::MAX));
    /// ```
    #[must_use]
    pub fn is_too_old(&self, occurred_at_ms: i64, now_ms: i64) -> bool {
        match self {
            Self::ForEver | Self::UntilMarker(_) => false,
            Self::Duration(seconds) => {
                let length_ms = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
                now_ms.saturating_sub(occurred_at_ms) > length_ms
            }
        }
    }
}
