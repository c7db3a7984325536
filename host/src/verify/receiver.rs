//! Simulated destinations, which count: what arrived, under which key, how often it was done.
//!
//! Each behaves as its true tier, whatever was declared for it. A record's reference comes from the key, so that it is the
//! same in every run.

use crate::connectors::{Answer, Delivery, Envelope, Fault as Trouble, Found, Query, Receipt};
use crate::contract::tier::Tier;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many digits of a key its record's reference has.
const REFERENCE_CHARS: usize = 12;

/// A write that a destination has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub destination: String,
    /// The idempotency key that came with it.
    pub key: String,
    /// The payload.
    pub body: String,
}

/// All destinations of one run.
#[derive(Debug, Default)]
pub struct Receivers {
    tiers: BTreeMap<String, Tier>,
    written: Mutex<Vec<Written>>,
}

impl Receivers {
    /// Destinations by name, with what each of them really is.
    #[must_use]
    pub fn new(tiers: BTreeMap<String, Tier>) -> Self {
        Self { tiers, written: Mutex::default() }
    }

    /// Everything that was done, in order.
    #[must_use]
    pub fn written(&self) -> Vec<Written> {
        self.lock().clone()
    }

    /// A request arrives.
    pub fn apply(&self, destination: &str, delivery: &Delivery<'_>) -> Answer {
        let body = String::from_utf8_lossy(delivery.body).into_owned();
        let mut written = self.lock();
        let known = written.iter_mut().find(|one| one.destination == destination && one.key == delivery.key);
        match (self.tiers.get(destination), known) {
            (Some(Tier::Key), Some(known)) if known.body != body => {
                return Answer::Conflict(trouble("the key was used with another payload"));
            }
            (Some(Tier::Key), Some(_)) => {}
            // An upsert: the natural field stands for the row that it comes from.
            (Some(Tier::Field), Some(known)) => known.body = body,
            _ => written.push(Written {
                destination: destination.to_owned(),
                key: delivery.key.to_owned(),
                body,
            }),
        }
        Answer::Accepted(receipt(delivery.key, delivery.envelope))
    }

    /// Somebody asks for a record.
    pub fn look_up(&self, destination: &str, query: &Query<'_>) -> Found {
        let envelope = Envelope::new("");
        match self.has(destination, query.key) {
            true => Found::Yes(receipt(query.key, &envelope)),
            false => Found::No,
        }
    }

    /// Whether a write of this key was done.
    #[must_use]
    pub fn has(&self, destination: &str, key: &str) -> bool {
        self.lock().iter().any(|one| one.destination == destination && one.key == key)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Written>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What went wrong, in a few words.
pub(super) fn trouble(cause: &str) -> Trouble {
    Trouble { cause: cause.to_owned(), ..Trouble::default() }
}

/// The reference of the record that a key made.
#[must_use]
pub fn reference(key: &str) -> String {
    format!("rec-{}", &key[..key.len().min(REFERENCE_CHARS)])
}

fn receipt(key: &str, envelope: &Envelope) -> Receipt {
    let reference = reference(key);
    let pointer = envelope.reference.as_deref().unwrap_or("/id");
    Receipt {
        status: 201,
        body: nested(pointer, &reference).to_string(),
        truncated: false,
        reference: Some(reference),
        readable: true,
    }
}

/// A document that has this text where a JSON pointer (RFC 6901) points.
fn nested(pointer: &str, text: &str) -> Value {
    let names = pointer.split('/').skip(1).collect::<Vec<_>>();
    names.into_iter().rev().fold(Value::from(text), |inner, name| match name {
        "0" => Value::Array(vec![inner]),
        name => Value::Object(Map::from_iter([(name.replace("~1", "/").replace("~0", "~"), inner)])),
    })
}
