//! The schema and its migrations.

use crate::store::error::StoreError;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

/// The migrations, in order. One that has been released is never edited.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/0001_spine.sql")];

/// The newest schema version, which is the number of migrations.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The schema as a newcomer reads it. A test proves that the migrations lead to it.
pub const SCHEMA: &str = include_str!("schema.sql");

/// Marks the file as a ledger: "ONCE" in ASCII.
pub(super) const APPLICATION_ID: i64 = 0x4F4E_4345;

/// Marks the file as the backup of a ledger: "ONCB" in ASCII.
pub(super) const BACKUP_ID: i64 = 0x4F4E_4342;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has no content.
    New,
    /// A ledger.
    Ledger,
    /// The backup of one.
    Backup,
}

/// Bring the file to the newest version, in one transaction, or refuse it. A backup stays one.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let (kind, found) = look(connection, path)?;
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    let pending = MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(usize::MAX));
    let mut script = String::from("BEGIN IMMEDIATE;\n");
    for migration in pending {
        script.push_str(migration);
        script.push('\n');
    }
    let id = if kind == Kind::Backup { BACKUP_ID } else { APPLICATION_ID };
    script.push_str(&format!(
        "PRAGMA application_id = {id};\nPRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;"
    ));
    connection
        .execute_batch(&script)
        .map_err(|source| StoreError::Open { path: path.to_owned(), source: Arc::new(source) })
}

/// Refuse a file that is neither new, nor a ledger of a version known here or older, nor a backup of one. Nothing is
/// written.
pub(super) fn refuse(connection: &Connection, path: &Path) -> Result<Kind, StoreError> {
    look(connection, path).map(|(kind, _)| kind)
}

/// Refuse a file that is no ledger of a version known here.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    match look(connection, path)? {
        (Kind::Ledger, SCHEMA_VERSION) => Ok(()),
        (Kind::Backup, _) => Err(StoreError::Unclaimed { path: path.to_owned() }),
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

/// Refuse a file that is neither a ledger nor a backup.
pub(super) fn check_copy(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    match look(connection, path)? {
        (Kind::Ledger | Kind::Backup, _) => Ok(()),
        (Kind::New, _) => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

/// What the file is, and its schema's version.
fn look(connection: &Connection, path: &Path) -> Result<(Kind, i64), StoreError> {
    let read = |sql: &str| -> Result<i64, StoreError> {
        connection.query_row(sql, [], |row| row.get(0)).map_err(|source: rusqlite::Error| {
            if source.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
                StoreError::Foreign { path: path.to_owned() }
            } else {
                StoreError::Open { path: path.to_owned(), source: Arc::new(source) }
            }
        })
    };
    let application = read("PRAGMA application_id")?;
    let found = read("PRAGMA user_version")?;
    let tables = read("SELECT count(*) FROM sqlite_schema")?;
    let kind = match application {
        APPLICATION_ID => Kind::Ledger,
        BACKUP_ID => Kind::Backup,
        0 if found == 0 && tables == 0 => Kind::New,
        _ => return Err(StoreError::Foreign { path: path.to_owned() }),
    };
    if found > SCHEMA_VERSION {
        return Err(StoreError::NewerSchema { path: path.to_owned(), found, known: SCHEMA_VERSION });
    }
    Ok((kind, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements that a script leaves in the schema table.
    fn statements(script: &str) -> Vec<String> {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(script).unwrap();
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name";
        let mut query = connection.prepare(sql).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn the_migrations_lead_to_the_schema() {
        assert_eq!(statements(&MIGRATIONS.concat()), statements(SCHEMA));
    }
}
