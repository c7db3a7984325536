//! Connectors that behave like hosts in trouble: the real delivery happens, and nobody hears of it, or it happens late.

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
use tokio::sync::{Notify, watch};

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

/// One that delivers for real.
fn real() -> HttpConnector {
    let settings = HttpSettings { allow_private_addresses: true, ..HttpSettings::default() };
    HttpConnector::new(settings, Arc::new(SimClock::default())).expect("the settings are usable")
}

impl Dying {
    pub(super) fn new(then: Then) -> Arc<Self> {
        Arc::new(Self { inner: real(), then, answered: AtomicUsize::new(0), told: Notify::new() })
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

/// Stands still before its first delivery, and does it for real when it is let go on. Later ones pass.
pub(super) struct Paused {
    inner: HttpConnector,
    deliveries: AtomicUsize,
    under_way: AtomicUsize,
    most: AtomicUsize,
    passed: watch::Sender<usize>,
    reached: Notify,
    goes_on: Notify,
}

impl Paused {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: real(),
            deliveries: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            passed: watch::Sender::new(0),
            reached: Notify::new(),
            goes_on: Notify::new(),
        })
    }

    /// Wait until the first delivery stands still.
    pub(super) async fn until_reached(&self) {
        self.reached.notified().await;
    }

    /// Let the first delivery go on.
    pub(super) fn go_on(&self) {
        self.goes_on.notify_one();
    }

    /// Wait until the destination has answered so many.
    pub(super) async fn until_passed(&self, number: usize) {
        let mut passed = self.passed.subscribe();
        passed.wait_for(|passed| *passed >= number).await.expect("the connector is there");
    }

    /// The most that there ever were at once.
    pub(super) fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Connector for Paused {
    async fn deliver(&self, delivery: Delivery<'_>) -> Answer {
        self.most.fetch_max(self.under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        if self.deliveries.fetch_add(1, Ordering::SeqCst) == 0 {
            self.reached.notify_one();
            self.goes_on.notified().await;
        }
        let answer = self.inner.deliver(delivery).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        self.passed.send_modify(|passed| *passed += 1);
        answer
    }

    async fn look_up(&self, query: Query<'_>) -> Found {
        self.inner.look_up(query).await
    }
}
