//! What `wit-bindgen` makes of the WIT files, and nothing else.
//!
//! `cargo xtask bindings` writes it, and a test there says when it is not what the files say. So who builds a step need not build the
//! generator first, which takes longer than all the rest.
//!
//! It owns the raw types and functions of the world `onceward:step/step`. Steps never name it: each interface has
//! a module of its own in this crate. Outside WebAssembly its imports panic, since there is no host to call.
#![allow(
    unsafe_code,
    reason = "the canonical ABI passes pointers; the generator writes this code and nobody edits it"
)]
#![allow(
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::all,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "generated code follows its generator's habits, not this workspace's"
)]

include!("generated/step.rs");
