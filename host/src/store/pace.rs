//! The pace of a destination: how often it may be called, and when it is left alone.
//!
//! A destination that fails again and again is left to rest, longer each time. Then one row at a time goes out, until an
//! answer shows that it is well. Rows wait meanwhile without losing an attempt.
//!
//! ```text
//!  closed ──failures in a row──► resting ──its time is over──► half open ──an answer──► closed
//!                                   ▲                             │
//!                                   └──────── a failure ──────────┘
//! ```

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far ahead of its even spread a call may go, in microseconds: what timers and a pass over the outbox can't tell apart.
pub(crate) const BURST_US: i64 = 10_000;

/// How often a destination may be called. The calls are spread evenly, and all hosts of a ledger share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// So many calls ...
    pub calls: u32,
    /// ... in this time, in milliseconds.
    pub per_ms: u64,
}

impl Rate {
    /// The time between two calls, in microseconds.
    ///
    /// ```
    /// use onceward::store::pace::Rate;
    /// assert_eq!(Rate { calls: 10, per_ms: 1_000 }.interval_us(), 100_000);
    /// assert_eq!(Rate { calls: 3, per_ms: 1_000 }.interval_us(), 333_334);
    /// ```
    #[must_use]
    pub fn interval_us(self) -> i64 {
        let interval = self.per_ms.saturating_mul(1_000).div_ceil(u64::from(self.calls.max(1)));
        i64::try_from(interval.max(1)).unwrap_or(i64::MAX)
    }

    /// The longest that a row waits for the rate alone while it is kept, in milliseconds.
    #[must_use]
    pub fn wait_max_ms(self) -> i64 {
        self.interval_us().saturating_add(BURST_US) / 1_000 + 1
    }
}

/// When a destination rests that fails again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Breaker {
    /// It rests after so many failures in a row; with 0 never.
    pub failures: u32,
    /// The first rest, in milliseconds; it doubles with each further failure.
    pub base_ms: u64,
    /// The longest rest, in milliseconds.
    pub ceiling_ms: u64,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { failures: 5, base_ms: 5_000, ceiling_ms: 300_000 }
    }
}

impl Breaker {
    /// How long it rests after so many failures in a row, in milliseconds, where it does.
    ///
    /// ```
    /// use onceward::store::pace::Breaker;
    /// let breaker = Breaker { failures: 3, base_ms: 1_000, ceiling_ms: 3_000 };
    /// let rests = [0, 2, 3, 4, 5, u32::MAX].map(|failures| breaker.rest_ms(failures));
    /// assert_eq!(rests, [None, None, Some(1_000), Some(2_000), Some(3_000), Some(3_000)]);
    /// assert_eq!(Breaker { failures: 0, ..breaker }.rest_ms(7), None);
    /// ```
    #[must_use]
    pub fn rest_ms(self, failures: u32) -> Option<i64> {
        let further = failures.checked_sub(self.failures).filter(|_| self.failures > 0)?;
        let doubled = self.base_ms.saturating_mul(1_u64.checked_shl(further).unwrap_or(u64::MAX));
        Some(i64::try_from(doubled.min(self.ceiling_ms)).unwrap_or(i64::MAX))
    }
}

/// What an attempt shows of its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answers as it should, be it by a refusal.
    Well,
    /// It does not: the row was not applied, or nobody knows whether it was.
    Unwell {
        /// How long it wants to be left alone altogether, in milliseconds, where it says so.
        waits_ms: Option<u64>,
    },
}

/// How it stands with the pace of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DestinationPace {
    /// The destination.
    pub destination: String,
    /// When its rate, or its own wish, lets it be called again, Unix milliseconds.
    pub free_at_ms: i64,
    /// How often it has failed in a row.
    pub failures: u32,
    /// When it failed last, Unix milliseconds, where it has not been well since.
    pub failed_ms: Option<i64>,
    /// Until when it rests, Unix milliseconds. After it one row at a time goes out, until it is well.
    pub rests_until_ms: Option<i64>,
}
