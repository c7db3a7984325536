//! Work that waits for a worker.

use crate::store::Queue;
use crate::store::claim::{Claim, Terms};
use crate::store::error::StoreError;
use crate::store::pause::PauseScope;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::claim::take;
use crate::store::sqlite::intent;
use crate::store::sqlite::pause;
use crate::store::sqlite::tx::{Tx, first};
use async_trait::async_trait;

const LAPSING: &str = "looking for callers that are gone";

#[async_trait]
impl Queue for SqliteStore {
    async fn work_take(
        &self,
        namespace: &str,
        step: &str,
        terms: Terms,
    ) -> Result<Option<Claim>, StoreError> {
        let (namespace, step) = (namespace.to_owned(), step.to_owned());
        self.writer.call("taking due work", move |tx| take_due(tx, &namespace, &step, terms)).await
    }

    async fn work_lapse(&self, namespace: &str) -> Result<u64, StoreError> {
        let called = include_str!("queries/work_called.sql");
        if !self.finds(LAPSING, called, [namespace.to_owned()]).await? {
            return Ok(0);
        }
        let namespace = namespace.to_owned();
        self.writer.call(LAPSING, move |tx| intent::lapse(tx, &namespace)).await
    }

    async fn work_next_due(&self, namespace: &str, step: &str) -> Result<Option<i64>, StoreError> {
        let (namespace, step) = (namespace.to_owned(), step.to_owned());
        let next = self
            .readers
            .read(move |connection| {
                let sql = include_str!("queries/work_next_due.sql");
                first(connection, "looking for due work", sql, (namespace, step), |row| row.get(0))
            })
            .await?;
        Ok(next.flatten())
    }
}

fn take_due(tx: &Tx<'_>, namespace: &str, step: &str, terms: Terms) -> Result<Option<Claim>, StoreError> {
    if pause::find(tx, namespace, &PauseScope::Step(step.to_owned()))?.is_some() {
        return Ok(None);
    }
    loop {
        let due =
            tx.first(include_str!("queries/work_take.sql"), (namespace, step, tx.now_ms), |row| row.get(0))?;
        let Some(seq) = due else { return Ok(None) };
        // A work whose attempts are used up has died here; the next one may be alive.
        if let Some(claim) = take(tx, seq, terms, None)? {
            return Ok(Some(claim));
        }
    }
}
