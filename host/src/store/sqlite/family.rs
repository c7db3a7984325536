//! A family as retention sees it: whether it has ended, when, and until when its windows keep it.

use crate::identity::key::RootKey;
use crate::store::error::StoreError;
use crate::store::outbox::RowState;
use crate::store::retention::ERASED;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, all, first};
use crate::store::work::WorkState;
use rusqlite::{Connection, Row};

const LOOKING: &str = "looking at a family";

/// The works under one root key, and how their rows stand.
pub(super) struct Family {
    namespace: String,
    root_key: RootKey,
    works: Vec<Member>,
    rows: Vec<Rows>,
    /// Events that collided with it and wait for a person.
    kept_events: u64,
}

/// One work of a family.
struct Member {
    seq: i64,
    step: String,
    is_root: bool,
    state: WorkState,
    updated_ms: i64,
    occurred_ms: i64,
    timed: bool,
    window: Remembered,
}

/// The rows of a family that are in one state.
struct Rows {
    state: RowState,
    updated_ms: i64,
    kept_until_ms: Option<i64>,
}

/// How long a work is remembered.
enum Remembered {
    ForEver,
    /// So many milliseconds.
    For(i64),
    /// Until its marker is set, which was last set then, where it was.
    UntilMarker(Option<i64>),
}

impl Remembered {
    /// Whether it is over, where the family ended then.
    fn is_over(&self, ended_ms: i64, at_ms: i64) -> bool {
        match self {
            Self::ForEver => false,
            Self::For(length_ms) => ended_ms.saturating_add(*length_ms) < at_ms,
            Self::UntilMarker(set_ms) => set_ms.is_some_and(|set_ms| ended_ms < set_ms),
        }
    }
}

/// What becomes of a family.
pub(super) enum Verdict {
    /// Its windows are over.
    Forget,
    /// It stays, and is not looked at before this moment; without one never again.
    Keep {
        /// Unix milliseconds.
        forget_after_ms: Option<i64>,
    },
    /// There is no such family.
    Gone,
}

impl Family {
    /// Read what a verdict needs.
    pub(super) fn read(
        connection: &Connection,
        namespace: &str,
        root_key: RootKey,
    ) -> Result<Self, StoreError> {
        let key = (namespace, root_key.as_bytes());
        let works = all(connection, LOOKING, include_str!("queries/family_works.sql"), key, member)?;
        let rows = all(connection, LOOKING, include_str!("queries/family_rows.sql"), key, |row| {
            Ok(Rows {
                state: rows::state(row, RowState::from_word)?,
                updated_ms: row.get("updated_ms")?,
                kept_until_ms: row.get("kept_until_ms")?,
            })
        })?;
        let kept_events =
            first(connection, LOOKING, include_str!("queries/family_kept_events.sql"), key, |row| {
                rows::count(row, "number")
            })?;
        let kept_events = kept_events.unwrap_or(0);
        Ok(Self { namespace: namespace.to_owned(), root_key, works, rows, kept_events })
    }

    /// What becomes of it at this moment, as seen from the root that it was found by.
    pub(super) fn verdict(&self, found_by: i64, at_ms: i64) -> Verdict {
        let Some(root) = self.works.iter().find(|work| work.seq == found_by) else { return Verdict::Gone };
        if self.works.iter().any(|work| matches!(work.window, Remembered::ForEver)) {
            return Verdict::Keep { forget_after_ms: None };
        }
        let ended = self.ended_ms();
        let suppresses_until_ms =
            self.rows.iter().filter_map(|rows| rows.kept_until_ms).max().unwrap_or(i64::MIN);
        // What is still open can't end before now.
        let ended_ms = ended.unwrap_or(at_ms);
        let is_over = || self.works.iter().all(|work| work.window.is_over(ended_ms, at_ms));
        if ended.is_some() && suppresses_until_ms < at_ms && is_over() {
            return Verdict::Forget;
        }
        let own_ms = match root.window {
            Remembered::For(length_ms) => ended_ms.saturating_add(length_ms).max(suppresses_until_ms),
            Remembered::ForEver | Remembered::UntilMarker(_) => ended_ms,
        };
        Verdict::Keep { forget_after_ms: Some(own_ms) }
    }

