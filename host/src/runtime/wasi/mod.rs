//! The virtual WASI, for components of other languages: what their run-time systems ask of a machine, as a function of the work.
//!
//! Owns WASI 0.2's clocks, randomness, standard streams and environment, one file an interface, and what stands behind them. The
//! clock begins at the event's original time and goes on by the step's own sleeps alone; randomness comes from the work's id;
//! output goes to the run's notes; there is no input, no argument and no variable. All else of `wasi:` is linked so
//! that the component loads, and refused by its name when it is called. Nothing here looks at the machine, waits, or keeps
//! anything after the run.

#![expect(unreachable_pub, reason = "the generated bindings give out the resources' types as they are")]

pub(super) mod absent;
mod bindings;
mod cli;
mod clock;
mod output;
mod poll;
mod random;
pub(super) mod sandbox;
mod streams;

pub(super) use crate::runtime::wasi::output::STDERR;

use crate::runtime::wasi::bindings::Answered;
use crate::runtime::wasi::sandbox::Sandbox;
use wasmtime::component::{HasSelf, Linker};

/// Offer the interfaces that are answered, to instances with a sandbox in their state.
pub(super) fn link<T: 'static>(
    linker: &mut Linker<T>,
    sandbox: fn(&mut T) -> &mut Sandbox,
) -> wasmtime::Result<()> {
    Answered::add_to_linker::<T, HasSelf<Sandbox>>(linker, sandbox)
}
