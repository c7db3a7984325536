//! Budgets and delays: exponential with full jitter, bounded by attempts and by time.

use crate::clock::{Clock, backoff_ms};
use serde::{Deserialize, Serialize};

/// The longest wait that a step or a destination may ask for, in milliseconds (a day): more is a dead letter in disguise.
pub const WAIT_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

/// When to try again, and when no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryPolicy {
    /// Attempts in all.
    pub attempts_max: u32,
    /// The first delay's ceiling, in milliseconds; it doubles with each attempt.
    pub base_ms: u64,
    /// The largest ceiling, in milliseconds.
    pub ceiling_ms: u64,
    /// No attempt begins later than this after the first, in milliseconds.
    pub age_max_ms: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts_max: 5, base_ms: 1_000, ceiling_ms: 300_000, age_max_ms: 24 * 60 * 60 * 1_000 }
    }
}

impl RetryPolicy {
    /// Why there is no further attempt after this one, where there is none.
    #[must_use]
    pub fn exhausted(&self, attempt: u32, age_ms: i64) -> Option<String> {
        if attempt >= self.attempts_max {
            return Some(format!("attempts used up ({attempt})"));
        }
        let age_ms = u64::try_from(age_ms).unwrap_or(0);
        (age_ms > self.age_max_ms).then(|| format!("time used up ({} s)", age_ms / 1_000))
    }

    /// How long to wait after this attempt, in milliseconds: chance below the ceiling, but at least what the other side
    /// asked for.
    pub fn delay_ms(&self, clock: &dyn Clock, attempt: u32, asked_ms: Option<u64>) -> i64 {
        let delay = backoff_ms(clock, self.base_ms, self.ceiling_ms, attempt);
        let delay = delay.max(asked_ms.unwrap_or(0)).min(WAIT_MAX_MS);
        i64::try_from(delay).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::RetryPolicy;
    use crate::clock::Clock;

    /// Chance that always takes the ceiling.
    struct Highest;

    impl Clock for Highest {
        fn now_ms(&self) -> i64 {
            0
        }

        fn random_up_to(&self, ceiling: u64) -> u64 {
            ceiling
        }
    }

    #[test]
    fn delays_double_up_to_the_ceiling_and_never_overflow() {
        let policy = RetryPolicy { base_ms: 100, ceiling_ms: 1_000, ..RetryPolicy::default() };
        let delays = [1, 2, 3, 4, 5, u32::MAX].map(|attempt| policy.delay_ms(&Highest, attempt, None));
        assert_eq!(delays, [100, 200, 400, 800, 1_000, 1_000]);
    }

    #[test]
    fn what_the_other_side_asks_for_is_a_floor_within_a_day() {
        let policy = RetryPolicy { base_ms: 100, ..RetryPolicy::default() };
        assert_eq!(policy.delay_ms(&Highest, 1, Some(5_000)), 5_000);
        assert_eq!(policy.delay_ms(&Highest, 1, Some(u64::MAX)), 86_400_000);
    }

    #[test]
    fn attempts_and_time_both_end_it() {
        let policy = RetryPolicy { attempts_max: 3, age_max_ms: 10_000, ..RetryPolicy::default() };
        assert!(policy.exhausted(2, 10_000).is_none());
        assert!(policy.exhausted(3, 0).is_some());
        assert!(policy.exhausted(1, 10_001).is_some());
    }
}
