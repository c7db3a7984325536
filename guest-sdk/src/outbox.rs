//! Effects that the host delivers, each once.
//!
//! It owns the sugar of the host's `outbox` interface: a [`Row`] with a typed payload. A row's id comes from the
//! event's identity, the destination, the slot and the effect version, never from the payload. It commits with the
//! step's outcome. It fails with an [`EnqueueError`], which `?` turns into the fitting [`Failure`].

use crate::bindings::onceward::step::outbox as wit;
use crate::host;
use crate::journal;
use crate::misfit::explain;
use crate::outcome::Failure;
use serde::Serialize;
use std::error::Error;
use std::fmt;

/// One effect.
///
/// ```no_run
/// use onceward_guest::outbox::Row;
/// # #[derive(serde::Serialize)] struct Deal { title: String }
/// # fn run() -> Result<(), onceward_guest::Failure> {
/// let deal = Deal { title: "New business".into() };
/// let row_id = Row::to("crm").slot("deal").payload(&deal).enqueue()?;
/// # let _ = row_id; Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "a row is put into the outbox by `enqueue`"]
pub struct Row {
    destination: String,
    slot: String,
    effect_version: u32,
    payload: Result<String, serde_json::Error>,
    ordering_key: Option<String>,
    approval: Option<wit::Approval>,
    receipt_step: Option<String>,
    receipt_step_is_needed: bool,
}

impl Row {
    /// A row to the destination that the operator configured under this name. The contract must ask for it.
    pub fn to(destination: impl Into<String>) -> Self {
        let payload = Ok("null".to_owned());
        Self {
            destination: destination.into(),
            slot: String::new(),
            effect_version: 1,
            payload,
            ordering_key: None,
            approval: None,
            receipt_step: None,
            receipt_step_is_needed: true,
        }
    }

    /// Names the effect within the handoff. Never made from generated text. Needed.
    pub fn slot(mut self, slot: impl Into<String>) -> Self {
        self.slot = slot.into();
        self
    }

    /// Raised only when the effect shall happen again for events that have been handled. 1 by default.
    pub fn effect_version(mut self, version: u32) -> Self {
        self.effect_version = version;
        self
    }

    /// The body.
    pub fn payload(mut self, payload: &impl Serialize) -> Self {
        self.payload = serde_json::to_string(payload);
        self
    }

    /// Rows of one destination with the same key leave in the order in which they were committed, through retries: one
    /// that is held, blocked or in doubt makes those after it wait.
    pub fn ordering_key(mut self, key: impl Into<String>) -> Self {
        self.ordering_key = Some(key.into());
        self
    }

    /// Hold it until a person approves exactly this payload. The reason is for that person.
    pub fn approval(mut self, reason: impl Into<String>) -> Self {
        self.approval = Some(wit::Approval { reason: reason.into(), expires_after: None });
        self
    }

    /// Hold it as with [`approval`](Self::approval), for at most so many seconds; then it is cancelled.
    pub fn approval_within(mut self, reason: impl Into<String>, seconds: u64) -> Self {
        self.approval = Some(wit::Approval { reason: reason.into(), expires_after: Some(seconds) });
        self
    }

    /// The step that goes on from the destination's receipt (see [`Receipt`](crate::receipt::Receipt)).
    pub fn receipt_step(mut self, step: impl Into<String>) -> Self {
        self.receipt_step = Some(step.into());
        self.receipt_step_is_needed = true;
        self
    }

    /// The step as with [`receipt_step`](Self::receipt_step); where the host has no such step, write a note and enqueue
    /// the row without it. For an effect that matters more than what comes after it.
    pub fn receipt_step_or_note(mut self, step: impl Into<String>) -> Self {
        self.receipt_step = Some(step.into());
        self.receipt_step_is_needed = false;
        self
    }

    /// Put it into the outbox; the row's id (64 hexadecimal digits). The same row twice is one row.
    ///
    /// # Errors
    /// See [`EnqueueError`].
    pub fn enqueue(self) -> Result<String, EnqueueError> {
        let Self { destination, slot, effect_version, payload, ordering_key, approval, receipt_step, .. } =
            self;
        let payload = match payload {
            Ok(payload) => payload,
            Err(source) => return Err(EnqueueError::Unwritable { destination, slot, source }),
        };
        let mut row =
            wit::Row { destination, slot, effect_version, payload, ordering_key, approval, receipt_step };
        let mut enqueued = host::enqueue(&row);
        if let Err(wit::EnqueueError::InvalidRow(reason)) = &enqueued
            && !self.receipt_step_is_needed
            && let Some(step) = row.receipt_step.take()
        {
            // The host's words say whether the step is what was wrong; if it was something else, it is said again.
            journal::note(format!("enqueuing without the receipt step `{step}`: {reason}"));
            enqueued = host::enqueue(&row);
        }
        enqueued.map_err(|error| EnqueueError::of(row, error))
    }
}

