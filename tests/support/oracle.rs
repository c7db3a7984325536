//! A model that counts its calls and answers as it is told.

use async_trait::async_trait;
use onceward::models::{Model, ModelError, ModelReply, ModelRequest, Usage};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// What every call uses, also one that fails.
pub const USAGE: Usage = Usage { tokens_in: Some(100), tokens_out: Some(10), cost_micros: Some(7) };

/// Answers `{"call": n}`, a new number each call, unless it is told otherwise: a model that never says the same twice.
#[derive(Debug, Default)]
pub struct Oracle {
    calls: AtomicUsize,
    delay: Mutex<Duration>,
    next: Mutex<Vec<Result<String, ModelError>>>,
    asked: Mutex<Vec<ModelRequest>>,
    arrived: Notify,
    broken: AtomicBool,
}

impl Oracle {
    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// What it was asked, in order.
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().expect("no test panics while it holds this").clone()
    }

    /// Wait until it has been asked so often; the answers may still be under way.
    pub async fn until_asked(&self, times: usize) {
        loop {
            let arrived = self.arrived.notified();
            if self.calls() >= times {
                return;
            }
            arrived.await;
        }
    }

    /// Take this long for every answer.
    pub fn delay(&self, delay: Duration) {
        *self.delay.lock().expect("no test panics while it holds this") = delay;
    }

    /// Panic at every call, as a faulty client would.
    pub fn break_down(&self) {
        self.broken.store(true, Ordering::SeqCst);
    }

    /// The next answer, JSON text, or an error; several wait in order.
    pub fn next(&self, answer: Result<&str, ModelError>) {
        self.next.lock().expect("no test panics while it holds this").push(answer.map(str::to_owned));
    }
}

#[async_trait]
impl Model for Oracle {
    async fn ask(&self, request: &ModelRequest) -> ModelReply {
        self.asked.lock().expect("no test panics while it holds this").push(request.clone());
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        self.arrived.notify_waiters();
        assert!(!self.broken.load(Ordering::SeqCst), "the oracle is broken");
        let delay = *self.delay.lock().expect("no test panics while it holds this");
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let told = {
            let mut next = self.next.lock().expect("no test panics while it holds this");
            if next.is_empty() { None } else { Some(next.remove(0)) }
        };
        let answer = told.unwrap_or_else(|| Ok(format!("{{\"call\":{call}}}")));
        ModelReply { answer, usage: USAGE }
    }
}
