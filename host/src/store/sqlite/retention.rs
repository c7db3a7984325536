//! Families whose windows have ended, decisions that nobody refers to, and markers.
//!
//! Candidates are found by an index over the earliest moment at which a family can end; each is then looked at, and one
//! that stays is put back to its next such moment, so that a pass sees nothing twice.

use crate::identity::key::RootKey;
use crate::store::Retention;
use crate::store::action::ACTION_KEPT_MS;
use crate::store::claim::Arrival;
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::retention::{Cursor, Erasure, Kept, Marker, Pass};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::action;
use crate::store::sqlite::erase;
use crate::store::sqlite::family;
use crate::store::sqlite::family::{Family, Verdict};
use crate::store::sqlite::operate::said;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, all};
use crate::store::work::WorkRef;
use async_trait::async_trait;
use rusqlite::Connection;

const ACTIONS: &str = "forgetting old action ids";

const LOOKING: &str = "looking for what may be forgotten";

/// Rows that one transaction deletes at most, so that no claim waits long for it. One family that has more goes alone.
const BATCH_ROWS_MAX: u64 = 20_000;

#[async_trait]
impl Retention for SqliteStore {
    async fn family_expire(&self, namespace: &str, after: Cursor, limit: u32) -> Result<Pass, StoreError> {
        let namespace = namespace.to_owned();
        self.writer
            .call("forgetting what its window no longer keeps", move |tx| {
                expire(tx, &namespace, after, limit)
            })
            .await
    }

    async fn family_due(
        &self,
        namespace: &str,
        at_ms: i64,
        after: Cursor,
        limit: u32,
    ) -> Result<Pass, StoreError> {
        let namespace = namespace.to_owned();
        self.readers.read(move |connection| due(connection, &namespace, at_ms, after, limit)).await
    }

    async fn family_kept(&self, namespace: &str) -> Result<Vec<Kept>, StoreError> {
        let namespace = namespace.to_owned();
        self.readers
            .read(move |connection| {
                all(connection, LOOKING, include_str!("queries/family_kept.sql"), [namespace], |row| {
                    Ok(Kept {
                        marker: row.get("window_marker")?,
                        families: rows::count(row, "number")?,
                        next_ms: row.get("next_ms")?,
                    })
                })
            })
            .await
    }

    async fn decision_expire(
        &self,
        namespace: &str,
        age_ms: i64,
        after: Cursor,
        limit: u32,
    ) -> Result<Pass, StoreError> {
        let namespace = namespace.to_owned();
        self.writer
            .call("forgetting old decisions", move |tx| {
                let before_ms = tx.now_ms.saturating_sub(age_ms);
                let old = old_decisions(tx.connection, &namespace, before_ms, after, limit)?;
                for decision in old.iter().filter(|decision| !decision.pinned) {
                    tx.execute(include_str!("queries/decision_forget.sql"), [decision.cursor.place])?;
                }
                Ok(pass_over(&old, limit))
            })
            .await
    }

    async fn decision_due(
        &self,
        namespace: &str,
        before_ms: i64,
        after: Cursor,
        limit: u32,
    ) -> Result<Pass, StoreError> {
        let namespace = namespace.to_owned();
        self.readers
            .read(move |connection| {
                Ok(pass_over(&old_decisions(connection, &namespace, before_ms, after, limit)?, limit))
            })
            .await
    }

    async fn payload_erase(&self, work: WorkRef, actor: Actor) -> Result<Erasure, StoreError> {
        let namespace = work.namespace.clone();
        self.act("erasing payloads", &namespace, actor, work, erase::erase).await
    }

    async fn payload_scrub(&self) -> Result<bool, StoreError> {
        self.writer.scrub().await
    }

    async fn action_expire(&self, namespace: &str, limit: u32) -> Result<u64, StoreError> {
        let values = (namespace.to_owned(), self.clock_ms(), ACTION_KEPT_MS);
        if !self.finds(ACTIONS, include_str!("queries/action_old.sql"), values).await? {
            return Ok(0);
        }
        let namespace = namespace.to_owned();
        self.writer.call(ACTIONS, move |tx| action::expire(tx, &namespace, limit)).await
    }

