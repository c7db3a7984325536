//! `poll`: waiting, which never takes time. Whoever waits for an instant is there at once, and finds the clock moved on.

use crate::runtime::stop::Stop;
use crate::runtime::wasi::bindings::wasi::io::poll::{Host, HostPollable};
use crate::runtime::wasi::sandbox::Sandbox;
use wasmtime::component::Resource;

/// What can be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pollable {
    /// A stream, which is never waited for.
    Ready,
    /// An instant of the monotonic clock, in nanoseconds.
    From(u64),
}

impl Pollable {
    /// From which instant on it is ready.
    const fn ready_at_ns(self) -> u64 {
        match self {
            Self::Ready => 0,
            Self::From(instant_ns) => instant_ns,
        }
    }
}

/// How long a wait takes that has an end: to the first of these instants.
fn first_of(instants: &[u64]) -> Result<u64, Stop> {
    match instants.iter().min() {
        // The last instant that the clock can tell. Whoever waits for it waits for ever.
        None | Some(&u64::MAX) => Err(Stop::EndlessWait),
        Some(&first) => Ok(first),
    }
}

impl Host for Sandbox {
    fn poll(&mut self, pollables: Vec<Resource<Pollable>>) -> wasmtime::Result<Vec<u32>> {
        self.calls.count()?;
        let instants: Vec<u64> = pollables
            .iter()
            .map(|pollable| Ok(self.table.get(pollable)?.ready_at_ns()))
            .collect::<wasmtime::Result<_>>()?;
        self.clock.sleep_until(first_of(&instants)?);
        let now = self.clock.instant_ns();
        Ok((0_u32..).zip(instants).filter(|(_, instant)| *instant <= now).map(|(index, _)| index).collect())
    }
}

impl HostPollable for Sandbox {
    fn ready(&mut self, pollable: Resource<Pollable>) -> wasmtime::Result<bool> {
        self.calls.count()?;
        Ok(self.table.get(&pollable)?.ready_at_ns() <= self.clock.instant_ns())
    }

    fn block(&mut self, pollable: Resource<Pollable>) -> wasmtime::Result<()> {
        self.calls.count()?;
        let instant = self.table.get(&pollable)?.ready_at_ns();
        self.clock.sleep_until(first_of(&[instant])?);
        Ok(())
    }

    fn drop(&mut self, pollable: Resource<Pollable>) -> wasmtime::Result<()> {
        self.table.delete(pollable)?;
        Ok(())
    }
}
