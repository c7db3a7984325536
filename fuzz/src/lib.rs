//! What must hold for any bytes that come from outside, each as a function that panics where it does not.
//!
//! Owns the claims alone. The suite runs each over its seeds and over mutations of them (`tests/it/fuzzed.rs`), and
//! `cargo xtask fuzz` lets libFuzzer look for more, guided by what an input reaches in the host.

pub mod canonical_json;
pub mod component_bytes;
pub mod configuration;
pub mod retry_after;
pub mod signature_headers;

use std::error::Error;

/// A refusal says something at each of its causes. Its words, for further claims.
///
/// # Panics
/// Where it does not.
fn reasons(error: &(dyn Error + 'static)) -> Vec<String> {
    let (mut reasons, mut next) = (Vec::new(), Some(error));
    while let Some(error) = next {
        reasons.push(error.to_string());
        next = error.source();
    }
    assert!(reasons.iter().all(|reason| !reason.trim().is_empty()), "a cause without words: {reasons:?}");
    reasons
}
