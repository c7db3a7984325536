//! The file beside the ledger: the lock that makes one owner, and the witness of how far the ledger has come.
//!
//! The ledger's id and its last durable token are written here after each commit, and not synced: whoever finds the
//! ledger behind them knows that an older copy took its place, or that the disk lost what it had confirmed. The witness can be
//! too low, where the power failed, and is then silent; it is never too high. A witness of another ledger says nothing.

use crate::store::error::StoreError;
use crate::store::sqlite::open::beside;
use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

/// What tells a ledger from all others, also from one that was begun anew under its name.
pub(super) type LedgerId = [u8; 16];

/// A witness as it is written: the ledger's id in hexadecimal digits, and its token in twenty decimal ones.
const TEXT_BYTES: usize = 32 + 1 + 20 + 1;

/// The advisory lock beside the file. The kernel frees it when the process ends, however it ends.
pub(super) struct FileLock(Arc<File>);

impl FileLock {
    pub(super) fn take(ledger: &Path) -> Result<Self, StoreError> {
        let path = beside(ledger, ".lock");
        let open_error =
            |source: std::io::Error| StoreError::Open { path: ledger.to_owned(), source: Arc::new(source) };
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(open_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(Arc::new(file))),
            Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Owned { path: ledger.to_owned() }),
            Err(std::fs::TryLockError::Error(source)) => Err(open_error(source)),
        }
    }

    /// How far the ledger of this id has come, as far as this file knows. Where it knows another ledger, that is told: the
    /// one that is there now may have been begun anew by mistake.
    pub(super) fn reached(&self, ledger: &LedgerId) -> Option<i64> {
        let mut text = [0; TEXT_BYTES];
        self.0.read_exact_at(&mut text, 0).ok()?;
        let (id, token) = std::str::from_utf8(&text).ok()?.strip_suffix('\n')?.split_once(' ')?;
        let token = token.parse().ok()?;
        if id == hex(ledger) {
            return Some(token);
        }
        if token > 0 {
            tracing::warn!(
                "another ledger was here before, and nothing of what it knew is known to this one: where that is no intent, stop, put it back, and start again"
            );
        }
        None
    }

    /// The witness of this ledger, for its writer.
    pub(super) fn witness(&self, ledger: LedgerId) -> Witness {
        Witness { file: Arc::clone(&self.0), ledger: hex(&ledger), warned: Cell::new(false) }
    }
}

fn hex(id: &LedgerId) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What keeps the witness up to date.
pub(super) struct Witness {
    file: Arc<File>,
    ledger: String,
    warned: Cell<bool>,
}

impl Witness {
    /// The ledger has durably come to this token. Where that can't be written the witness stays too low, which loses nothing.
    pub(super) fn raise(&self, token: i64) {
        let text = format!("{} {token:020}\n", self.ledger);
        if let Err(error) = self.file.write_all_at(text.as_bytes(), 0)
            && !self.warned.replace(true)
        {
            tracing::warn!(%error, "the file beside the ledger can't be written; an older copy in the ledger's place might not be noticed");
        }
    }
}
