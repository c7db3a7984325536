//! What every instance has, whether it handles a work or is only asked for its contract.

use crate::runtime::calls::Calls;
use crate::runtime::limits::{Limits, MemoryMeter};
use crate::runtime::notes::Notes;
use crate::runtime::wasi::clock::Clock;
use crate::runtime::wasi::output::{Lines, Output};
use crate::runtime::wasi::random::Randomness;
use crate::store::work::WorkRecord;
use wasmtime::component::ResourceTable;

/// What counts and bounds an instance, and its virtual machine.
pub(in crate::runtime) struct Sandbox {
    pub(in crate::runtime) memory: MemoryMeter,
    pub(in crate::runtime) calls: Calls,
    pub(in crate::runtime) notes: Notes,
    pub(super) clock: Clock,
    pub(super) randomness: Randomness,
    pub(super) table: ResourceTable,
    stdout: Lines,
    stderr: Lines,
}

impl Sandbox {
    /// For a run: what it sees of the world follows from its work.
    pub(in crate::runtime) fn of(work: &WorkRecord, limits: &Limits) -> Self {
        Self::new(work.occurred_at_ms, work.work_id.as_bytes().to_vec(), limits)
    }

    /// For reading a contract: every component of every host sees the same.
    pub(in crate::runtime) fn of_no_work(limits: &Limits) -> Self {
        Self::new(0, Vec::new(), limits)
    }

    fn new(origin_ms: i64, seed: Vec<u8>, limits: &Limits) -> Self {
        Self {
            memory: MemoryMeter::new(limits.memory_bytes),
            calls: Calls::new(limits.host_calls),
            notes: Notes::new(limits.log_bytes),
            clock: Clock::new(origin_ms),
            randomness: Randomness::new(seed, limits.call_bytes),
            table: ResourceTable::new(),
            stdout: Lines::of(Output::Stdout),
            stderr: Lines::of(Output::Stderr),
        }
    }

    /// Write to a standard stream.
    pub(super) fn write(&mut self, output: Output, bytes: &[u8]) {
        let lines = match output {
            Output::Stdout => &mut self.stdout,
            Output::Stderr => &mut self.stderr,
        };
        lines.write(bytes, &mut self.notes);
    }

    /// Note what was written without an end of its line. Nothing is written after it.
    pub(in crate::runtime) fn end_lines(&mut self) {
        self.stdout.end(&mut self.notes);
        self.stderr.end(&mut self.notes);
    }
}
