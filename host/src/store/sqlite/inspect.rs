//! Reading, for people; and the stage of a handoff.

use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use crate::store::Inspect;
use crate::store::Progress;
use crate::store::error::StoreError;
use crate::store::evidence::Evidence;
use crate::store::outbox::{DestinationStatus, OutboxCounts, OutboxFilter, OutboxRow, RowState};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::evidence;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{all, first};
use crate::store::work::{WorkCounts, WorkFilter, WorkRecord, WorkRef, WorkState};
use async_trait::async_trait;
use rusqlite::Row;
use std::collections::BTreeMap;

const LISTING: &str = "listing";

#[async_trait]
impl Progress for SqliteStore {
    async fn progress_find(&self, namespace: &str, root: RootKey) -> Result<Option<String>, StoreError> {
        let namespace = namespace.to_owned();
        self.readers
            .read(move |c| {
                let sql = include_str!("queries/progress_find.sql");
                first(c, "looking for progress", sql, (namespace, root.as_bytes()), |row| row.get(0))
            })
            .await
    }
}

#[async_trait]
impl Inspect for SqliteStore {
    async fn work_list(&self, filter: WorkFilter) -> Result<Vec<WorkRecord>, StoreError> {
        self.readers
            .read(move |c| {
                let state = filter.state.map(WorkState::word);
                let values = (filter.namespace, state, filter.step, filter.limit);
                all(c, LISTING, include_str!("queries/work_list.sql"), values, rows::work)
            })
            .await
    }

    async fn work_show(&self, work: WorkRef) -> Result<Option<WorkRecord>, StoreError> {
        self.readers
            .read(move |c| {
                let sql = include_str!("queries/work_show.sql");
                first(c, LISTING, sql, (work.namespace, work.id.as_bytes()), rows::work)
            })
            .await
    }

    async fn work_resolve(&self, namespace: &str, text: &str) -> Result<Vec<WorkId>, StoreError> {
        let values = (namespace.to_owned(), hex_prefix(text), text.to_owned());
        self.readers
            .read(move |c| {
                all(c, LISTING, include_str!("queries/work_resolve.sql"), values, |row| {
                    rows::key(row, "work_id")
                })
            })
            .await
    }

    async fn work_counts(&self, namespace: &str) -> Result<WorkCounts, StoreError> {
        let namespace = namespace.to_owned();
        let counts = self
            .readers
            .read(move |c| {
                all(
                    c,
                    LISTING,
                    include_str!("queries/work_counts.sql"),
                    [namespace],
                    count(WorkState::from_word),
                )
            })
            .await?;
        Ok(WorkCounts { by_state: counts.into_iter().map(|(state, n)| (state.word(), n)).collect() })
    }

    async fn outbox_list(&self, filter: OutboxFilter) -> Result<Vec<OutboxRow>, StoreError> {
        self.readers
            .read(move |c| {
                let work = filter.work.map(|id| id.as_bytes().to_vec());
                let values = (filter.namespace, filter.state.map(RowState::word), work, filter.limit);
                all(c, LISTING, include_str!("queries/outbox_list.sql"), values, rows::outbox)
            })
            .await
    }

    async fn outbox_resolve(&self, namespace: &str, text: &str) -> Result<Vec<OutboxRow>, StoreError> {
        let values = (namespace.to_owned(), hex_prefix(text));
        self.readers
            .read(move |c| all(c, LISTING, include_str!("queries/outbox_resolve.sql"), values, rows::outbox))
            .await
    }

    async fn outbox_counts(&self, namespace: &str) -> Result<OutboxCounts, StoreError> {
        let namespace = namespace.to_owned();
        let counts = self
            .readers
            .read(move |c| {
                all(
                    c,
                    LISTING,
                    include_str!("queries/outbox_counts.sql"),
                    [namespace],
                    count(RowState::from_word),
                )
            })
            .await?;
        let by_state: BTreeMap<_, _> = counts.into_iter().map(|(state, n)| (state.word(), n)).collect();
        Ok(OutboxCounts { by_state })
    }

    async fn destination_list(&self, namespace: &str) -> Result<Vec<DestinationStatus>, StoreError> {
        let namespace = namespace.to_owned();
        self.readers
            .read(move |c| {
                all(c, LISTING, include_str!("queries/destination_list.sql"), [namespace], |row| {
                    Ok(DestinationStatus {
                        destination: row.get("destination")?,
                        cause: row.get("cause")?,
                        paused_ms: row.get("paused_ms")?,
                    })
                })
            })
            .await
    }

    async fn evidence_list(&self, work: WorkRef) -> Result<Vec<Evidence>, StoreError> {
        self.readers.read(move |c| evidence::list(c, &work)).await
    }
}

/// A row of a count: state and number.
fn count<T>(from_word: fn(&str) -> Option<T>) -> impl FnMut(&Row<'_>) -> rusqlite::Result<(T, u64)> {
    move |row| {
        let number: i64 = row.get(1)?;
        Ok((rows::state(row, from_word)?, u64::try_from(number).unwrap_or(0)))
    }
}

/// The text as the beginning of an id; text that can be none matches no id.
fn hex_prefix(text: &str) -> String {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        text.to_owned()
    } else {
        "-".to_owned()
    }
}
