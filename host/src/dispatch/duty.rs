//! Background duties, and the one loop around all of them.
//!
//! A duty does what is due and says when it wants to be called again. The loop waits for that time, or for a nudge, and
//! ends when the host stops. A failed pass is logged and tried again later; a store that has stopped for good stops the
//! host, since nothing can be acknowledged after it.

use crate::clock::Clock;
use crate::dispatch::error::DispatchError;
use crate::store::error::StoreError;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest wait between two passes, in milliseconds, so that a moved clock and a lease that ended are noticed.
const REST_MAX_MS: u64 = 1_000;

/// The shortest, in milliseconds, from the beginning of one pass to that of the next, however often the duty is nudged meanwhile:
/// one pass looks for all that has come to its end within a moment. What is due and can't be taken does not turn the loop into
/// one that takes a whole core either.
const REST_MIN_MS: u64 = 5;

/// The wait after a failed pass, in milliseconds.
const FAILED_REST_MS: u64 = 500;

/// What a pass did, as far as the loop needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Whether anything was done, so that there may be more.
    pub busy: bool,
    /// When there will be something to do, Unix milliseconds, where that is known.
    pub next_due_ms: Option<i64>,
}

/// A background duty. A pass is idempotent, takes no input, and is the same after a crash as in fair weather.
#[async_trait]
pub trait Duty: Send + Sync {
    /// Its name, for the log.
    fn name(&self) -> String;

    /// Do what is due.
    async fn pass(&self) -> Result<Pass, DispatchError>;
}

/// Call a duty again and again until the host stops. It returns the error that ends the host, where one does.
///
/// # Errors
/// [`StoreError`], where the store has stopped for good.
pub async fn keep(
    duty: &dyn Duty,
    clock: &dyn Clock,
    nudged: &Arc<Notify>,
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    while !stop.is_cancelled() {
        let next = Instant::now() + Duration::from_millis(REST_MIN_MS);
        let rest_ms = match duty.pass().await {
            Ok(pass) => rest_ms(pass, clock.now_ms()),
            Err(DispatchError::Store(error @ (StoreError::Disk { .. } | StoreError::Stopped))) => {
                return Err(error);
            }
            Err(error) => {
                tracing::error!(
                    duty = duty.name(),
                    error = &error as &dyn std::error::Error,
                    "a pass failed"
                );
                FAILED_REST_MS
            }
        };
        tokio::select! {
            () = nudged.notified() => {}
            () = tokio::time::sleep(Duration::from_millis(rest_ms)) => {}
            () = stop.cancelled() => {}
        }
        tokio::time::sleep_until(next).await;
    }
    Ok(())
}

fn rest_ms(pass: Pass, now_ms: i64) -> u64 {
    if pass.busy {
        return REST_MIN_MS;
    }
    let left_ms = pass.next_due_ms.map_or(i64::MAX, |due_ms| due_ms.saturating_sub(now_ms));
    u64::try_from(left_ms).unwrap_or(0).clamp(REST_MIN_MS, REST_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::{Pass, rest_ms};

    #[test]
    fn a_rest_is_never_nothing_and_never_long() {
        let check = |busy, next_due_ms, expected| {
            assert_eq!(rest_ms(Pass { busy, next_due_ms }, 1_000), expected, "{busy} {next_due_ms:?}");
        };
        check(true, Some(9_000), 5);
        check(false, None, 1_000);
        check(false, Some(0), 5);
        check(false, Some(1_300), 300);
        check(false, Some(i64::MAX), 1_000);
        check(false, Some(i64::MIN), 5);
    }
}
