//! What one run may use. Each limit has a default, a unit and an operator's setting.

use serde::{Deserialize, Serialize};

/// The limits of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// All linear memories and tables of the instance together, in bytes.
    pub memory_bytes: u64,
    /// Time from start to end, in milliseconds, waits for a model not counted.
    pub wall_ms: u64,
    /// Calls into the host. More means a loop that does nothing but call.
    pub host_calls: u32,
    /// Bytes of one call's arguments, and of a result.
    pub call_bytes: u64,
    /// Outbox rows of one run.
    pub rows: u32,
    /// Keys of items that one run claims, whatever the verdicts.
    pub items: u32,
    /// Answers found by rule (`decisions.cache`) of one run.
    pub pins: u32,
    /// Bytes that one run collects for its settle: rows, answers by rule, keys of items, external references, the cursor.
    pub collected_bytes: u64,
    /// Bytes of notes of one run; what is beyond is dropped, with a mark.
    pub log_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 64 * 1024 * 1024,
            wall_ms: 10_000,
            host_calls: 10_000,
            call_bytes: 1024 * 1024,
            rows: 256,
            items: 10_000,
            pins: 256,
            collected_bytes: 16 * 1024 * 1024,
            log_bytes: 64 * 1024,
        }
    }
}

/// The longest name: of a slot, a destination, a model, a prompt's version, an item or an external reference. They stand in
/// indexes, in evidence and on people's screens.
pub const NAME_LIMIT_BYTES: usize = 512;

/// The most entries of one table. It holds the functions that are called by pointer; Rust guests have a few hundred.
pub(super) const TABLE_ENTRIES_MAX: usize = 20_000;

/// Bytes a table entry takes of the memory limit: a pointer on the targets that the engine runs on.
const TABLE_ENTRY_BYTES: u64 = 8;

/// What an instance wanted more of than it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Memory, over all memories and tables.
    Memory,
    /// Entries of one table.
    Table,
}

/// Counts what one instance uses over all its memories and tables.
#[derive(Debug)]
pub(super) struct MemoryMeter {
    limit_bytes: u64,
    used_bytes: u64,
    refused: Option<Refused>,
}

impl MemoryMeter {
    pub(super) const fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes, used_bytes: 0, refused: None }
    }

    /// The first growth that was refused. A guest that could not go on then traps, and this is why.
    pub(super) const fn refused(&self) -> Option<Refused> {
        self.refused
    }

    /// Count growth that the engine may still refuse for a maximum of its own: then nothing is counted, and it is the
    /// limit's refusal only where it lies past the limit as well.
    fn grow(&mut self, by_bytes: u64, past_own_maximum: bool) -> bool {
        match self.used_bytes.checked_add(by_bytes) {
            Some(used) if used <= self.limit_bytes => {
                if !past_own_maximum {
                    self.used_bytes = used;
                }
                !past_own_maximum
            }
            _ => self.refuse(Refused::Memory),
        }
    }

    fn refuse(&mut self, what: Refused) -> bool {
        self.refused.get_or_insert(what);
        false
    }
}

impl wasmtime::ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let past_own_maximum = maximum.is_some_and(|maximum| desired > maximum);
        Ok(self.grow(desired.saturating_sub(current) as u64, past_own_maximum))
    }

    /// More than its type can address, or than the machine has.
    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.refuse(Refused::Memory);
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // Asked here and not left to the pool, which says nothing and is not there on every machine.
        if desired > TABLE_ENTRIES_MAX {
            return Ok(self.refuse(Refused::Table));
        }
        let by_bytes = (desired.saturating_sub(current) as u64).saturating_mul(TABLE_ENTRY_BYTES);
        let past_own_maximum = maximum.is_some_and(|maximum| desired > maximum);
        Ok(self.grow(by_bytes, past_own_maximum))
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryMeter, Refused, TABLE_ENTRIES_MAX};
    use wasmtime::ResourceLimiter as _;

    #[test]
    fn all_memories_share_one_limit() {
        let mut meter = MemoryMeter::new(100);
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(!meter.memory_growing(0, 41, None).unwrap(), "a second memory counts too");
        assert!(meter.memory_growing(0, 40, None).unwrap(), "what was refused is not counted");
        assert_eq!(meter.refused(), Some(Refused::Memory));
    }

    #[test]
    fn growth_past_a_memorys_own_maximum_counts_nothing() {
        let mut meter = MemoryMeter::new(100);
        assert!(!meter.memory_growing(0, 90, Some(80)).unwrap());
        assert_eq!(meter.refused(), None);
        assert!(meter.memory_growing(0, 80, Some(80)).unwrap());
        assert!(!meter.memory_growing(80, 101, Some(80)).unwrap());
        assert_eq!(meter.refused(), Some(Refused::Memory), "past both, the limit is why");
    }

    #[test]
    fn a_table_has_a_limit_of_its_own_and_counts_as_memory() {
        let mut meter = MemoryMeter::new(u64::MAX);
        assert!(meter.table_growing(0, TABLE_ENTRIES_MAX, None).unwrap());
        assert!(!meter.table_growing(0, TABLE_ENTRIES_MAX + 1, None).unwrap());
        assert_eq!(meter.refused(), Some(Refused::Table));
        let mut meter = MemoryMeter::new(100);
        assert!(!meter.table_growing(0, 13, None).unwrap(), "13 entries have 104 bytes");
        assert_eq!(meter.refused(), Some(Refused::Memory));
    }
}
