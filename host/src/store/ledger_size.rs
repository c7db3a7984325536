//! How large the ledger is, for whoever watches the disk.

/// How large a backend's files are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSize {
    /// The ledger itself, in bytes.
    pub ledger_bytes: u64,
    /// What is written and not yet moved into it, in bytes; 0 where the backend has no such file.
    pub wal_bytes: u64,
}
