//! The unit of work, W: an event recorded once, a decision stored, an outbox row stored, and the result stored, all durable.
//!
//! Owns its sizes, which the guest `stores_unit` keeps to, and its events.

use anyhow::Context as _;
use onceward::identity::event::Event;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};

/// The event's payload, JSON text.
pub(crate) const EVENT_BYTES: usize = 400;

/// The decision.
pub(crate) const ANSWER_BYTES: usize = 300;

/// The outbox row's payload.
pub(crate) const ROW_BYTES: usize = 400;

/// What the step comes to.
pub(crate) const RESULT: &str = r#"{"class":"lead"}"#;

/// The step, by its contract's name and its file's.
pub(crate) const STEP: &str = "stores-unit";

/// The file of the step.
pub(crate) const COMPONENT: &str = "stores_unit";

/// Whether a model is asked for the decision, or the step finds it by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// By rule: it commits with the result.
    Rule,
    /// A model is asked: it is on disk before the step sees it.
    Model,
}

/// Gives events that nobody has given before.
#[derive(Debug)]
pub(crate) struct Events {
    prefix: String,
    next: AtomicU64,
}

impl Events {
    /// Events whose ids begin like this.
    pub(crate) fn named(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), next: AtomicU64::new(0) }
    }

    /// The id of the next event.
    pub(crate) fn id(&self) -> String {
        format!("{}-{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// The event of this id, as an invoker sends it.
pub(crate) fn event_text(id: &str, decision: Decision) -> String {
    json!({ "source": "bench", "id": id, "data": payload(id, decision) }).to_string()
}

/// The event of this id.
pub(crate) fn event(id: &str, decision: Decision) -> anyhow::Result<Event> {
    Event::parse(event_text(id, decision).as_bytes()).context("reading the bench's own event")
}

fn payload(id: &str, decision: Decision) -> serde_json::Value {
    let with = |fill: String| json!({ "id": id, "ask": decision == Decision::Model, "fill": fill });
    let left = EVENT_BYTES.saturating_sub(with(String::new()).to_string().len());
    with("x".repeat(left))
}

/// The script of the model that is asked: one answer of the right size for every question.
pub(crate) fn rules() -> String {
    let with = |fill: String| json!({ "class": "lead", "fill": fill });
    let left = ANSWER_BYTES.saturating_sub(with(String::new()).to_string().len());
    json!({ "rules": [], "otherwise": with("x".repeat(left)) }).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Decision, EVENT_BYTES, payload};

    #[test]
    fn an_event_has_the_size_of_a_unit() {
        for id in ["a-1", "some-longer-name-123456"] {
            assert_eq!(payload(id, Decision::Rule).to_string().len(), EVENT_BYTES);
            assert_eq!(payload(id, Decision::Model).to_string().len(), EVENT_BYTES);
        }
    }
}
