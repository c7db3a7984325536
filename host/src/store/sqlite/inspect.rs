//! Reading, for people.

use crate::identity::key::RootKey;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::Inspect;
use crate::store::bulk::{RowChoice, WorkChoice};
use crate::store::decided::{DecisionEntry, DecisionFilter, ModelTotals};
use crate::store::error::StoreError;
use crate::store::evidence::Evidence;
use crate::store::intent::Intent;
use crate::store::ledger_size::LedgerSize;
use crate::store::outbox::{DestinationRows, OutboxCounts, OutboxFilter, OutboxRow, RowState};
use crate::store::pace::DestinationPace;
use crate::store::pause::Pause;
use crate::store::quarantine::{QuarantineFilter, QuarantineState, Quarantined};
use crate::store::raw::Raw;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::bulk;
use crate::store::sqlite::evidence;
use crate::store::sqlite::pace;
use crate::store::sqlite::pause;
use crate::store::sqlite::quarantine;
use crate::store::sqlite::raw;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{all, first};
use crate::store::sqlite::wal;
use crate::store::work::{WorkCounts, WorkFilter, WorkRecord, WorkRef, WorkState};
use async_trait::async_trait;
use rusqlite::Row;
use std::convert::Infallible;

const LISTING: &str = "listing";

#[async_trait]
impl Inspect for SqliteStore {
    async fn work_list(&self, filter: WorkFilter) -> Result<Vec<WorkRecord>, StoreError> {
        self.look(move |c| {
            let WorkFilter { namespace, state, step, before, limit } = filter;
            let before = before.as_ref().map(WorkId::as_bytes);
            let values = (namespace, step, limit, before);
            match state {
                None => all(c, LISTING, include_str!("queries/work_list.sql"), values, rows::work),
                Some(WorkState::Done) => {
                    all(c, LISTING, include_str!("queries/work_list_done.sql"), values, rows::work)
                }
                Some(state) => {
                    let values = (values.0, values.1, values.2, values.3, state.word());
                    all(c, LISTING, include_str!("queries/work_list_open.sql"), values, rows::work)
                }
            }
        })
        .await
    }

    async fn work_show(&self, work: WorkRef) -> Result<Option<WorkRecord>, StoreError> {
        self.look(move |c| {
            let sql = include_str!("queries/work_show.sql");
            first(c, LISTING, sql, (work.namespace, work.id.as_bytes()), rows::work)
        })
        .await
    }

    async fn work_family(&self, namespace: &str, root: RootKey) -> Result<Vec<WorkRecord>, StoreError> {
        let namespace = namespace.to_owned();
        self.look(move |c| {
            let sql = include_str!("queries/work_family.sql");
            all(c, LISTING, sql, (namespace, root.as_bytes()), rows::work)
        })
        .await
    }

    async fn work_resolve(&self, namespace: &str, text: &str) -> Result<Vec<WorkId>, StoreError> {
        let (namespace, text) = (namespace.to_owned(), text.to_owned());
        self.look(move |c| {
            let id = |row: &Row<'_>| rows::key(row, "work_id");
            if let Some((low, high)) = id_range(&text) {
                let sql = include_str!("queries/work_resolve.sql");
                return all(c, LISTING, sql, (namespace, low, high), id);
            }
            all(c, LISTING, include_str!("queries/work_resolve_key.sql"), (namespace, text), id)
        })
        .await
    }

    async fn work_choose_count(&self, choice: WorkChoice) -> Result<u64, StoreError> {
        self.look(move |c| bulk::count_works(c, &choice)).await
    }

    async fn outbox_choose_count(&self, choice: RowChoice) -> Result<u64, StoreError> {
        self.look(move |c| bulk::count_rows(c, &choice)).await
    }

    async fn work_counts(&self, namespace: &str) -> Result<WorkCounts, StoreError> {
        let counts = self.state_counts(namespace, "work", WorkState::from_word).await?;
        Ok(WorkCounts { by_state: counts.into_iter().collect() })
    }

    async fn pending_oldest(&self, namespace: &str) -> Result<Option<i64>, StoreError> {
        let namespace = namespace.to_owned();
        self.look(move |c| {
            let sql = include_str!("queries/pending_oldest.sql");
            Ok(first(c, LISTING, sql, [namespace], |row| row.get(0))?.flatten())
        })
        .await
    }

