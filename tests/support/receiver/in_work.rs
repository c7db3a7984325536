//! Which keys are in work at this moment.
//!
//! Owns a set in memory: after the receiver's death nothing is in work, as it should be. A key is
//! entered once at a time and leaves with its guard, however the request ends.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

/// The keys in work.
#[derive(Clone, Debug, Default)]
pub(super) struct InWork(Arc<Mutex<HashSet<String>>>);

/// Keeps a key in work until it is dropped.
#[derive(Debug)]
pub(super) struct Guard {
    keys: InWork,
    key: String,
}

impl InWork {
    /// Enters a key, or gives nothing where it is in work already.
    pub(super) fn enter(&self, key: &str) -> Option<Guard> {
        self.lock().insert(key.to_owned()).then(|| Guard { keys: self.clone(), key: key.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.keys.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_in_work_once_until_its_guard_is_dropped() {
        let keys = InWork::default();
        let guard = keys.enter("k").unwrap();
        assert!(keys.enter("k").is_none());
        assert!(keys.enter("other").is_some());
        drop(guard);
        assert!(keys.enter("k").is_some());
    }
}
