//! Where things are.
//!
//! Owns the places that the verbs read and write, all of them absolute. `CARGO_TARGET_DIR` moves what is built, as it
//! does for cargo; the tests read the same variable.

use anyhow::Context;
use std::path::Path;
use std::path::PathBuf;

/// The variable with which cargo's users move the target directory.
pub(crate) const TARGET_VARIABLE: &str = "CARGO_TARGET_DIR";

/// The places of one checkout.
#[derive(Debug)]
pub(crate) struct Paths {
    /// The workspace's root.
    pub(crate) root: PathBuf,
    /// Cargo's target directory for the host.
    pub(crate) target: PathBuf,
}

impl Paths {
    /// The places of the checkout that this program was built from.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("looking for the workspace: the xtask package has no parent directory")?
            .to_owned();
        let target = match std::env::var_os(TARGET_VARIABLE).filter(|value| !value.is_empty()) {
            Some(moved) => std::path::absolute(&moved)
                .with_context(|| format!("making {TARGET_VARIABLE} {} absolute", moved.display()))?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// Cargo's target directory for guests, which another compiler may build.
    pub(crate) fn guests(&self) -> PathBuf {
        self.target.join("guests")
    }

    /// Where finished components lie, as `<name>.wasm`.
    pub(crate) fn steps(&self) -> PathBuf {
        self.target.join("steps")
    }

    /// Where the packages of npm are installed, a folder for each lock file.
    pub(crate) fn npm(&self) -> PathBuf {
        self.target.join("npm")
    }

    /// Where std is built for the target, if it has to be.
    pub(crate) fn wasm_std(&self) -> PathBuf {
        self.target.join("wasm-std")
    }

    /// The program of that name, as the development profile builds it.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(name)
    }
}