    /// When the last of it ended; none while anything is open. A sender's clock may be ahead: a window begins at the event's
    /// original time, where that comes later, or the event would not be too old once it is forgotten.
    fn ended_ms(&self) -> Option<i64> {
        if self.kept_events > 0 {
            return None;
        }
        let works = self.works.iter();
        let works = works.map(|work| work.state.is_final().then_some(work.updated_ms.max(work.occurred_ms)));
        let rows = self.rows.iter().map(|rows| rows.state.is_settled().then_some(rows.updated_ms));
        works.chain(rows).collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}

fn member(row: &Row<'_>) -> rusqlite::Result<Member> {
    let (window_ms, marker) = (row.get("window_ms")?, row.get::<_, Option<String>>("window_marker")?);
    let window = match (window_ms, marker) {
        (Some(length_ms), _) => Remembered::For(length_ms),
        (None, Some(_)) => Remembered::UntilMarker(row.get("set_ms")?),
        (None, None) => Remembered::ForEver,
    };
    Ok(Member {
        seq: row.get("seq")?,
        step: row.get("step")?,
        is_root: row.get::<_, u32>("chain_depth")? == 0,
        state: rows::state(row, WorkState::from_word)?,
        updated_ms: row.get("updated_ms")?,
        occurred_ms: row.get("occurred_at_ms")?,
        timed: row.get("timed")?,
        window,
    })
}

/// Forget a family, and keep what makes its event too old. The number of rows that were deleted.
pub(super) fn forget(tx: &Tx<'_>, family: &Family) -> Result<u64, StoreError> {
    let (namespace, root_key) = (&family.namespace, family.root_key.as_bytes());
    for root in family.works.iter().filter(|work| work.is_root) {
        if root.timed {
            let horizon = (namespace, &root.step, root.occurred_ms);
            tx.execute(include_str!("queries/family_horizon.sql"), horizon)?;
        } else {
            tx.execute(include_str!("queries/family_bury.sql"), (namespace, root_key, tx.now_ms))?;
        }
    }
    tx.execute(include_str!("queries/family_bury_collided.sql"), (namespace, root_key, tx.now_ms))?;
    // Where it was admitted from the quarantine, the record of that stays with the first of its identity.
    let payload = (namespace, root_key, ERASED.as_bytes());
    tx.execute(include_str!("queries/payload_erase_quarantine.sql"), payload)?;
    let own: Vec<i64> =
        tx.all(include_str!("queries/family_own_answers.sql"), (namespace, root_key), |row| row.get(0))?;
    let mut deleted = 0;
    for statement in FORGET {
        deleted += tx.execute(statement, (namespace, root_key))?;
    }
    for answer in &own {
        deleted += tx.execute(include_str!("queries/decision_forget.sql"), [answer])?;
    }
    Ok(deleted as u64)
}

/// What is deleted of a family, in the order that the references between the tables ask for.
pub(super) const FORGET: [&str; 10] = [
    include_str!("queries/event_raw_forget.sql"),
    include_str!("queries/family_forget_evidence.sql"),
    include_str!("queries/family_forget_item.sql"),
    include_str!("queries/family_forget_decision_pin.sql"),
    include_str!("queries/family_forget_decision_former.sql"),
    include_str!("queries/family_forget_outbox.sql"),
    include_str!("queries/family_forget_intent.sql"),
    include_str!("queries/family_forget_quarantine.sql"),
    include_str!("queries/family_forget_progress.sql"),
    include_str!("queries/family_forget_work.sql"),
];

#[cfg(test)]
mod tests {
    use super::FORGET;
    use crate::store::sqlite::migrate::SCHEMA;
    use rusqlite::Connection;

    /// What is left of a family on purpose.
    const STAYS: [&str; 1] = ["tombstone"];

    fn words(sql: &str) -> String {
        sql.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_family_is_forgotten_in_every_table_that_knows_it() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let sql = "SELECT DISTINCT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                   WHERE t.type = 'table' AND c.name IN ('work_id', 'work_seq', 'root_key')";
        let mut query = connection.prepare(sql).unwrap();
        let tables: Vec<String> =
            query.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap();
        assert!(tables.len() >= FORGET.len(), "{tables:?}");
        for table in tables.iter().filter(|table| !STAYS.contains(&table.as_str())) {
            let delete = format!("DELETE FROM {table} ");
            assert!(
                FORGET.iter().any(|statement| words(statement).contains(&delete)),
                "{table} is not forgotten"
            );
        }
    }
}
