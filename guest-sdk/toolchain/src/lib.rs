//! What makes a component of a step, in each language.
//!
//! Owns which language a folder's step is in, how one in TypeScript or Python is built, and which compiler and linker build one in Rust: the
//! default compiler where it has std for the target, else the one that Debian packages for it. It installs no compiler and no
//! interpreter. A target's library directory that holds parts of two std builds is refused, since each guest build would fail in it with
//! a message about duplicate crates. `onceward build` and the project's own build of its guests go by it alike.

pub mod interpreted;
mod language;
pub mod program;
mod std_of;

pub use crate::language::{Interpreted, Language};
pub use crate::std_of::{has_std, target_libdir};

use crate::program::{Failed, on_path, output};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What steps are built for: no WASI, so a component imports the host's primitives and nothing else.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The compiler of Debian's package `rustc-web`.
pub const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// What makes a component of a step's code.
pub const LINKER: &str = "wasm-component-ld";

const LINKER_VARIABLE: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER";

/// Why no step can be built with what is there.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// A compiler does not say what it is asked.
    #[error("asking the compiler where it has what")]
    Ask(#[source] Failed),
    /// It says something else.
    #[error("asking {rustc} for its host: `-vV` names none")]
    Host {
        /// The compiler.
        rustc: PathBuf,
    },
    /// A directory can't be listed.
    #[error("looking for std in {dir}: it can't be listed")]
    List {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Two builds of std are mixed in a directory.
    #[error(
        "looking for std in {dir}: it holds {count} of lib{part}, so two std builds are mixed there and no guest can be built; remove its *.rlib files and have it installed again"
    )]
    Mixed {
        /// The directory.
        dir: PathBuf,
        /// The library.
        part: &'static str,
        /// How many of it there are.
        count: u32,
    },
    /// There is no linker.
    #[error(
        "looking for {LINKER}, which makes a component of a step: neither the default compiler nor PATH has it; install a rustup toolchain, or run `cargo install {LINKER} --locked`"
    )]
    NoLinker,
    /// The linker's directory can't stand in `PATH`.
    #[error("putting the linker's directory in front of PATH")]
    Path(#[source] std::env::JoinPathsError),
}

/// The compiler and the environment with which guests are built.
#[derive(Debug)]
pub struct Toolchain {
    /// Another compiler than cargo's default one.
    pub rustc: Option<PathBuf>,
    /// The variables that cargo needs besides.
    pub env: Vec<(&'static str, OsString)>,
}

impl Toolchain {
    /// The toolchain that can build guests now, if one can.
    ///
    /// # Errors
    /// [`ToolchainError`], where a compiler is there that can't be used.
    pub fn find() -> Result<Option<Self>, ToolchainError> {
        let default = default_rustc();
        if let Ok(libdir) = target_libdir(&default)
            && has_std(&libdir)?
        {
            return Ok(Some(Self { rustc: None, env: linker_env(&default)? }));
        }
        let debian = PathBuf::from(DEBIAN_RUSTC);
        if debian.is_file() && has_std(&target_libdir(&debian)?)? {
            return Ok(Some(Self { env: linker_env(&default)?, rustc: Some(debian) }));
        }
        Ok(None)
    }

    /// Have `cargo` use this toolchain.
    pub fn apply(&self, cargo: &mut Command) {
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc);
            // A wrapper was chosen for the default compiler and may not know this one.
            cargo.env_remove("RUSTC_WRAPPER").env_remove("RUSTC_WORKSPACE_WRAPPER");
        }
        // Flags are meant for the host's build (a CI's `-Dwarnings`, a linker's), and a step is the same everywhere.
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
        for (name, value) in &self.env {
            cargo.env(name, value);
        }
    }
}

/// The compiler that cargo uses by default.
fn default_rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from)
}

/// The linker that makes a component of a step: rustup ships it with the default compiler, and others may have it on
/// `PATH`.
fn linker_env(default: &Path) -> Result<Vec<(&'static str, OsString)>, ToolchainError> {
    if let Ok(sysroot) = output(Command::new(default).args(["--print", "sysroot"])) {
        let bin = Path::new(sysroot.trim()).join("lib/rustlib").join(host(default)?).join("bin");
        let linker = bin.join(LINKER);
        if linker.is_file() {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let dirs = std::iter::once(bin.join("gcc-ld")).chain(std::env::split_paths(&path));
            let path = std::env::join_paths(dirs).map_err(ToolchainError::Path)?;
            return Ok(vec![(LINKER_VARIABLE, linker.into()), ("PATH", path)]);
        }
    }
    match on_path(LINKER) {
        Some(linker) => Ok(vec![(LINKER_VARIABLE, linker.into())]),
        None => Err(ToolchainError::NoLinker),
    }
}

/// The triple of the machine that this compiler runs on.
fn host(rustc: &Path) -> Result<String, ToolchainError> {
    let told = output(Command::new(rustc).arg("-vV")).map_err(ToolchainError::Ask)?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| ToolchainError::Host { rustc: rustc.to_owned() })
}
