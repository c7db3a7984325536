//! How long a key is remembered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The second part of a contract. It starts when everything that belongs to a work has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
            Self::Duration(seconds) => now_ms.saturating_sub(occurred_at_ms) > length_ms(*seconds),
        }
    }

    /// Its length in milliseconds, where time ends it.
    #[must_use]
    pub fn length_ms(&self) -> Option<i64> {
        match self {
            Self::ForEver | Self::UntilMarker(_) => None,
            Self::Duration(seconds) => Some(length_ms(*seconds)),
        }
    }

    /// The marker that ends it, where one does.
    #[must_use]
    pub fn marker(&self) -> Option<&str> {
        match self {
            Self::UntilMarker(name) => Some(name),
            Self::ForEver | Self::Duration(_) => None,
        }
    }

    /// The earliest moment after which an event that arrives now may be forgotten, in Unix milliseconds; with a marker, the
    /// latest moment at which setting it does not forget the event yet. None where it is kept for ever. A window never
    /// begins before the event's original time: a sender's clock may be ahead.
    ///
    /// ```
    /// use onceward::contract::window::Window;
    /// assert_eq!(Window::Duration(60).forget_after_ms(1_000, 5_000), Some(65_000));
    /// assert_eq!(Window::Duration(60).forget_after_ms(9_000, 5_000), Some(69_000));
    /// assert_eq!(Window::UntilMarker("synced".into()).forget_after_ms(1_000, 5_000), Some(5_000));
    /// assert_eq!(Window::ForEver.forget_after_ms(1_000, 5_000), None);
    /// ```
    #[must_use]
    pub fn forget_after_ms(&self, occurred_at_ms: i64, now_ms: i64) -> Option<i64> {
        let begins_ms = occurred_at_ms.max(now_ms);
        match self {
            Self::ForEver => None,
            Self::UntilMarker(_) => Some(begins_ms),
            Self::Duration(seconds) => Some(begins_ms.saturating_add(length_ms(*seconds))),
        }
    }
}

fn length_ms(seconds: u64) -> i64 {
    i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX)
}
