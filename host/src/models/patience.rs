//! How patient to be with a model.
//!
//! Owns the budget of one decision: calls, waits between them, and the whole time. It refuses nothing; the configuration
//! checks its bounds.

use crate::clock::{Clock, backoff_ms};
use serde::Deserialize;
use std::time::Duration;

/// How long a run waits for one answer where the operator says nothing, in milliseconds. Its claim and its place are held
/// meanwhile.
pub const DEFAULT_TIMEOUT_MS: u64 = 60_000;

/// When a model is asked again within one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelRetry {
    /// Calls in all.
    pub attempts_max: u32,
    /// The first wait's ceiling, in milliseconds; it doubles with each call.
    pub base_ms: u64,
    /// The largest ceiling, in milliseconds.
    pub ceiling_ms: u64,
}

impl Default for ModelRetry {
    fn default() -> Self {
        Self { attempts_max: 3, base_ms: 500, ceiling_ms: 10_000 }
    }
}

/// The budget of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// When to ask again.
    pub retry: ModelRetry,
    /// How long a run waits for the answer, all calls and waits together, in milliseconds. What takes longer is recorded
    /// when it comes, and the next attempt of the work finds it; no further call begins.
    pub timeout_ms: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { retry: ModelRetry::default(), timeout_ms: DEFAULT_TIMEOUT_MS }
    }
}

impl Patience {
    /// How long a run waits.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// How long to wait before another call, `calls` having been made in `spent`: chance, but at least what the provider
    /// asked for. None where the calls are used up, or where the time would be before the wait is over.
    ///
    /// ```
    /// use onceward::clock::SystemClock;
    /// use onceward::models::patience::Patience;
    /// use std::time::Duration;
    /// let (patience, second) = (Patience::default(), Duration::from_secs(1));
    /// assert_eq!(patience.wait_before_next(&SystemClock, 1, second, Some(7_000)), Some(7 * second));
    /// assert_eq!(patience.wait_before_next(&SystemClock, 3, second, None), None);
    /// assert_eq!(patience.wait_before_next(&SystemClock, 1, second, Some(86_400_000)), None);
    /// ```
    pub fn wait_before_next(
        &self,
        clock: &dyn Clock,
        calls: u32,
        spent: Duration,
        asked_ms: Option<u64>,
    ) -> Option<Duration> {
        if calls >= self.retry.attempts_max {
            return None;
        }
        let chance_ms = backoff_ms(clock, self.retry.base_ms, self.retry.ceiling_ms, calls);
        let wait = Duration::from_millis(chance_ms.max(asked_ms.unwrap_or(0)));
        (spent.saturating_add(wait) < self.timeout()).then_some(wait)
    }
}
