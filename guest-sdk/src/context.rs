//! Time, numbers and ids that are the same on every attempt of a work.
//!
//! It owns the sugar of the host's `context` interface. There is no other clock and no other randomness in a step;
//! these cannot fail.

use crate::host;

/// The event's original time, in milliseconds since the Unix epoch. It is the same on every attempt and replay.
///
/// ```no_run
/// let hour = onceward_guest::context::occurred_at_ms() / 3_600_000;
/// ```
pub fn occurred_at_ms() -> i64 {
    host::occurred_at()
}

/// A number from the work's identity and the label; another label gives another number.
pub fn seed(label: &str) -> u64 {
    host::seed(label)
}

/// A UUID (RFC 9562, version 8) from the work's identity and the label; another label gives another id.
pub fn derive_id(label: &str) -> String {
    host::derive_id(label)
}
