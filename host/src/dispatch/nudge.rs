//! Nudges: telling background duties that there may be something to do.
//!
//! A nudge carries nothing and promises nothing: a duty that missed one finds the work at its next look. Nudges that come
//! while a duty is busy become one.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// Everybody who wants to be nudged.
#[derive(Clone, Debug, Default)]
pub struct Nudge(Arc<Mutex<Vec<Arc<Notify>>>>);

impl Nudge {
    /// One more who wants to be nudged.
    #[must_use]
    pub fn listen(&self) -> Arc<Notify> {
        let ear = Arc::new(Notify::new());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&ear));
        ear
    }

    /// Nudge them all.
    pub fn all(&self) {
        for ear in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            ear.notify_one();
        }
    }
}
