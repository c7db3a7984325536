#![doc = include_str!("../README.md")]
//!
//! # Map
//! A module uses only what is declared above it.
//!
//! | module | what it owns |
//! |---|---|
//! | `bindings` | the generated code (hidden: not for steps) |
//! | [`misfit`] | JSON that does not fit a Rust type, and where |
//! | [`outcome`] | what a step answers: [`Outcome`] and [`Failure`] |
//! | [`work`] | the one thing to be done once |
//! | [`step`](mod@crate::step) | the trait that a step implements |
//! | [`contract`] | identity, window, response, and what the step asks for |
//! | [`context`], [`journal`], [`decisions`], [`ledger`], [`outbox`], [`progress`] | one interface of the host each |
//! | [`receipt`] | the payload of a step that goes on from a receipt |
//! | `host` | which host is called |
//! | [`export`] | the macro [`step!`](crate::step!), which declares the contract and exports the step |
//! | [`testing`] | a host for native tests |
//!
//! It holds no state and does no I/O of its own. Outside WebAssembly a step runs under [`testing::Host`], in plain `cargo test`; a
//! function of the host that is called without one panics.

// Public for what `step!` expands to; no part of the interface.
#[doc(hidden)]
pub mod bindings;
mod host;
pub mod misfit;
pub mod outcome;
pub mod work;
pub mod step;
pub mod contract;
pub mod context;
pub mod journal;
pub mod decisions;
pub mod ledger;
pub mod outbox;
pub mod receipt;
pub mod progress;
pub mod export;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;

pub use crate::contract::Contract;
pub use crate::contract::Identity;
pub use crate::contract::Response;
pub use crate::contract::Window;
pub use crate::misfit::explain;
pub use crate::outcome::Failure;
pub use crate::outcome::Outcome;
pub use crate::step::Step;
pub use crate::work::Work;

/// Everything that a usual step needs: `use onceward_guest::prelude::*;`.
pub mod prelude {
    pub use crate::context;
    pub use crate::contract::Identity;
    pub use crate::contract::Response;
    pub use crate::contract::Window;
    pub use crate::decisions;
    pub use crate::decisions::Decision;
    pub use crate::decisions::DecisionError;
    pub use crate::decisions::Question;
    pub use crate::journal;
    pub use crate::ledger;
    pub use crate::misfit::explain;
    pub use crate::outbox::EnqueueError;
    pub use crate::outbox::Row;
    pub use crate::outcome::Failure;
    pub use crate::outcome::Outcome;
    pub use crate::progress;
    pub use crate::receipt::Receipt;
    pub use crate::step;
    pub use crate::step::Step;
    pub use crate::work::Work;
}

/// The step in the project's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ProjectReadme;
