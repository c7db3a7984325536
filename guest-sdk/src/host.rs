//! The host's functions, by one name each: inside WebAssembly those that the component imports, outside it those of the
//! [`testing`](crate::testing) host.
//!
//! It owns that choice alone; the sugar modules call nothing else.

#[cfg(target_arch = "wasm32")]
mod component {
    pub(crate) use crate::bindings::onceward::step::context::{derive_id, occurred_at, seed};
    pub(crate) use crate::bindings::onceward::step::decisions::{cache, decide, recall};
    pub(crate) use crate::bindings::onceward::step::journal::note;
    pub(crate) use crate::bindings::onceward::step::ledger::{claim, record_effect, release};
    pub(crate) use crate::bindings::onceward::step::outbox::enqueue;
    pub(crate) use crate::bindings::onceward::step::progress::{advance, load_cursor};
}

#[cfg(target_arch = "wasm32")]
pub(crate) use component::*;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod native;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::{
    advance, cache, claim, decide, derive_id, enqueue, load_cursor, note, occurred_at, recall, record_effect,
    release, seed,
};
