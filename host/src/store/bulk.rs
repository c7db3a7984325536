//! Many at once: dead letters and rows that need a person, chosen by what they have in common.
//!
//! Each is decided about under its own id, as if it were alone. What has been decided about has left the choice, so that
//! an act which was cut off goes on where it stopped. They are spread in time, so that a receiver is not flooded.

use crate::store::outbox::RowState;
use crate::store::work::WorkState;
use serde::Serialize;

/// Which works.
#[derive(Clone, Debug, Serialize)]
pub struct WorkChoice {
    /// The namespace.
    pub namespace: String,
    /// In this state.
    pub state: WorkState,
    /// Of this step alone.
    pub step: Option<String>,
    /// Whose cause holds this text.
    pub cause: Option<String>,
}

/// Which rows.
#[derive(Clone, Debug, Serialize)]
pub struct RowChoice {
    /// The namespace.
    pub namespace: String,
    /// In this state.
    pub state: RowState,
    /// For this destination alone.
    pub destination: Option<String>,
    /// Whose cause holds this text.
    pub cause: Option<String>,
}

/// How many are decided about in one transaction, and how they are spread.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Batch {
    /// At most so many, the oldest first.
    pub limit: u32,
    /// The first one is due in so many milliseconds.
    pub first_in_ms: i64,
    /// Each further one so many milliseconds later.
    pub every_ms: i64,
}

impl Batch {
    /// When the one at this place is due, in milliseconds from now.
    ///
    /// ```
    /// use onceward::store::bulk::Batch;
    /// let batch = Batch { limit: 10, first_in_ms: 500, every_ms: 100 };
    /// assert_eq!((batch.due_in_ms(0), batch.due_in_ms(3)), (500, 800));
    /// ```
    #[must_use]
    pub fn due_in_ms(&self, place: usize) -> i64 {
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        self.first_in_ms.saturating_add(self.every_ms.saturating_mul(place))
    }
}
