//! A ledger that is put back from a copy: what is known of it, and what is not.
//!
//! What happened between the copy and its return is on record nowhere. So nothing of it goes on by itself: the whole ledger
//! is paused, what was under way is in doubt, and its tokens begin beyond all that the lost time can have given out.

use serde::Serialize;

/// How it is known that a ledger was put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PutBack {
    /// The file is a backup, as `onceward backup` writes it.
    Backup,
    /// The file is behind what stands beside it: an older copy took its place, or the disk lost what it had confirmed.
    Behind,
    /// A person says so.
    Said,
}

/// What became of a ledger that was put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// How it is known.
    pub how: PutBack,
    /// The ledger's time when the copy was made, Unix milliseconds. Of what came later nothing is known.
    pub as_of_ms: i64,
    /// Works that were under way, and are in doubt now.
    pub works: u64,
    /// Rows that were not settled, and are in doubt now.
    pub rows: u64,
}
