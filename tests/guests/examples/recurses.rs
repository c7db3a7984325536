//! Calls itself without end: with little in each call, until the engine's stack is full, or, where `/large` says so, with much,
//! until the language's own is.

use onceward_guest::prelude::*;
use serde_json::Value;
use std::hint::black_box;
use test_guests::field;

/// A few hundred of these reach the end of the language's stack, long before the engine's.
const LARGE_BYTES: usize = 4096;

/// The guest.
#[derive(Debug)]
pub struct Recurses;

impl Step for Recurses {
    type Input = Value;
    type Output = Value;

    fn handle(work: Work<Value>) -> Result<Outcome<Value>, Failure> {
        let large = field(&work.payload, "large")?.as_bool() == Some(true);
        let depth = if large { deep_and_large(0) } else { deep(0) };
        Ok(Outcome::done(depth.into()))
    }
}

/// What it gives is changed on the way back, or the compiler would make a loop of it.
#[inline(never)]
fn deep(depth: u64) -> u64 {
    if black_box(depth) == u64::MAX { depth } else { black_box(deep(depth + 1)) ^ depth }
}

#[inline(never)]
fn deep_and_large(depth: u64) -> u64 {
    let block = black_box([depth; LARGE_BYTES / size_of::<u64>()]);
    if black_box(depth) == u64::MAX { depth } else { black_box(deep_and_large(depth + 1)) ^ block[1] }
}

step! {
    Recurses,
    name: "recurses",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
