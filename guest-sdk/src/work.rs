//! The one thing to be done once.
//!
//! It owns [`Work`], the host's record with its payload read into the step's own type, and refuses a payload that
//! does not fit: the error names the place.

use crate::bindings::exports::onceward::step::guest as wit;
use crate::misfit::Misfit;
use crate::misfit::read;
use serde::de::DeserializeOwned;

/// One thing to be done once, with its payload as a Rust type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work<I> {
    /// 64 hexadecimal digits, the same on every attempt.
    pub id: String,
    /// The readable key, for people and notes.
    pub key: String,
    /// The namespace that it belongs to.
    pub namespace: String,
    /// From 1. A step need not look at it: a retry sees the same answers as the attempt before.
    pub attempt: u32,
    /// Where the event came from.
    pub source: String,
    /// The provider's message id, where there is one.
    pub event_id: Option<String>,
    /// The event's payload, or the output of the step before this one in a flow.
    pub payload: I,
}

impl<I: DeserializeOwned> Work<I> {
    pub(crate) fn from_wit(work: wit::Work) -> Result<Self, Misfit> {
        let wit::Work { id, key, namespace, attempt, source, event_id, payload } = work;
        Ok(Self { id, key, namespace, attempt, source, event_id, payload: read(&payload)? })
    }
}
