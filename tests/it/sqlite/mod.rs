//! What SQLite alone promises: one owner a file, one commit for many callers, full and failing disks, and
//! constraints that hold against a direct hand.

pub(crate) mod backend;
mod batch;
mod disk;
mod erase;
mod fsync;
mod full;
mod held_log;
mod open;
mod restored;
mod simulated;
mod triggers;
mod wal_cut;
