//! How far handoffs have come.

use crate::contract::fence::Token;
use crate::identity::key::RootKey;
use crate::store::Progress;
use crate::store::error::StoreError;
use crate::store::progress::{Handoff, ProgressFilter, StageCount};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::insert_row;
use crate::store::sqlite::insert_row::Insertion;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, all, first};
use crate::store::work::{Mark, WorkRef};
use async_trait::async_trait;

const LISTING: &str = "listing progress";

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

    async fn progress_advance(
        &self,
        work: WorkRef,
        token: Token,
        mark: Mark,
    ) -> Result<Option<String>, StoreError> {
        self.writer.call("moving a handoff", move |tx| advance_held(tx, &work, token, &mark)).await
    }

    async fn progress_list(&self, filter: ProgressFilter) -> Result<Vec<Handoff>, StoreError> {
        let values = (filter.namespace, filter.stage, filter.reached_until_ms, filter.open, filter.limit);
        self.readers
            .read(move |c| {
                all(c, LISTING, include_str!("queries/progress_list.sql"), values, |row| {
                    Ok(Handoff {
                        root_key: rows::key(row, "root_key")?,
                        work_id: rows::key(row, "work_id")?,
                        readable_key: row.get("readable_key")?,
                        stage: row.get("stage")?,
                        reached_ms: row.get("reached_ms")?,
                        over: row.get("over")?,
                    })
                })
            })
            .await
    }

    async fn progress_counts(&self, namespace: &str) -> Result<Vec<StageCount>, StoreError> {
        let namespace = namespace.to_owned();
        self.readers
            .read(move |c| {
                all(c, LISTING, include_str!("queries/progress_counts.sql"), [namespace], |row| {
                    Ok(StageCount {
                        stage: row.get("stage")?,
                        handoffs: rows::count(row, "number")?,
                        oldest_ms: row.get("oldest_ms")?,
                        newest_ms: row.get("newest_ms")?,
                    })
                })
            })
            .await
    }
}

/// Move the handoff of a held work on; the stage that it has reached then.
fn advance_held(
    tx: &Tx<'_>,
    work: &WorkRef,
    token: Token,
    mark: &Mark,
) -> Result<Option<String>, StoreError> {
    if !tx.holds_for_caller(work, token)? {
        return Ok(None);
    }
    advance(tx, work, mark)?;
    let key = (&work.namespace, work.id.as_bytes());
    let stage = tx.first(include_str!("queries/progress_of_work.sql"), key, |row| row.get(0))?;
    stage.map(Some).ok_or_else(|| tx.corrupt("a handoff that was moved on has no stage"))
}

/// Move a handoff on with the outcome of a run, or under a claim, and tell it elsewhere; a mark that is no step forward changes nothing.
pub(super) fn advance(tx: &Tx<'_>, work: &WorkRef, mark: &Mark) -> Result<(), StoreError> {
    let kept = serde_json::json!(mark.kept).to_string();
    let advanced = tx.execute(
        include_str!("queries/progress_advance.sql"),
        (&work.namespace, work.id.as_bytes(), &mark.stage, kept, tx.now_ms),
    )?;
    if advanced == 1 {
        tx.evidence(&work.namespace, work.id, "progress", &mark.stage)?;
        if let Some(row) = &mark.mirror {
            insert_row::insert(tx, &Insertion::first(&work.namespace, work.id, row))?;
        }
    }
    Ok(())
}
