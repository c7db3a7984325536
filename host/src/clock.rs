//! The clock door: time of day and randomness.
//!
//! Owns the only way to either. Everything that depends on them takes a [`Clock`], so that tests and `verify` can move
//! time and repeat chance. Deadlines inside one run (time-outs) use the runtime's monotonic timer instead, which
//! no ledger rule depends on.

pub mod sim;

use std::time::{SystemTime, UNIX_EPOCH};

/// Time of day and randomness, as the host sees them.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch. It may jump; the store keeps a high-water mark over it.
    fn now_ms(&self) -> i64;

    /// A number chosen evenly from `0..=ceiling`.
    fn random_up_to(&self, ceiling: u64) -> u64;
}

/// How long to wait after this attempt, in milliseconds: chance below a ceiling that begins at `base_ms`, doubles with each
/// attempt and ends at `ceiling_ms` (full jitter, so that those who failed together do not come back together).
///
/// ```
/// use onceward::clock::{SystemClock, backoff_ms};
/// assert!(backoff_ms(&SystemClock, 100, 1_000, 2) <= 200);
/// assert!(backoff_ms(&SystemClock, 100, 1_000, u32::MAX) <= 1_000);
/// ```
pub fn backoff_ms(clock: &dyn Clock, base_ms: u64, ceiling_ms: u64, attempt: u32) -> u64 {
    let doublings = attempt.saturating_sub(1).min(63);
    clock.random_up_to(base_ms.saturating_mul(1_u64 << doublings).min(ceiling_ms))
}

/// The machine's clock and the process's random numbers.
///
/// ```
/// use onceward::clock::{Clock, SystemClock};
/// assert!(SystemClock.now_ms() > 1_700_000_000_000);
/// assert!(SystemClock.random_up_to(3) <= 3);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock door's home")]
    fn now_ms(&self) -> i64 {
        // A clock before 1970 is a broken clock; zero is then as good as any, since the store never goes back.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock door's home")]
    fn random_up_to(&self, ceiling: u64) -> u64 {
        fastrand::u64(0..=ceiling)
    }
}
