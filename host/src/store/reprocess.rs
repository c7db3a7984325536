//! Old events under a raised version, as the store takes and answers them.
//!
//! A raised version does not turn a redelivery into new work; only a person has an old event run again. The new work stands
//! beside the old one under the same root key: what the old one sent is not sent again, and a redelivery finds the new one.

use crate::identity::key::ContentHash;
use crate::identity::key::WorkId;
use crate::store::work::{WorkRef, WorkState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A person's wish to run an old event under the step's present version.
#[derive(Clone, Debug, Serialize)]
pub struct Reprocess {
    /// The old work.
    pub work: WorkRef,
    /// The present version.
    pub version: u32,
    /// The new work's id, from the old root key.
    pub work_id: WorkId,
    /// Its readable key.
    pub readable_key: String,
    /// The hash of its declared content under the present version.
    pub content_hash: ContentHash,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "outcome", content = "detail", rename_all = "kebab-case")]
pub enum Reprocessed {
    /// It waits as new work.
    Applied {
        /// The new work.
        id: WorkId,
    },
    /// The version has not been raised since the work was recorded.
    NotRaised {
        /// The version it was recorded under.
        version: u32,
    },
    /// The event has been run under this version already, or a later one.
    Already {
        /// The work.
        id: WorkId,
    },
    /// The old work, or one that descends from it, has not come to its end.
    Unfinished {
        /// Which.
        id: WorkId,
        /// How it stands.
        state: WorkState,
    },
    /// The event's payload was erased on request: there is nothing to run.
    Erased,
    /// It stands for no event: it follows another work, or an outside caller runs it.
    NoEvent,
    /// There is no such work.
    Unknown,
}
