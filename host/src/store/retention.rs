//! Retention: what is forgotten once its window has ended, and what stays of it.
//!
//! A family is an event's work with all that came of it: the works under one root key, their rows, decisions, items,
//! stage and evidence. It is forgotten whole: when every work in it is done, rejected or cancelled, every row is
//! settled, and the window of every work has passed since the last of them ended (or since the event's original time,
//! where that is later). What stays makes the event too old, never new: its original time lies before the step's horizon,
//! or, where it had none, its key is buried.

use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::outbox::RowState;
use crate::store::work::WorkState;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What stands in the place of everything that was erased. JSON text.
pub const ERASED: &str = r#"{"erased":true}"#;

/// Where a pass has come to. What it has seen lies before, by time and then by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The time that the pass goes by, Unix milliseconds.
    pub at_ms: i64,
    /// The place among those of one time.
    pub place: i64,
}

impl Cursor {
    /// Before everything.
    pub const START: Self = Self { at_ms: i64::MIN, place: i64::MIN };
}

/// A part of a pass: one transaction or one read of bounded size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// How many were forgotten, or would be.
    pub forgotten: u64,
    /// Where to go on; none where the pass has come to its end.
    pub next: Option<Cursor>,
}

/// Families that are kept until their windows end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Kept {
    /// The marker that they wait for; none where they wait for time to pass.
    pub marker: Option<String>,
    /// How many there are.
    pub families: u64,
    /// The earliest moment at which one of them can be forgotten, Unix milliseconds; with a marker, the earliest moment
    /// that it can be set at to that end.
    pub next_ms: i64,
}

/// A marker that an operator or a job has set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Marker {
    /// Its name, which windows refer to.
    pub name: String,
    /// When it was last set, Unix milliseconds.
    pub set_ms: i64,
    /// Who set it last, and why.
    pub set_by: String,
}

/// What became of a request to erase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "outcome", content = "detail", rename_all = "kebab-case")]
pub enum Erasure {
    /// The payloads of the whole family are gone.
    Applied(Erased),
    /// A work of the family has not ended; nothing was erased.
    OpenWork {
        /// The work.
        work: WorkId,
        /// Where it stands.
        state: WorkState,
    },
    /// A row of the family is not settled; nothing was erased.
    OpenRow {
        /// The row.
        row: RowId,
        /// Where it stands.
        state: RowState,
    },
    /// There is no such work.
    Unknown,
}

/// What was erased. All are 0 where it had been erased before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erased {
    /// Works whose payload, result and cursor are gone.
    pub works: u64,
    /// Rows whose payload and receipt are gone.
    pub rows: u64,
    /// Answers that no other work refers to, and that are gone.
    pub answers: u64,
    /// Kept events whose payload is gone: one that was admitted as this work, and those that collided with it and were
    /// dropped.
    pub events: u64,
}
