//! How large the ledger is, for whoever watches the disk.

/// A write-ahead log that is larger than this is not being moved into the ledger, in bytes. It is moved as soon as it has 4 MiB, so
/// that four times as much means that something reads an old state and holds it.
pub const WAL_ALARM_BYTES: u64 = 16 * 1024 * 1024;

/// How large a backend's files are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSize {
    /// The ledger itself, in bytes.
    pub ledger_bytes: u64,
    /// What is written and not yet moved into it, in bytes; 0 where the backend has no such file.
    pub wal_bytes: u64,
}

impl LedgerSize {
    /// The size of the write-ahead log in bytes, where something holds it: it grows with each write, until whatever reads
    /// an old state ends.
    ///
    /// ```
    /// use onceward::store::ledger_size::{LedgerSize, WAL_ALARM_BYTES};
    /// let size = |wal_bytes| LedgerSize { wal_bytes, ..LedgerSize::default() };
    /// assert_eq!(size(WAL_ALARM_BYTES).wal_held_bytes(), None);
    /// assert_eq!(size(WAL_ALARM_BYTES + 1).wal_held_bytes(), Some(WAL_ALARM_BYTES + 1));
    /// ```
    #[must_use]
    pub const fn wal_held_bytes(&self) -> Option<u64> {
        if self.wal_bytes > WAL_ALARM_BYTES { Some(self.wal_bytes) } else { None }
    }
}
