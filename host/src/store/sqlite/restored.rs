//! Taking up a ledger that was put back from a copy: one transaction, before anything else is done with it.

use crate::identity::time::format_ms;
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::pause::PauseScope;
use crate::store::restored::{PutBack, Restored};
use crate::store::sqlite::migrate::APPLICATION_ID;
use crate::store::sqlite::operate::said;
use crate::store::sqlite::sequence::Sequence;
use crate::store::sqlite::tx::failed;
use rusqlite::Connection;

/// How far the tokens leap: more than a ledger gives out in years between a copy and its return. The largest number that
/// JavaScript holds exactly, 2^53, is two million such leaps away.
const TOKEN_LEAP: i64 = 1 << 32;

/// What it is called in errors.
const OPERATION: &str = "taking up a ledger that was put back";

/// Who pauses it, where nobody has said that it was put back.
const NOBODY: &str = "the host itself";

/// Pause everything, put all that was under way in doubt, and leap beyond all tokens that were given out since. `by` is the
/// person who says so, with the reason; `reached` the token that the ledger is known to have come to.
pub(super) fn take_up(
    connection: &Connection,
    clock_ms: i64,
    how: PutBack,
    by: Option<&Actor>,
    reached: i64,
) -> Result<Restored, StoreError> {
    let before = Sequence::find(connection)?;
    let as_of = format_ms(before.now_ms);
    let why = by.map(|by| format!("; {}", said(by))).unwrap_or_default();
    let doubt =
        format!("the ledger was restored as of {as_of}, and what became of this since is not known{why}");
    let pause = format!(
        "the ledger was restored as of {as_of}{why}: resolve what is in doubt, then unpause everything"
    );
    let run = || -> rusqlite::Result<Restored> {
        let transaction = connection.unchecked_transaction()?;
        let now_ms: i64 =
            transaction.query_row(include_str!("queries/sequence_tick.sql"), [clock_ms], |row| row.get(0))?;
        transaction.execute(include_str!("queries/sequence_leap.sql"), [reached, TOKEN_LEAP])?;
        let terms = (now_ms, &doubt);
        transaction.execute(include_str!("queries/work_restored_evidence.sql"), terms)?;
        transaction.execute(include_str!("queries/outbox_restored_evidence.sql"), terms)?;
        let works = transaction.execute(include_str!("queries/work_restored.sql"), terms)?;
        let rows = transaction.execute(include_str!("queries/outbox_restored.sql"), terms)?;
        let everything = PauseScope::Everything;
        let paused_by = by.map_or(NOBODY, |by| by.name.as_str());
        let paused = ("", everything.word(), everything.name(), &pause, paused_by, now_ms);
        transaction.execute(include_str!("queries/pause_set.sql"), paused)?;
        transaction.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}"))?;
        transaction.commit()?;
        let (works, rows) =
            (u64::try_from(works).unwrap_or(u64::MAX), u64::try_from(rows).unwrap_or(u64::MAX));
        Ok(Restored { how, as_of_ms: before.now_ms, works, rows })
    };
    let restored = run().map_err(|source| failed(OPERATION, source))?;
    // Whoever has said so is told in other words.
    if by.is_none() {
        tracing::warn!(
            how = ?restored.how,
            works = restored.works,
            rows = restored.rows,
            "the ledger was restored as of {as_of}: everything is paused, and what was under way is in doubt"
        );
    }
    Ok(restored)
}
