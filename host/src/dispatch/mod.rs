//! Movement: works through steps, rows to destinations.
//!
//! Owns the one step protocol ([`step`]: claim, run, settle) and the delivery protocol ([`outbox`]: take, send,
//! settle). The command line, the workers, the tests and `verify` all run these. Background duties are `run_once`:
//! idempotent, without input, on the same path after a crash as in fair weather. It decides budgets and delays
//! ([`retry`]) and leaves every promise to the store's transactions; it holds no transaction over a call.

pub mod retry;
pub mod setup;
pub mod error;
pub mod end;
pub mod mirror;
pub mod step;
mod under_way;
pub mod worker;
pub mod nudge;
pub mod duty;
mod persistent;
mod signal;
pub mod executor;
pub mod caller;
pub mod reprocess;
pub mod read;
mod send;
mod flow;
pub mod outbox;
pub mod delivery;
pub mod retention;
