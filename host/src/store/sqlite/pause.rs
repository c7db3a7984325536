//! Pauses: set, lifted, and looked up before anything is taken.

use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::pause::{Pause, PauseScope};
use crate::store::sqlite::tx::{Tx, all};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};

/// The namespace that a pause of everything is kept under.
const ALL_NAMESPACES: &str = "";

const fn place<'a>(namespace: &'a str, scope: &PauseScope) -> &'a str {
    if matches!(scope, PauseScope::Everything) { ALL_NAMESPACES } else { namespace }
}

/// Why this is stopped, where it is: by itself, with its namespace, or with everything.
pub(super) fn find(tx: &Tx<'_>, namespace: &str, scope: &PauseScope) -> Result<Option<String>, StoreError> {
    let key = (namespace, scope.word(), scope.name());
    tx.first(include_str!("queries/pause_find.sql"), key, |row| row.get("cause"))
}

/// Stop something; whether it was not stopped before. Without a person the destination itself refused us.
pub(super) fn set(
    tx: &Tx<'_>,
    namespace: &str,
    scope: &PauseScope,
    cause: &str,
    by: Option<&str>,
) -> Result<bool, StoreError> {
    let values = (place(namespace, scope), scope.word(), scope.name(), cause, by, tx.now_ms);
    Ok(tx.execute(include_str!("queries/pause_set.sql"), values)? == 1)
}

/// Let it go on; whether it was stopped.
pub(super) fn lift(
    tx: &Tx<'_>,
    namespace: &str,
    scope: &PauseScope,
    actor: &Actor,
) -> Result<bool, StoreError> {
    let by = format!("{}: {}", actor.name, actor.reason);
    let values = (place(namespace, scope), scope.word(), scope.name(), by, tx.now_ms);
    Ok(tx.execute(include_str!("queries/pause_lift.sql"), values)? == 1)
}

/// What is stopped.
pub(super) fn list(connection: &Connection, namespace: &str) -> Result<Vec<Pause>, StoreError> {
    all(connection, "listing pauses", include_str!("queries/pause_list.sql"), [namespace], read)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Pause> {
    let index = row.as_ref().column_index("scope")?;
    let word: String = row.get(index)?;
    let scope = PauseScope::from_word(&word, row.get("name")?).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, format!("unknown scope {word:?}").into())
    })?;
    Ok(Pause {
        scope,
        cause: row.get("cause")?,
        paused_by: row.get("paused_by")?,
        paused_ms: row.get("paused_ms")?,
    })
}
