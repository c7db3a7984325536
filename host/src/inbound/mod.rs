//! What arrives from outside: proved, and read into an event.
//!
//! Owns the signatures of webhooks, the ways in which providers and callers say who sent what and when, and the header that
//! makes an act one act. It is words alone: it takes the headers and the bytes of a request and the present time, and opens
//! neither a socket nor a file. So whoever stands at a door asks here first, before anything is stored.
//!
//! Refuses what is not proved, what is malformed, and what has no single meaning. Nothing that a sender writes makes it panic,
//! and no refusal shows a secret or the signature that would have been right. It fails with one error enum a file, and
//! knows no status codes.

pub mod headers;
pub mod media_type;
pub mod signature;
pub mod source;
pub mod cloud_event;
pub mod idempotency_key;
