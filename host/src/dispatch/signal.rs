//! Signals: who waits for a work, and is told in this process when something has come of it.
//!
//! A signal is a hint to look, never the answer: the runner may have died, or may be on another host, so that whoever waits
//! looks at the store again after a while as well.

use crate::identity::key::WorkId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The works somebody waits for.
#[derive(Debug, Default)]
pub(super) struct Signals(Mutex<HashMap<WorkId, Waiters>>);

#[derive(Debug, Default)]
struct Waiters {
    number: usize,
    notify: Arc<Notify>,
}

/// One who waits. Whoever has gone away is forgotten.
pub(super) struct Ear<'a> {
    signals: &'a Signals,
    work: WorkId,
    notify: Arc<Notify>,
}

impl Signals {
    /// Begin to listen for a work.
    pub(super) fn listen(&self, work: WorkId) -> Ear<'_> {
        let mut waiters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = waiters.entry(work).or_default();
        entry.number += 1;
        Ear { signals: self, work, notify: Arc::clone(&entry.notify) }
    }

    /// Tell all who wait for a work that it has changed.
    pub(super) fn tell(&self, work: WorkId) {
        if let Some(waiters) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&work) {
            waiters.notify.notify_waiters();
        }
    }
}

impl Ear<'_> {
    /// What ends with the next signal. Ask for it before looking at the store, so that none is missed in between.
    pub(super) fn next(&self) -> tokio::sync::futures::Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Ear<'_> {
    fn drop(&mut self) {
        let mut waiters = self.signals.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = waiters.get_mut(&self.work) {
            entry.number -= 1;
            if entry.number == 0 {
                waiters.remove(&self.work);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Signals;
    use crate::identity::key::WorkId;

    #[tokio::test]
    async fn a_signal_reaches_all_who_listen_for_the_work_and_nobody_is_kept() {
        let signals = Signals::default();
        let (one, other) = (WorkId::from_bytes([1; 32]), WorkId::from_bytes([2; 32]));
        {
            let (first, second, third) = (signals.listen(one), signals.listen(one), signals.listen(other));
            let (heard, heard_too) = (first.next(), second.next());
            signals.tell(one);
            heard.await;
            heard_too.await;
            let mut silent = std::pin::pin!(third.next());
            assert!(futures_poll(silent.as_mut()).await.is_none(), "the signal was for another work");
        }
        assert!(signals.0.lock().unwrap().is_empty());
    }

    /// What a future has now.
    async fn futures_poll<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        tokio::select! { biased; value = future => Some(value), () = std::future::ready(()) => None }
    }
}
