//! An event's own work and all that descends from it: whether all of it has come to its end.

use crate::identity::key::RootKey;
use crate::store::Store;
use crate::store::outbox::{OutboxFilter, RowState};
use crate::store::work::{WorkCounts, WorkRecord, WorkState};
use anyhow::Result;

/// The works of one root, and the states of their rows that are not sent.
pub(super) struct Family {
    works: Vec<WorkRecord>,
    open_rows: Vec<RowState>,
}

impl Family {
    /// Look at the works of this root.
    pub(super) async fn of(store: &dyn Store, namespace: &str, root: RootKey) -> Result<Self> {
        let works = store.work_family(namespace, root).await?;
        let mut open_rows = Vec::new();
        for work in &works {
            for state in RowState::ALL.into_iter().filter(|state| !state.is_settled()) {
                let work = Some(work.work_id);
                let filter = OutboxFilter { state: Some(state), work, ..OutboxFilter::all(namespace, 1) };
                open_rows.extend(store.outbox_list(filter).await?.first().map(|row| row.state));
            }
        }
        Ok(Self { works, open_rows })
    }

    /// These works, and the states of all their rows.
    pub(super) fn new(works: Vec<WorkRecord>, rows: impl IntoIterator<Item = RowState>) -> Self {
        Self { works, open_rows: rows.into_iter().filter(|state| !state.is_settled()).collect() }
    }

    /// Whether every work is done and, where rows were to be sent, every row is.
    pub(super) fn is_done(&self, rows_too: bool) -> bool {
        !self.works.is_empty()
            && self.works.iter().all(|work| work.state == WorkState::Done)
            && (!rows_too || self.open_rows.is_empty())
    }

    /// Whether waiting can still change anything.
    pub(super) fn is_moving(&self, rows_too: bool) -> bool {
        let moving = |state: &RowState| matches!(state, RowState::Pending | RowState::Sending);
        self.works.iter().any(|work| matches!(work.state, WorkState::Waiting | WorkState::Running))
            || (rows_too && self.open_rows.iter().any(moving))
    }

    /// How many works are in each state.
    pub(super) fn counts(&self) -> WorkCounts {
        let mut counts = WorkCounts::default();
        for work in &self.works {
            *counts.by_state.entry(work.state).or_default() += 1;
        }
        counts
    }
}
