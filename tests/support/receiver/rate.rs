//! How many writes a second the receiver lets in.
//!
//! Owns the times of the writes of the last second, in memory, so a restart lets in as many again.
//! Writes beyond the rate are turned away and use nothing of it. It can't fail.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

/// The span that a rate speaks of, and what a write that is turned away is told to wait. One that
/// waits so long finds at least one place free.
pub(super) const SPAN_S: u64 = 1;

/// The limit of one receiver.
#[derive(Debug)]
pub(super) struct Rate {
    per_second: Option<NonZeroU32>,
    /// When the writes of the last second came in, the oldest first. It holds no more than the
    /// rate, and no more than the machine can do in a second.
    admitted: Mutex<VecDeque<Instant>>,
}

impl Rate {
    /// A limit, or none.
    pub(super) fn new(per_second: Option<NonZeroU32>) -> Self {
        Self { per_second, admitted: Mutex::default() }
    }

    /// Whether a write that comes now is let in.
    pub(super) fn admits(&self) -> bool {
        let Some(per_second) = self.per_second else {
            return true;
        };
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        // The clock is read under the lock, so that the times stand in their order.
        admit(&mut admitted, per_second, Instant::now())
    }
}

/// Lets a write in unless the second before it is full.
fn admit(admitted: &mut VecDeque<Instant>, per_second: NonZeroU32, now: Instant) -> bool {
    let old = |then: &Instant| now.duration_since(*then) >= Duration::from_secs(SPAN_S);
    while admitted.front().is_some_and(old) {
        admitted.pop_front();
    }
    let free = admitted.len() < usize::try_from(per_second.get()).unwrap_or(usize::MAX);
    if free {
        admitted.push_back(now);
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_wherever_it_begins_holds_more_writes_than_the_rate() {
        let start = Instant::now();
        let mut admitted = VecDeque::new();
        let two = NonZeroU32::new(2).unwrap();
        for (at_ms, expected) in [
            (0, true),
            (900, true),
            (901, false),
            (999, false),
            (1_000, true),
            (1_001, false),
            (1_899, false),
            (1_900, true),
            (9_000, true),
            (9_000, true),
            (9_000, false),
        ] {
            let now = start + Duration::from_millis(at_ms);
            assert_eq!(admit(&mut admitted, two, now), expected, "{at_ms}");
        }
    }

    #[test]
    fn a_receiver_without_a_rate_lets_everything_in() {
        let rate = Rate::new(None);
        assert!((0..10_000).all(|_| rate.admits()));
        assert!(rate.admitted.lock().unwrap().is_empty());
    }
}
