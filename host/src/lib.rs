//! Onceward: a host for workflow steps that are delivered at least once and act once.
//!
//! The order of the modules below is the architecture: each uses only those above it. `tests/tidy.rs` says so.
#![cfg_attr(not(test), deny(clippy::unwrap_used))]

// words: no input or output
pub mod telemetry;
pub mod clock;
pub mod crash_point;
pub mod identity;
pub mod contract;
pub mod inbound;

// state: never calls out
pub mod store;

// outside: never sees the store
pub mod connectors;
pub mod models;

// guests: never use connectors
pub mod runtime;

// movement
pub mod dispatch;

// watchers: none uses another
pub mod verify;

// faces
pub mod api;
pub mod cli;
