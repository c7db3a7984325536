//! How the store fails.

use crate::contract::step::ContractError;
use std::path::PathBuf;
use std::sync::Arc;

/// An operation of the store that did not happen. Cloneable, since one failed commit answers many callers.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The file can't be opened.
    #[error("opening the ledger {path}: it can't be opened; check the path and its permissions")]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// There is no file to read.
    #[error(
        "opening the ledger {path}: there is none yet; the first command that writes makes it, such as `onceward run`"
    )]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Another process owns the file.
    #[error(
        "opening the ledger {path}: another process owns it; stop that process, or let it finish (one process owns a ledger file at a time)"
    )]
    Owned {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error(
        "opening the ledger {path}: its schema is version {found}, and this program knows versions up to {known}; use the newer program that wrote it"
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The file's version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// The file is a database, but not a ledger.
    #[error("opening the ledger {path}: it is not a ledger of this program; choose another path")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is a backup, and only a ledger's owner takes it up.
    #[error(
        "opening the ledger {path}: it is a backup that nobody has taken up yet; any command that writes does so, such as `onceward resume`, and starts paused"
    )]
    Unclaimed {
        /// The file.
        path: PathBuf,
    },
    /// The log of another ledger lies beside a backup, and would be written into it.
    #[error(
        "opening the ledger {path}: it is a backup, and the write-ahead log beside it belongs to the ledger that was here before; move {path}-wal and {path}-shm away, and keep them"
    )]
    StrayLog {
        /// The file.
        path: PathBuf,
    },
    /// Something is there already.
    #[error(
        "writing a copy of the ledger to {path}: something is there already, and is left as it is; move it away, or choose another name"
    )]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// A copy's file can't be written.
    #[error(
        "{operation}: {path} can't be used, and nothing is left of a copy: check the path, the space and the permissions"
    )]
    Copy {
        /// The operation.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: Arc<std::io::Error>,
    },
    /// A copy is damaged, or its parts are not of one moment.
    #[error("putting the copy {path} back: it is damaged ({what}); take another one")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says, or what does not agree.
        what: String,
    },
    /// The disk, or the limit set for the ledger, is full. Nothing of the operation was kept.
    #[error(
        "{operation}: no space is left for the ledger; nothing was recorded: free disk space (or raise store.max_bytes) and send it again"
    )]
    Full {
        /// The operation.
        operation: &'static str,
    },
    /// The database stayed busy until the deadline.
    #[error("{operation}: the ledger stayed busy; nothing was recorded: try again")]
    Busy {
        /// The operation.
        operation: &'static str,
    },
    /// The disk failed a write; the store has stopped.
    #[error(
        "{operation}: the disk failed while writing the ledger, so the host stops and acknowledges nothing more; check the disk, then start again"
    )]
    Disk {
        /// The operation.
        operation: &'static str,
        /// Why.
        source: Arc<rusqlite::Error>,
    },
    /// A read failed: the disk failed it, or what the file holds is damaged. Nothing of the operation was kept.
    #[error(
        "{operation}: the ledger can't be read; nothing was recorded: check the disk, and where the file is damaged restore it from a backup"
    )]
    Unreadable {
        /// The operation.
        operation: &'static str,
        /// Why.
        source: Arc<rusqlite::Error>,
    },
    /// An earlier failure of the disk has stopped the store.
    #[error(
        "writing the ledger: the store has stopped after an earlier failure; see the log, then start again"
    )]
    Stopped,
    /// The ledger is open for reading alone.
    #[error("{operation}: the ledger is open for reading alone; open it as its owner to write")]
    ReadOnly {
        /// The operation.
        operation: &'static str,
    },
    /// A statement failed: a fault of this program, or of the file.
    #[error("{operation}: the ledger refused a statement")]
    Statement {
        /// The operation.
        operation: &'static str,
        /// Why.
        source: Arc<rusqlite::Error>,
    },
    /// A stored value can't be read back.
    #[error("{operation}: the ledger holds a value that can't be read ({what}); restore it from a backup")]
    Corrupt {
        /// The operation.
        operation: &'static str,
        /// What.
        what: String,
    },
    /// The action id was used for another act.
    #[error(
        "{operation}: the action id {action:?} was used for another act, or by somebody else; nothing was changed: give each act an id of its own, and repeat it as it was said first"
    )]
    ActionReused {
        /// The operation.
        operation: &'static str,
        /// The id.
        action: String,
    },
    /// The step's contract may not be recorded.
    #[error("recording a contract")]
    Contract(#[source] Arc<ContractError>),
}

impl StoreError {
    /// Whether trying the same again can help.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Busy { .. } | Self::Unreadable { .. })
    }
}
