//! Identity: what is the same work, and what is the same content.
//!
//! Owns the words and the pure functions that turn an event into ids: strict JSON reading, canonical text,
//! normal forms of addresses and times, the contract's rules, and the hashes. A provider that delivers twice
//! must come out with the same [`work_id::Identified`]; two different enquiries must not.
//!
//! It refuses input and output, a clock, randomness and anything a model wrote: the same arguments give the
//! same answer on every machine. It knows nothing of the store, of retries or of runs, because the run is not
//! the work.
//!
//! It fails with one error enum a file. Those that an event can cause have a `code`, which the shared vectors in
//! `tests/vectors/identity` use, so that guests in other languages can prove that they agree.
//!
//! Each file uses only the ones above it in this list.

pub mod key;
pub mod pointer;
mod json_number;
pub mod json_text;
pub mod canonical_json;
pub mod builtin;
pub mod url;
pub mod time;
pub mod rules;
pub mod event;
pub mod readable_key;
pub mod work_id;
pub mod caller_key;

#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod vectors;
