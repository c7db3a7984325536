//! Repeats of work that has ended for good, answered beside the writer.
//!
//! What has ended never changes, so that a look at what is on disk is enough to answer, and nobody waits for the writer or
//! for a commit. The count of repeats is collected here and written with whatever commits next; a crash loses no more than it.
//! What is not found, has not ended or has other content is the writer's, which alone knows what is being recorded at that moment; so
//! is everything that goes wrong here.
//!
//! The look is short (two rows by their keys) and is done in the caller's own thread: to hand it to another one would cost more
//! than the look itself.

use crate::identity::key::WorkId;
use crate::store::claim::{Arrival, Claim};
use crate::store::error::StoreError;
use crate::store::sqlite::claim;
use crate::store::sqlite::open;
use crate::store::sqlite::tx::Tx;
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What it does, for errors.
const OPERATION: &str = "looking for ended work";

/// What the writer does with the counts, for errors.
pub(super) const COUNTING: &str = "counting repeats";

/// Works that have ended, looked up by whoever claims them again.
pub(super) struct Repeats {
    path: PathBuf,
    free: Mutex<Vec<Connection>>,
    counts: Arc<Counts>,
}

impl Repeats {
    /// Of this file.
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path, free: Mutex::default(), counts: Arc::default() }
    }

    /// The answer to a repeat of work that has ended, and the work; none where the writer must say.
    pub(super) fn answer(&self, arrival: &Arrival) -> Option<(Claim, Repeated)> {
        let idle = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| open::glancing(&self.path), Ok).ok()?;
        let found = look(&connection, arrival);
        // One that has met an error is closed.
        let found = found.ok()?;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        found
    }

    /// The repeats that nobody has written yet.
    pub(super) const fn counts(&self) -> &Arc<Counts> {
        &self.counts
    }
}

/// A work that was repeated. Row numbers are given again once the newest row is forgotten, so that the id belongs to it.
pub(super) type Repeated = (i64, WorkId);

fn look(connection: &Connection, arrival: &Arrival) -> Result<Option<(Claim, Repeated)>, StoreError> {
    let Some((found, candidate)) = claim::find(connection, OPERATION, arrival)? else { return Ok(None) };
    if !found.has_ended() || !found.is_same(arrival, candidate) {
        return Ok(None);
    }
    let standing = claim::at_rest(connection, OPERATION, arrival, &found)?;
    Ok(standing.map(|standing| {
        let claim = claim::answered(arrival, found.work_id, &found.readable_key, standing);
        (claim, (found.seq, found.work_id))
    }))
}

/// Repeats that are counted and not written.
#[derive(Default)]
pub(super) struct Counts(Mutex<Pending>);

#[derive(Default)]
struct Pending {
    counts: HashMap<Repeated, u64>,
    /// Whether the writer has been told of them, and has not written them yet.
    told: bool,
}

impl Counts {
    /// Count a repeat. Where the writer does not know of any yet, it is told, in a way that does not wait; whether that went well
    /// is what `tell` says, and the next repeat tries again.
    pub(super) fn add(&self, repeated: Repeated, tell: impl FnOnce() -> bool) {
        let mut pending = self.lock();
        *pending.counts.entry(repeated).or_insert(0) += 1;
        if !pending.told {
            pending.told = tell();
        }
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        !self.lock().counts.is_empty()
    }

    /// Write them all. Whoever looks from now on waits for this transaction.
    pub(super) fn write(&self, tx: &Tx<'_>) -> Result<(), StoreError> {
        tx.will_be_seen();
        let Pending { counts, .. } = std::mem::take(&mut *self.lock());
        for ((seq, work), number) in counts {
            let values = (seq, number.cast_signed(), work.as_bytes());
            tx.execute(include_str!("queries/work_count_duplicate.sql"), values)?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
