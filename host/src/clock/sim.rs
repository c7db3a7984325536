//! A clock that stands still until it is moved, and chance that repeats: what tests and `verify` hold in their hands.

use crate::clock::Clock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Where simulated time begins: 2026-01-01T00:00:00Z.
pub const START_MS: i64 = 1_767_225_600_000;

/// Simulated time and seeded chance.
#[derive(Debug)]
pub struct SimClock {
    now_ms: AtomicI64,
    chance: AtomicU64,
}

impl Default for SimClock {
    fn default() -> Self {
        Self { now_ms: AtomicI64::new(START_MS), chance: AtomicU64::new(0x9E37_79B9_7F4A_7C15) }
    }
}

impl SimClock {
    /// The same with other chance.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { chance: AtomicU64::new(seed), ..Self::default() }
    }

    /// Move time on to a moment, Unix milliseconds; a moment that has passed changes nothing.
    pub fn advance_to(&self, at_ms: i64) {
        self.now_ms.fetch_max(at_ms, Ordering::SeqCst);
    }

    /// Move time on, or back where `by_ms` is negative.
    pub fn advance(&self, by_ms: i64) {
        self.now_ms.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl Clock for SimClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn random_up_to(&self, ceiling: u64) -> u64 {
        // SplitMix64 (Steele, Lea and Flood, 2014): one step a call.
        let mut z = self.chance.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::SeqCst);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ceiling.checked_add(1).map_or(z, |bound| z % bound)
    }
}