    async fn marker_set(&self, namespace: &str, name: &str, actor: Actor) -> Result<Marker, StoreError> {
        let what = (namespace.to_owned(), name.to_owned());
        self.act("setting a marker", namespace, actor, what, |tx, (namespace, name), actor| {
            let marker = Marker { name: name.clone(), set_ms: tx.now_ms, set_by: said(actor) };
            let values = (namespace, name, marker.set_ms, &marker.set_by);
            tx.execute(include_str!("queries/marker_set.sql"), values)?;
            Ok(marker)
        })
        .await
    }

    async fn marker_list(&self, namespace: &str) -> Result<Vec<Marker>, StoreError> {
        let namespace = namespace.to_owned();
        self.readers.read(move |connection| markers(connection, &namespace)).await
    }
}

/// Whether an event that is not found may have been forgotten, so that it can't be told from new work.
pub(super) fn is_forgotten(tx: &Tx<'_>, arrival: &Arrival) -> Result<bool, StoreError> {
    if arrival.occurred_at_ms.is_some_and(|occurred_ms| arrival.window.is_too_old(occurred_ms, tx.now_ms)) {
        return Ok(true);
    }
    for candidate in arrival.candidates() {
        let forgotten = tx.first(
            include_str!("queries/family_forgotten.sql"),
            (
                &arrival.namespace,
                candidate.root_key.as_bytes(),
                &arrival.step,
                arrival.occurred_at_ms,
                arrival.window.marker(),
            ),
            |row| row.get(0),
        )?;
        if forgotten == Some(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A work that a family is found by.
struct Root {
    seq: i64,
    root_key: RootKey,
    forget_after_ms: i64,
}

impl Root {
    const fn cursor(&self) -> Cursor {
        Cursor { at_ms: self.forget_after_ms, place: self.seq }
    }
}

fn candidates(
    connection: &Connection,
    namespace: &str,
    at_ms: i64,
    after: Cursor,
    limit: u32,
) -> Result<Vec<Root>, StoreError> {
    // One short list for time and one for each marker, since an index orders no more than one of them.
    let mut ends = vec![(None, at_ms)];
    ends.extend(markers(connection, namespace)?.into_iter().map(|marker| (Some(marker.name), marker.set_ms)));
    let mut roots = Vec::new();
    for (marker, end_ms) in ends {
        let values = (namespace, marker, end_ms, after.at_ms, after.place, limit);
        let found = all(connection, LOOKING, include_str!("queries/family_candidates.sql"), values, |row| {
            Ok(Root {
                seq: row.get("seq")?,
                root_key: rows::key(row, "root_key")?,
                forget_after_ms: row.get("forget_after_ms")?,
            })
        })?;
        roots.extend(found);
    }
    roots.sort_unstable_by_key(|root: &Root| (root.forget_after_ms, root.seq));
    roots.truncate(limit as usize);
    Ok(roots)
}

fn markers(connection: &Connection, namespace: &str) -> Result<Vec<Marker>, StoreError> {
    all(connection, "listing markers", include_str!("queries/marker_list.sql"), [namespace], |row| {
        Ok(Marker { name: row.get("name")?, set_ms: row.get("set_ms")?, set_by: row.get("set_by")? })
    })
}

fn expire(tx: &Tx<'_>, namespace: &str, after: Cursor, limit: u32) -> Result<Pass, StoreError> {
    let roots = candidates(tx.connection, namespace, tx.now_ms, after, limit)?;
    let (mut forgotten, mut deleted) = (0, 0);
    for root in &roots {
        if deleted >= BATCH_ROWS_MAX {
            // The rest is for the next transaction.
            return Ok(Pass { forgotten, next: Some(before(root)) });
        }
        let family = Family::read(tx.connection, namespace, root.root_key)?;
        match family.verdict(root.seq, tx.now_ms) {
            Verdict::Forget => {
                deleted += family::forget(tx, &family)?;
                forgotten += 1;
            }
            Verdict::Keep { forget_after_ms } => {
                tx.execute(include_str!("queries/family_postpone.sql"), (root.seq, forget_after_ms))?;
            }
            // It went with another root of its family.
            Verdict::Gone => {}
        }
    }
    Ok(Pass { forgotten, next: last_of(&roots, limit) })
}

fn due(
    connection: &Connection,
    namespace: &str,
    at_ms: i64,
    after: Cursor,
    limit: u32,
) -> Result<Pass, StoreError> {
    let roots = candidates(connection, namespace, at_ms, after, limit)?;
    let mut forgotten = 0;
    for root in &roots {
        let family = Family::read(connection, namespace, root.root_key)?;
        forgotten += u64::from(matches!(family.verdict(root.seq, at_ms), Verdict::Forget));
    }
    Ok(Pass { forgotten, next: last_of(&roots, limit) })
}

/// Where to go on after these; none where they were the last.
fn last_of(roots: &[Root], limit: u32) -> Option<Cursor> {
    roots.last().filter(|_| roots.len() >= limit as usize).map(Root::cursor)
}

/// Where to go on so that this one is the next.
const fn before(root: &Root) -> Cursor {
    Cursor { at_ms: root.forget_after_ms, place: root.seq - 1 }
}

/// A decision of more than a certain age.
struct OldDecision {
    /// Its age, and its row.
    cursor: Cursor,
    pinned: bool,
}

fn old_decisions(
    connection: &Connection,
    namespace: &str,
    before_ms: i64,
    after: Cursor,
    limit: u32,
) -> Result<Vec<OldDecision>, StoreError> {
    let values = (namespace, before_ms, after.at_ms, after.place, limit);
    all(connection, LOOKING, include_str!("queries/decision_candidates.sql"), values, |row| {
        Ok(OldDecision {
            cursor: Cursor { at_ms: row.get("created_ms")?, place: row.get("seq")? },
            pinned: row.get("pinned")?,
        })
    })
}

fn pass_over(old: &[OldDecision], limit: u32) -> Pass {
    let forgotten = old.iter().filter(|decision| !decision.pinned).count();
    let next = old.last().filter(|_| old.len() >= limit as usize).map(|decision| decision.cursor);
    Pass { forgotten: forgotten as u64, next }
}

#[cfg(test)]
mod tests {
    use crate::store::sqlite::family::FORGET;
    use crate::store::sqlite::migrate::SCHEMA;
    use rusqlite::Connection;

    /// What runs for each candidate, or finds them, must not read a whole table: there are 10^6 works.
    #[test]
    fn candidates_are_found_and_forgotten_without_a_scan() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let found = [
            include_str!("queries/family_candidates.sql"),
            include_str!("queries/family_forgotten.sql"),
            include_str!("queries/family_works.sql"),
            include_str!("queries/family_rows.sql"),
            include_str!("queries/family_own_answers.sql"),
            include_str!("queries/family_kept_events.sql"),
            include_str!("queries/family_bury_collided.sql"),
            include_str!("queries/payload_erase_quarantine.sql"),
            include_str!("queries/family_kept.sql"),
            include_str!("queries/decision_candidates.sql"),
            include_str!("queries/decision_forget.sql"),
            include_str!("queries/action_forget.sql"),
        ];
        for sql in found.iter().chain(&FORGET) {
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let none = vec![rusqlite::types::Value::Null; plan.parameter_count()];
            let details = plan.query_map(rusqlite::params_from_iter(none), |row| row.get("detail")).unwrap();
            let details: Vec<String> = details.collect::<rusqlite::Result<_>>().unwrap();
            let reads_all = |line: &&String| {
                line.starts_with("SCAN ") && !line.starts_with("SCAN CONSTANT") || line.contains("TEMP")
            };
            // Short lists may be grouped; what is long comes in the order of its index.
            let long = details.iter().filter(reads_all).filter(|line| !line.contains("GROUP BY"));
            assert_eq!((long.count(), details.is_empty()), (0, false), "{sql}\n{details:#?}");
        }
    }
}
