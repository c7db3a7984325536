//! `onceward:step@0.1.0`: the primitives, one file an interface.

pub(crate) mod bindings;
mod context;
mod decisions;
mod journal;
mod ledger;
mod outbox;
mod progress;

use crate::runtime::state::RunState;
use wasmtime::component::{HasSelf, Linker};

/// Offer all interfaces of this version.
pub(crate) fn link(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    bindings::Step::add_to_linker::<_, HasSelf<_>>(linker, |state| state)
}
