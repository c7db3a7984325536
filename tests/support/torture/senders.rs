//! Senders: events over HTTP, some of them more than once, to a host that keeps dying.
//!
//! Owns what was sent and what was answered. A sender that got no answer sends again, as real ones do, or gives up. It
//! refuses nothing and fails with nothing: an answer that it did not expect is written down.

use crate::receiver::client;
use crate::sim_clock::SimClock;
use crate::tier_config;
use onceward::clock::Clock as _;
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Senders at once, so that a batch of the ledger has more than one event.
const SENDERS: u64 = 4;

/// The longest rest of a sender between two requests, in milliseconds.
const REST_MAX_MS: u64 = 150;

/// One request in so many is a repeat of an event that was acknowledged before.
const REPEAT_ONE_IN: u64 = 4;

/// One sender in so many gives up an event that nobody has answered.
const GIVE_UP_ONE_IN: u64 = 4;

/// How an event was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    /// As a new one.
    pub(super) accepted: u64,
    /// As one that is known.
    pub(super) duplicate: u64,
    /// Not at all.
    pub(super) lost: u64,
}

impl Answers {
    pub(super) const fn acknowledged(self) -> bool {
        self.accepted + self.duplicate > 0
    }
}

/// All that was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// By event.
    pub(super) events: BTreeMap<String, Answers>,
    /// Answers that no sender should get.
    pub(super) unexpected: Vec<String>,
}

impl Sent {
    pub(super) fn acknowledged(&self) -> usize {
        self.events.values().filter(|answers| answers.acknowledged()).count()
    }
}

/// Where the host listens at this moment, if it does.
#[derive(Debug, Default)]
pub(super) struct Address(Mutex<Option<SocketAddr>>);

impl Address {
    pub(super) fn set(&self, address: Option<SocketAddr>) {
        *lock(&self.0) = address;
    }

    fn get(&self) -> Option<SocketAddr> {
        *lock(&self.0)
    }
}

/// Senders at work.
pub(super) struct Senders {
    sent: Arc<Mutex<Sent>>,
    address: Arc<Address>,
    threads: Vec<(Sender<()>, JoinHandle<()>)>,
}

impl Senders {
    pub(super) fn start(seed: u64) -> Self {
        let (sent, address) = (Arc::<Mutex<Sent>>::default(), Arc::<Address>::default());
        let threads = (0..SENDERS).map(|number| {
            let one = One {
                number,
                chance: SimClock::seeded(seed.wrapping_add(number + 1)),
                sent: Arc::clone(&sent),
                address: Arc::clone(&address),
                made: 0,
                again: None,
            };
            let (stop, stopped) = channel();
            (stop, std::thread::spawn(move || one.until(&stopped)))
        });
        let threads = threads.collect();
        Self { sent, address, threads }
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn acknowledged(&self) -> usize {
        lock(&self.sent).acknowledged()
    }

    /// Send no more; all that was sent.
    pub(super) fn stop(self) -> Sent {
        for (stop, thread) in self.threads {
            drop(stop);
            thread.join().expect("a sender writes down what goes wrong, and does not panic");
        }
        lock(&self.sent).clone()
    }
}

/// One sender.
struct One {
    number: u64,
    chance: SimClock,
    sent: Arc<Mutex<Sent>>,
    address: Arc<Address>,
    /// How many events it has made up.
    made: u64,
    /// The event that has no answer yet.
    again: Option<String>,
}

impl One {
    fn until(mut self, stopped: &Receiver<()>) {
        let rest = |one: &Self| Duration::from_millis(one.chance.random_up_to(REST_MAX_MS));
        while stopped.recv_timeout(rest(&self)) == Err(RecvTimeoutError::Timeout) {
            if let Some(address) = self.address.get() {
                self.send(address);
            }
        }
    }

    fn send(&mut self, address: SocketAddr) {
        let event = self.next();
        let body = json!({ "event": event }).to_string();
        let exchange = client::post(address, tier_config::EVENTS, None, body.as_bytes());
        let mut sent = lock(&self.sent);
        let answers = sent.events.entry(event.clone()).or_default();
        let Some(answer) = exchange.ok().filter(client::Exchange::is_whole) else {
            answers.lost += 1;
            self.again = (!self.one_in(GIVE_UP_ONE_IN)).then_some(event);
            return;
        };
        match (answer.status(), answer.json().unwrap_or_default()["verdict"].as_str()) {
            (Some(202), Some("accepted")) => answers.accepted += 1,
            (Some(200), Some("duplicate")) => answers.duplicate += 1,
            _ => sent.unexpected.push(format!("{event} was answered {}", answer.text())),
        }
    }

    /// What is sent next: what has no answer, an earlier event once more, or a new one.
    fn next(&mut self) -> String {
        if let Some(again) = self.again.take() {
            return again;
        }
        if self.made > 0 && self.one_in(REPEAT_ONE_IN) {
            return self.name(self.chance.random_up_to(self.made - 1));
        }
        self.made += 1;
        self.name(self.made - 1)
    }

    fn name(&self, event: u64) -> String {
        format!("sender-{}-{event}", self.number)
    }

    fn one_in(&self, number: u64) -> bool {
        self.chance.random_up_to(number - 1) == 0
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
