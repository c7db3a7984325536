//! The clock door: time of day and randomness.
//!
//! Owns the only way to either. Everything that depends on them takes a [`Clock`], so that tests and `verify` can move
//! time and repeat chance. Deadlines inside one run (time-outs) use the runtime's monotonic timer instead, which
//! no ledger rule depends on.

use std::time::{SystemTime, UNIX_EPOCH};

/// Time of day and randomness, as the host sees them.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch. It may jump; the store keeps a high-water mark over it.
    fn now_ms(&self) -> i64;

    /// A number chosen evenly from `0..=ceiling`.
    fn random_up_to(&self, ceiling: u64) -> u64;
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