    async fn ledger_watch(&self) -> Result<Infallible, StoreError> {
        self.writer.ended().await;
        Err(StoreError::Stopped)
    }

    async fn ledger_size(&self) -> Result<LedgerSize, StoreError> {
        let ledger = self.readers.path().to_owned();
        self.look(move |_| wal::size(&ledger)).await
    }

    async fn outbox_list(&self, filter: OutboxFilter) -> Result<Vec<OutboxRow>, StoreError> {
        self.look(move |c| {
            let OutboxFilter { namespace, state, work, destination, before, limit } = filter;
            let (state, before) = (state.map(RowState::word), before.as_ref().map(RowId::as_bytes));
            if let Some(work) = work {
                let sql = include_str!("queries/outbox_list_of_work.sql");
                return all(
                    c,
                    LISTING,
                    sql,
                    (namespace, limit, destination, before, work.as_bytes(), state),
                    rows::outbox,
                );
            }
            match state {
                None => all(
                    c,
                    LISTING,
                    include_str!("queries/outbox_list.sql"),
                    (namespace, limit, destination, before),
                    rows::outbox,
                ),
                Some("sent") => all(
                    c,
                    LISTING,
                    include_str!("queries/outbox_list_sent.sql"),
                    (namespace, limit, destination, before),
                    rows::outbox,
                ),
                Some(state) => {
                    let sql = include_str!("queries/outbox_list_open.sql");
                    all(c, LISTING, sql, (namespace, limit, destination, before, state), rows::outbox)
                }
            }
        })
        .await
    }

    async fn destination_rows(&self, namespace: &str) -> Result<Vec<DestinationRows>, StoreError> {
        let namespace = namespace.to_owned();
        let counted = self
            .look(move |c| {
                all(c, LISTING, include_str!("queries/destination_rows.sql"), [namespace], |row| {
                    let destination: String = row.get("destination")?;
                    Ok((destination, rows::state(row, RowState::from_word)?, rows::count(row, "number")?))
                })
            })
            .await?;
        let mut all: Vec<DestinationRows> = Vec::new();
        for (destination, state, number) in counted {
            match all.last_mut() {
                Some(last) if last.destination == destination => {
                    last.by_state.insert(state, number);
                }
                _ => all.push(DestinationRows { destination, by_state: [(state, number)].into() }),
            }
        }
        Ok(all)
    }

    async fn outbox_resolve(&self, namespace: &str, text: &str) -> Result<Vec<OutboxRow>, StoreError> {
        let Some((low, high)) = id_range(text) else { return Ok(Vec::new()) };
        let values = (namespace.to_owned(), low, high);
        self.look(move |c| all(c, LISTING, include_str!("queries/outbox_resolve.sql"), values, rows::outbox))
            .await
    }

    async fn outbox_counts(&self, namespace: &str) -> Result<OutboxCounts, StoreError> {
        let counts = self.state_counts(namespace, "outbox", RowState::from_word).await?;
        Ok(OutboxCounts { by_state: counts.into_iter().collect() })
    }

    async fn decision_list(&self, filter: DecisionFilter) -> Result<Vec<DecisionEntry>, StoreError> {
        self.look(move |c| {
            let DecisionFilter { namespace, work, slot, waiting, limit } = filter;
            if let Some(work) = work {
                let sql = include_str!("queries/decision_list_of_work.sql");
                let values = (namespace, limit, slot, work.as_bytes(), waiting);
                return all(c, LISTING, sql, values, rows::decision);
            }
            let sql = match waiting {
                false => include_str!("queries/decision_list.sql"),
                true => include_str!("queries/decision_list_waiting.sql"),
            };
            all(c, LISTING, sql, (namespace, limit, slot), rows::decision)
        })
        .await
    }

    async fn decision_totals(&self, namespace: &str) -> Result<Vec<ModelTotals>, StoreError> {
        let values = [namespace.to_owned()];
        self.look(move |c| {
            all(c, LISTING, include_str!("queries/decision_totals.sql"), values, rows::model_totals)
        })
        .await
    }

