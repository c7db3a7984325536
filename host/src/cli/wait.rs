//! `--wait`: how long a command goes on with what becomes due.

use std::time::{Duration, Instant};

/// The longest `--wait`, in seconds: thirty days. A supervisor that wants longer calls again.
const WAIT_MAX_S: u64 = 30 * 24 * 60 * 60;

/// The longest sleep between two passes, in milliseconds, so that a moved clock is noticed.
const NAP_MAX_MS: u64 = 1_000;

/// The shortest sleep between two passes, in milliseconds: what is due and can't be taken (another sender has it, its
/// lease ends this moment) must not turn the wait into a loop that takes a whole core.
const NAP_MIN_MS: u64 = 5;

/// The argument, for the commands that have it.
#[derive(Debug, clap::Args)]
pub(super) struct Wait {
    /// Go on with retries that become due within so many seconds. What waits for a destination's rate alone is sent in any case.
    #[arg(
        long = "wait",
        default_value_t = 0,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(..=WAIT_MAX_S)
    )]
    seconds: u64,
}

/// The time that is left of a wait.
pub(super) struct Patience {
    until: Instant,
}

impl Wait {
    /// Begin to wait.
    pub(super) fn begin(&self) -> Patience {
        Patience { until: Instant::now() + Duration::from_secs(self.seconds.min(WAIT_MAX_S)) }
    }
}

impl Patience {
    /// Whether the time is up.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Sleep until the due time, or for as long as one may sleep. What waits for a destination's rate alone is due now,
    /// whatever the patience.
    pub(super) async fn nap(&self, due_ms: i64, paced_until_ms: Option<i64>, now_ms: i64) {
        let left = self.until.saturating_duration_since(Instant::now());
        let nap = Duration::from_millis(nap_ms(due_ms, now_ms)).min(left);
        let paced = paced_until_ms.map(|until_ms| Duration::from_millis(nap_ms(until_ms, now_ms)));
        tokio::time::sleep(if left.is_zero() { paced.unwrap_or(nap) } else { nap }).await;
    }
}

fn nap_ms(due_ms: i64, now_ms: i64) -> u64 {
    u64::try_from(due_ms.saturating_sub(now_ms)).unwrap_or(0).clamp(NAP_MIN_MS, NAP_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::nap_ms;

    #[test]
    fn a_nap_is_never_nothing_and_never_long() {
        let check = |due_ms: i64, now_ms: i64, expected: u64| assert_eq!(nap_ms(due_ms, now_ms), expected);
        check(1_000, 1_000, 5);
        check(0, 1_000, 5);
        check(i64::MIN, i64::MAX, 5);
        check(1_300, 1_000, 300);
        check(i64::MAX, 0, 1_000);
    }
}
