//! Allocates until it is stopped: only the host's memory limit ends it.

use onceward_guest::prelude::*;
use serde_json::Value;

/// A mebibyte: a few hundred allocations reach any limit.
const BLOCK_BYTES: usize = 1 << 20;

/// The guest.
#[derive(Debug)]
pub struct GrowsMemory;

impl Step for GrowsMemory {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let mut hoard = Vec::new();
        loop {
            hoard.push(std::hint::black_box(vec![1_u8; BLOCK_BYTES]));
        }
    }
}

step! {
    GrowsMemory,
    name: "grows-memory",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
