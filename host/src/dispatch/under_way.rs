//! The runs under way in this process, so that each of them can be stopped.
//!
//! A person may cancel a work between its claim and the beginning of its run. The store answers that the work runs, and here
//! is nothing yet to stop; so it is kept in mind, and the run is stopped as it begins.

use crate::contract::fence::Token;
use crate::identity::key::WorkId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Runs by work and claim.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    runs: BTreeMap<(WorkId, Token), CancellationToken>,
    /// Works that were cancelled, whose run has not ended or not begun. A cancelled work never runs again, so that none is
    /// stopped by mistake.
    cancelled: BTreeSet<WorkId>,
}

impl UnderWay {
    /// A run begins; what stops it.
    pub(super) fn begin(&self, work: WorkId, token: Token) -> CancellationToken {
        let mut inner = self.lock();
        let stop = CancellationToken::new();
        if inner.cancelled.contains(&work) {
            stop.cancel();
        }
        inner.runs.insert((work, token), stop.clone());
        stop
    }

    /// A run has ended.
    pub(super) fn end(&self, work: WorkId, token: Token) {
        let mut inner = self.lock();
        inner.runs.remove(&(work, token));
        inner.cancelled.remove(&work);
    }

    /// Stop the runs of a work, or the one that is about to begin.
    pub(super) fn cancel(&self, work: WorkId) {
        let mut inner = self.lock();
        inner.cancelled.insert(work);
        for ((of, _), stop) in &inner.runs {
            if *of == work {
                stop.cancel();
            }
        }
    }

    /// How many there are.
    pub(super) fn number(&self) -> usize {
        self.lock().runs.len()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::UnderWay;
    use crate::contract::fence::Token;
    use crate::identity::key::WorkId;

    #[test]
    fn a_run_is_stopped_whether_it_is_cancelled_before_it_begins_or_after() {
        let (one, other) = (WorkId::from_bytes([1; 32]), WorkId::from_bytes([2; 32]));
        let token = Token::from_number(7);
        let runs = UnderWay::default();
        runs.cancel(one);
        assert!(runs.begin(one, token).is_cancelled());
        let stop = runs.begin(other, token);
        assert!(!stop.is_cancelled() && runs.number() == 2);
        runs.cancel(other);
        assert!(stop.is_cancelled());
        runs.end(one, token);
        runs.end(other, token);
        assert_eq!(runs.number(), 0);
        assert!(runs.0.lock().unwrap().cancelled.is_empty(), "nothing is kept of what has ended");
    }
}
