//! Why a run was ended by the host, or by a trap.

use crate::store::error::StoreError;
use std::str::Utf8Error;

/// The first reason that ended a run. Whatever it had collected is gone; decisions that were recorded stay.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Stop {
    /// The guest trapped.
    #[error("the step trapped: {0}")]
    Trap(String),
    /// It ran too long.
    #[error(
        "the step ran longer than {limit_ms} ms (limits.wall_ms); look for an endless loop, or raise the limit"
    )]
    WallTime {
        /// The limit in milliseconds.
        limit_ms: u64,
    },
    /// It wanted too much memory.
    #[error(
        "the step wanted more than {limit_bytes} bytes of memory (limits.memory_bytes) and could not go on; hold less at once, or raise the limit"
    )]
    Memory {
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// One of its tables wanted too many entries.
    #[error(
        "the step wanted a table of more than {limit} entries and could not go on; a table holds the functions that are called by pointer, so look for one that grows without end"
    )]
    Table {
        /// The limit.
        limit: usize,
    },
    /// It called the host too often.
    #[error(
        "the step called the host more than {limit} times (limits.host_calls); look for a loop without end, do a chunk at a time, or raise the limit"
    )]
    HostCalls {
        /// The limit.
        limit: u32,
    },
    /// One call into the host, or the result, was too large.
    #[error(
        "the step gave the host more than {limit_bytes} bytes at once (limits.call_bytes); give less, or raise the limit"
    )]
    CallBytes {
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// Text that it gave the host is none. No language with text of its own comes to this but by a fault.
    #[error(
        "the step gave the host text that is not UTF-8 ({fault}); give text, and encode other bytes, as base64 for one"
    )]
    NotUtf8 {
        /// Where.
        fault: Utf8Error,
    },
    /// It called what the host links, so that it loads, and does not answer.
    #[error(
        "the step called {function}, and no step has it: a step has no files, no network and no processes; send by outbox.enqueue, ask a model by decisions.decide, and leave out the library that calls it"
    )]
    Absent {
        /// Interface and function.
        function: String,
    },
    /// It ended itself as a program does.
    #[error(
        "the step ended itself with code {code} (wasi:cli/exit), which says nothing about its work; return an outcome or a failure, and look at its notes for what was wrong"
    )]
    Exited {
        /// 0 where it meant success.
        code: u8,
    },
    /// It waits for what never comes.
    #[error(
        "the step waits for what never comes (wasi:io/poll): there is no input and no other thread; look for a wait without a time, or for a promise that nobody keeps"
    )]
    EndlessWait,
    /// It asked for too many random bytes.
    #[error(
        "the step asked for more than {limit_bytes} random bytes at once (limits.call_bytes); ask for less, or raise the limit"
    )]
    RandomBytes {
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// Its result can't be used.
    #[error("the step's result can't be used: {0}")]
    BadOutput(String),
    /// It continues where it began, with nothing done, and would do so for ever.
    #[error(
        "the step continues without progress: it gave the cursor it was given and collected nothing; move the cursor on"
    )]
    NoProgress,
    /// An answer must be approved first.
    #[error("decision {slot:?} waits for approval")]
    Held {
        /// The decision's name within the work.
        slot: String,
        /// JSON text, where the step found the answer by rule, so that it is not pinned yet.
        by_rule: Option<String>,
    },
    /// The claim is no longer this run's.
    #[error("the claim was lost to another run")]
    LeaseLost,
    /// A person cancelled the work while it ran.
    #[error("the run was stopped, since the work is cancelled")]
    Cancelled,
    /// The host shuts down, and the run did not end within the time that it was given.
    #[error("the run was stopped, since the host shuts down")]
    Drained,
    /// The store failed during the run.
    #[error("the ledger failed during the run")]
    Store(#[source] StoreError),
}
