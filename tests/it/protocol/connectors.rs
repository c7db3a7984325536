//! Connectors that behave like hosts that die: the real delivery happens, and nobody hears of it.

use async_trait::async_trait;
use onceward::connectors::Answer;
use onceward::connectors::Connector;
use onceward::connectors::Delivery;
use onceward::connectors::Found;
use onceward::connectors::Query;
use onceward::connectors::http::HttpConnector;
use onceward::connectors::http::HttpSettings;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use support::sim_clock::SimClock;
use tokio::sync::Notify;

/// What happens when the destination has answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// The task ends in a panic.
    Panic,
    /// The answer never gets here.
    Hang,
}

/// Delivers for real, and then never tells.
pub(super) struct Dying {
    inner: HttpConnector,
    then: Then,
    answered: AtomicUsize,
    told: Notify,
}

impl Dying {
    pub(super) fn new(then: Then) -> Arc<Self> {
        let settings = HttpSettings { allow_private_addresses: true, ..HttpSettings::default() };
        let clock = Arc::new(SimClock::default());
        let inner = HttpConnector::new(settings, clock).expect("the settings are usable");
        Arc::new(Self { inner, then, answered: AtomicUsize::new(0), told: Notify::new() })
    }

    /// How often the destination has answered.
    pub(super) fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }

    /// Wait until the destination has answered.
    pub(super) async fn until_answered(&self) {
        self.told.notified().await;
    }
}

#[async_trait]
impl Connector for Dying {
    async fn deliver(&self, delivery: Delivery<'_>) -> Answer {
        let answer = self.inner.deliver(delivery).await;
        self.answered.fetch_add(1, Ordering::SeqCst);
        self.told.notify_one();
        match self.then {
            Then::Panic => panic!("the sender dies with {answer:?}"),
            Then::Hang => std::future::pending().await,
        }
    }

    async fn look_up(&self, query: Query<'_>) -> Found {
        self.inner.look_up(query).await
    }
}
