//! The clock that tests hold in their hands; it is the host's own, since `verify` moves time too.

pub use onceward::clock::sim::{START_MS, SimClock};
