//! How far handoffs have come, as the store gives it.

use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which handoffs to list.
#[derive(Clone, Debug)]
pub struct ProgressFilter {
    /// The namespace.
    pub namespace: String,
    /// The stage that they stand in.
    pub stage: String,
    /// Only those that reached it at this moment or before, Unix milliseconds.
    pub reached_until_ms: i64,
    /// Only those that may still reach another stage.
    pub open: bool,
    /// At most so many.
    pub limit: u32,
}

/// A handoff: an event on its way from stage to stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Handoff {
    /// The identity that all of it descends from.
    pub root_key: RootKey,
    /// The first work.
    pub work_id: WorkId,
    /// The first work's readable key.
    pub readable_key: String,
    /// The stage it stands in.
    pub stage: String,
    /// Since when, Unix milliseconds.
    pub reached_ms: i64,
    /// Whether it will reach no other stage, because its newest work was rejected or cancelled.
    pub over: bool,
}

/// How many handoffs stand in a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StageCount {
    /// The stage.
    pub stage: String,
    /// How many.
    pub handoffs: u64,
    /// When the one that stands there longest reached it, Unix milliseconds.
    pub oldest_ms: i64,
    /// When the last one reached it, Unix milliseconds.
    pub newest_ms: i64,
}