/// A row did not get into the outbox.
#[derive(Debug)]
pub enum EnqueueError {
    /// The contract does not ask for this destination, or the operator does not grant it.
    NotGranted {
        /// The destination.
        destination: String,
        /// The host's words.
        reason: String,
    },
    /// The row exists with another payload. The first payload stands.
    Conflict {
        /// The destination.
        destination: String,
        /// The row's slot.
        slot: String,
        /// The id of the row that stands.
        row_id: String,
    },
    /// The payload is not acceptable JSON, a name is empty, or the host has no such receipt step.
    InvalidRow {
        /// The destination.
        destination: String,
        /// The row's slot.
        slot: String,
        /// The host's words.
        reason: String,
    },
    /// A limit of the host was reached.
    Limit {
        /// The destination.
        destination: String,
        /// The host's words: the limit's name and value.
        reason: String,
    },
    /// The payload cannot be written as JSON. The host was not called.
    Unwritable {
        /// The destination.
        destination: String,
        /// The row's slot.
        slot: String,
        /// What JSON cannot express.
        source: serde_json::Error,
    },
}

impl EnqueueError {
    fn of(row: wit::Row, error: wit::EnqueueError) -> Self {
        let wit::Row { destination, slot, .. } = row;
        match error {
            wit::EnqueueError::NotGranted(reason) => Self::NotGranted { destination, reason },
            wit::EnqueueError::Conflict(row_id) => Self::Conflict { destination, slot, row_id },
            wit::EnqueueError::InvalidRow(reason) => Self::InvalidRow { destination, slot, reason },
            wit::EnqueueError::Limit(reason) => Self::Limit { destination, reason },
        }
    }
}

impl fmt::Display for EnqueueError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGranted { destination, reason } => write!(
                out,
                "enqueuing to `{destination}`: it is not granted ({reason}); name it in the contract and in the \
                 operator's grants"
            ),
            Self::Conflict { destination, slot, row_id } => write!(
                out,
                "enqueuing `{slot}` to `{destination}`: row {row_id} has another payload, which stands; use another \
                 slot for another effect"
            ),
            Self::InvalidRow { destination, slot, reason } => {
                write!(
                    out,
                    "enqueuing `{slot}` to `{destination}`: the row is at fault ({reason}); correct the step"
                )
            }
            Self::Limit { destination, reason } => {
                write!(
                    out,
                    "enqueuing to `{destination}`: a limit was reached ({reason}); enqueue less, or raise it"
                )
            }
            Self::Unwritable { destination, slot, .. } => {
                write!(out, "enqueuing `{slot}` to `{destination}`: the payload is no JSON; correct the step")
            }
        }
    }
}

impl Error for EnqueueError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unwritable { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<EnqueueError> for Failure {
    fn from(error: EnqueueError) -> Self {
        let reason = explain(&error);
        match error {
            // Two contents claim to be the same effect. Another attempt changes nothing, and rejecting is final: it
            // would throw one of them away unseen. A person looks at both.
            // A missing grant is the operator's to mend, and the work must still be there afterwards.
            EnqueueError::Conflict { .. } | EnqueueError::NotGranted { .. } => Self::review(reason),
            // The step would enqueue the same at every attempt.
            EnqueueError::InvalidRow { .. }
            | EnqueueError::Limit { .. }
            | EnqueueError::Unwritable { .. } => Self::reject(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EnqueueError;
    use super::Failure;
    use super::wit;

    #[test]
    fn a_conflict_goes_to_a_person_with_the_row_that_stands() {
        let row = wit::Row {
            destination: "crm".into(),
            slot: "deal".into(),
            effect_version: 1,
            payload: "1".into(),
            ordering_key: None,
            approval: None,
            receipt_step: None,
        };
        match EnqueueError::of(row, wit::EnqueueError::Conflict("ab12".into())).into() {
            Failure::Review(reason) => {
                assert!(reason.contains("ab12") && reason.contains("deal"), "{reason}")
            }
            other => panic!("{other:?}"),
        }
    }
}
