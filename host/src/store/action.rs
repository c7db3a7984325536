//! Action identity: an act that is said twice is one act.
//!
//! A click that came twice, or a request that was sent again since its answer was lost, carries the same action id. The first
//! outcome is kept in the transaction of the act, and answered again to whoever repeats it, however things stand by then.
//! An id belongs to one act: said of anything else, or by anybody else, it is refused
//! ([`StoreError::ActionReused`](crate::store::error::StoreError::ActionReused)). What was refused has not been done, so it is
//! not kept: it may be said again when it can be.

use crate::store::approval::{Approved, Edited};
use crate::store::operate::Decided;
use crate::store::reprocess::Reprocessed;
use crate::store::retention::{Erasure, Marker};
use crate::store::slot::SlotDecided;
use crate::store::token::TokenCreated;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How long an action id is remembered, in milliseconds: seven days. Nobody waits longer for an answer that was lost.
pub const ACTION_KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// The outcome of an act, as far as saying it again goes.
pub(super) trait Outcome: Serialize + DeserializeOwned {
    /// Whether what was asked for is so now, by this act or by an earlier one. Everything else may be asked for again.
    fn holds(&self) -> bool;
}

impl<S: Serialize + DeserializeOwned> Outcome for Decided<S> {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied | Self::Asked)
    }
}

impl Outcome for Approved {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied | Self::Already { .. })
    }
}

impl Outcome for Edited {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied { .. } | Self::Unchanged)
    }
}

impl Outcome for Reprocessed {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied { .. } | Self::Already { .. })
    }
}

impl Outcome for SlotDecided {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied { .. } | Self::Already)
    }
}

impl Outcome for TokenCreated {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied)
    }
}

impl Outcome for Erasure {
    fn holds(&self) -> bool {
        matches!(self, Self::Applied(_))
    }
}

impl Outcome for Marker {
    fn holds(&self) -> bool {
        true
    }
}

/// Whether it was otherwise before.
impl Outcome for bool {
    fn holds(&self) -> bool {
        true
    }
}

/// How many were decided about.
impl Outcome for u64 {
    fn holds(&self) -> bool {
        true
    }
}
