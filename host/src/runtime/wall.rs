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

    /// Wait for something whose time is not the step's.
    pub(super) async fn excuse<T>(&self, waited_for: impl Future<Output = T>) -> T {
        self.lock().since = Some(Instant::now());
        let output = waited_for.await;
        let mut excused = self.lock();
        if let Some(since) = excused.since.take() {
            excused.total += since.elapsed();
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
