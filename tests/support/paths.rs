//! Where the built parts are: binaries and steps.

use std::path::{Path, PathBuf};

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from)
}

/// Where cargo puts what it builds as this program was built: the tests unoptimised, the bench optimised.
const PROFILE: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

/// A binary of the workspace, as `cargo xtask test` builds it; in the bench, as `cargo xtask bench` does.
///
/// # Panics
/// When it has not been built.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    built(target().join(PROFILE).join(name))
}

/// A step's component.
///
/// # Panics
/// When it has not been built.
#[must_use]
pub fn step(name: &str) -> PathBuf {
    built(target().join("steps").join(format!("{name}.wasm")))
}

/// A step's component, as bytes.
///
/// # Panics
/// When it has not been built, or can't be read.
#[must_use]
pub fn step_bytes(name: &str) -> Vec<u8> {
    std::fs::read(step(name)).expect("a built step can be read")
}

/// A folder or file of the checkout.
#[must_use]
pub fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A step's component, as bytes, where it has been built: a step in another language needs that language's tools.
#[must_use]
pub fn step_where_built(name: &str) -> Option<Vec<u8>> {
    std::fs::read(target().join("steps").join(format!("{name}.wasm"))).ok()
}

/// Where a program may keep large files for a while: on the disk that holds what is built, which a folder for temporary files
/// need not be.
#[must_use]
pub fn scratch() -> PathBuf {
    target().join("bench")
}

/// One compile cache for all tests, so that each step is compiled once.
#[must_use]
pub fn compile_cache() -> PathBuf {
    let path = target().join("compile-cache");
    std::path::absolute(&path).unwrap_or(path)
}

fn built(path: PathBuf) -> PathBuf {
    assert!(path.is_file(), "{} is missing; build everything with `cargo xtask test`", path.display());
    path.canonicalize().expect("an existing file has a canonical path")
}
