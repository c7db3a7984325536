//! The wall clock of one run: it stands still while a model is being waited for.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time spent, and time excused.
#[derive(Debug)]
pub(super) struct Wall {
    limit: Duration,
    started: Instant,
    excused: Mutex<Excused>,
}

#[derive(Debug, Default)]
struct Excused {
    total: Duration,
    since: Option<Instant>,
}

impl Wall {
    pub(super) fn start(limit_ms: u64) -> Self {
        Self { limit: Duration::from_millis(limit_ms), started: Instant::now(), excused: Mutex::default() }
    }

    /// Wait for something whose time is not the step's, but for a part that its output tells.
    pub(super) async fn excuse<T>(
        &self,
        waited_for: impl Future<Output = T>,
        own_time: impl FnOnce(&T) -> Duration,
    ) -> T {
        self.lock().since = Some(Instant::now());
        let output = waited_for.await;
        let own_time = own_time(&output);
        let mut excused = self.lock();
        if let Some(since) = excused.since.take() {
            excused.total += since.elapsed().saturating_sub(own_time);
        }
        output
    }

    /// Return when the limit is reached.
    pub(super) async fn expired(&self) {
        loop {
            let left = self.limit.saturating_sub(self.spent());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }

    fn spent(&self) -> Duration {
        let excused = self.lock();
        let waiting = excused.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.started.elapsed().saturating_sub(excused.total + waiting)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Excused> {
        self.excused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Wall;
    use std::time::Duration;

    #[tokio::test]
    async fn a_wait_is_excused_but_for_the_part_that_was_not_waiting() {
        let wait = Duration::from_millis(250);
        let check = async |own_ms: u64, over: bool| {
            let wall = Wall::start(200);
            wall.excuse(tokio::time::sleep(wait), |()| Duration::from_millis(own_ms)).await;
            assert_eq!(wall.spent() >= Duration::from_millis(200), over, "{own_ms}: {:?}", wall.spent());
        };
        check(0, false).await;
        check(220, true).await;
        // Whoever joined late waited for less than the part that is not excused.
        check(2_000, true).await;
    }
}