    async fn step_list(&self, namespace: &str) -> Result<Vec<String>, StoreError> {
        let namespace = namespace.to_owned();
        self.look(move |c| {
            all(c, LISTING, include_str!("queries/step_list.sql"), [namespace], |row| row.get("step"))
        })
        .await
    }

    async fn pause_list(&self, namespace: &str) -> Result<Vec<Pause>, StoreError> {
        let namespace = namespace.to_owned();
        self.look(move |c| pause::list(c, &namespace)).await
    }

    async fn destination_pace_list(&self, namespace: &str) -> Result<Vec<DestinationPace>, StoreError> {
        let namespace = namespace.to_owned();
        self.look(move |c| pace::list(c, &namespace)).await
    }

    async fn quarantine_list(&self, filter: QuarantineFilter) -> Result<Vec<Quarantined>, StoreError> {
        let values = (filter.namespace, filter.state.map(QuarantineState::word), filter.limit);
        self.look(move |c| {
            all(c, LISTING, include_str!("queries/quarantine_list.sql"), values, quarantine::row)
        })
        .await
    }

    async fn quarantine_resolve(&self, namespace: &str, text: &str) -> Result<Vec<Quarantined>, StoreError> {
        let Some((low, high)) = id_range(text) else { return Ok(Vec::new()) };
        let values = (namespace.to_owned(), low, high);
        self.look(move |c| {
            all(c, LISTING, include_str!("queries/quarantine_resolve.sql"), values, quarantine::row)
        })
        .await
    }

    async fn quarantine_count(&self, namespace: &str) -> Result<u64, StoreError> {
        let counts = self.state_counts(namespace, "quarantine", QuarantineState::from_word).await?;
        let waiting = counts.into_iter().find(|(state, _)| *state == QuarantineState::Waiting);
        Ok(waiting.map_or(0, |(_, number)| number))
    }

    async fn effect_list(&self, work: WorkRef) -> Result<Vec<Intent>, StoreError> {
        self.look(move |c| {
            let sql = include_str!("queries/intent_list.sql");
            all(c, LISTING, sql, (work.namespace, work.id.as_bytes()), rows::intent)
        })
        .await
    }

    async fn event_raw(&self, work: WorkRef) -> Result<Option<Raw>, StoreError> {
        self.look(move |c| raw::find(c, &work)).await
    }

    async fn evidence_list(&self, work: WorkRef) -> Result<Vec<Evidence>, StoreError> {
        self.look(move |c| evidence::list(c, &work)).await
    }
}

impl SqliteStore {
    /// How many of a noun are in each state.
    async fn state_counts<T: Send + 'static>(
        &self,
        namespace: &str,
        noun: &'static str,
        from_word: fn(&str) -> Option<T>,
    ) -> Result<Vec<(T, u64)>, StoreError> {
        let namespace = namespace.to_owned();
        let sql = include_str!("queries/state_counts.sql");
        self.look(move |c| {
            all(c, LISTING, sql, (namespace, noun), |row| {
                Ok((rows::state(row, from_word)?, rows::count(row, "number")?))
            })
        })
        .await
    }
}

/// The ids that begin with these hexadecimal digits, as a range that an index can look up; none where the text is no
/// beginning of an id.
fn id_range(text: &str) -> Option<([u8; 32], [u8; 32])> {
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    let (mut low, mut high) = ([0x00; 32], [0xff; 32]);
    for (at, digit) in text.chars().enumerate() {
        let digit = u8::try_from(digit.to_digit(16)?).ok()?;
        let (shift, keep) = if at % 2 == 0 { (4, 0x0f) } else { (0, 0xf0) };
        low[at / 2] = (low[at / 2] & keep) | (digit << shift);
        high[at / 2] = (high[at / 2] & keep) | (digit << shift);
    }
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::id_range;

    #[test]
    fn the_beginning_of_an_id_is_a_range() {
        let (low, high) = id_range("aBc").unwrap();
        assert_eq!((low[0], low[1], low[2]), (0xab, 0xc0, 0x00));
        assert_eq!((high[0], high[1], high[2]), (0xab, 0xcf, 0xff));
        assert_eq!(id_range(&"0".repeat(64)).unwrap(), ([0; 32], [0; 32]));
        for none in ["", "lead:v1:web:1", "xyz", &"0".repeat(65)] {
            assert_eq!(id_range(none), None, "{none:?}");
        }
    }
}
