//! A copy of the ledger that knows that it is one.
//!
//! It is made beside a host that runs, as of one moment, and marked: whoever opens it in a ledger's place takes it up as one
//! that was put back. It appears under its name when it is whole and on disk.

use crate::store::error::StoreError;
use crate::store::sqlite::migrate;
use crate::store::sqlite::migrate::BACKUP_ID;
use crate::store::sqlite::open;
use crate::store::sqlite::open::beside;
use crate::store::sqlite::sequence::Sequence;
use crate::store::sqlite::tx::{failed, first};
use crate::store::sqlite::witness::FileLock;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What it is called in errors.
const BACKING_UP: &str = "backing up the ledger";

const PUTTING_BACK: &str = "putting a copy back in the ledger's place";

/// A backup that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The ledger's time in it, Unix milliseconds.
    pub as_of_ms: i64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Where a backup grows until it is whole.
#[must_use]
pub fn unfinished(to: &Path) -> PathBuf {
    beside(to, ".part")
}

/// Copy a ledger into a new file; it may be in use. It reads one state for as long as copying takes, during which the
/// write-ahead log grows. Blocking.
///
/// # Errors
/// [`StoreError`], where there is no ledger, something is there already, or the disk fails. No file is left under the name.
pub fn back_up(ledger: &Path, to: &Path) -> Result<Backup, StoreError> {
    free(to)?;
    let source = open::readable(ledger)?;
    migrate::check(&source, ledger)?;
    copy(BACKING_UP, &source, to)
}

/// Put a backup, or another copy of a ledger with its log beside it, in the place of a ledger, which must be free. It is taken up
/// when it is opened there. Blocking.
///
/// # Errors
/// [`StoreError`], where the copy is none or is damaged, a host or its ledger is in the place, or the disk fails. Nothing is
/// left in the place.
pub fn put_back(from: &Path, ledger: &Path) -> Result<Backup, StoreError> {
    // A host that starts meanwhile would begin a ledger here.
    let _lock = FileLock::take(ledger)?;
    // A log that was left in the place would be written into the copy.
    for taken in [ledger.to_owned(), beside(ledger, "-wal"), beside(ledger, "-journal")] {
        free(&taken)?;
    }
    from.metadata().map_err(|error| file_error("reading the copy", from, error))?;
    let source = open::readable(from)?;
    migrate::check_copy(&source, from)?;
    let sound: String = source
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|source| failed(PUTTING_BACK, source))?;
    let wrong = if sound == "ok" { miscounted(&source)? } else { Some(sound) };
    match wrong {
        Some(what) => Err(StoreError::Damaged { path: from.to_owned(), what }),
        None => copy(PUTTING_BACK, &source, ledger),
    }
}

/// Where a copy does not hold what its own counts say.
fn miscounted(copy: &Connection) -> Result<Option<String>, StoreError> {
    first(copy, PUTTING_BACK, include_str!("queries/state_miscounted.sql"), [], |row| {
        let (noun, state): (String, String) = (row.get("noun")?, row.get("state")?);
        let (counted, there): (i64, i64) = (row.get("counted")?, row.get("there")?);
        Ok(format!("of {noun} in the state {state} it counts {counted}, and holds {there}"))
    })
}

fn free(path: &Path) -> Result<(), StoreError> {
    match path.symlink_metadata() {
        Ok(_) => Err(StoreError::Taken { path: path.to_owned() }),
        Err(_) => Ok(()),
    }
}

/// Write what a connection reads into a marked copy, which appears under its name when it is whole.
fn copy(operation: &'static str, source: &Connection, to: &Path) -> Result<Backup, StoreError> {
    let part = unfinished(to);
    // What one that was cut off has left.
    for left in [part.clone(), beside(&part, "-journal")] {
        match std::fs::remove_file(&left) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(file_error(operation, &left, error));
            }
            _ => {}
        }
    }
    let made = write(operation, source, &part).and_then(|backup| {
        let named = std::fs::rename(&part, to).and_then(|()| sync_folder(to));
        named.map_err(|error| file_error(operation, to, error))?;
        Ok(backup)
    });
    if made.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    made
}

fn write(operation: &'static str, source: &Connection, part: &Path) -> Result<Backup, StoreError> {
    let sql_error = |source| failed(operation, source);
    let name = part.to_str().ok_or_else(|| {
        file_error(operation, part, std::io::Error::new(ErrorKind::InvalidFilename, "the path is not UTF-8"))
    })?;
    source.execute("VACUUM INTO ?1", [name]).map_err(sql_error)?;
    let marked = Connection::open_with_flags(part, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(sql_error)?;
    marked.execute_batch(&format!("PRAGMA application_id = {BACKUP_ID}")).map_err(sql_error)?;
    let as_of_ms = Sequence::find(&marked)?.now_ms;
    drop(marked);
    let file = File::open(part).and_then(|file| file.sync_all().and_then(|()| file.metadata()));
    Ok(Backup { as_of_ms, bytes: file.map_err(|error| file_error(operation, part, error))?.len() })
}

/// Make a new name durable.
fn sync_folder(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn file_error(operation: &'static str, path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Copy { operation, path: path.to_owned(), source: Arc::new(source) }
}
