//! `wasm-target`: make this machine able to build steps.
//!
//! Owns the order of the ways, and says which one it took and why. Run again, it finds its work done and changes nothing.
//! Where no way works, the error names what to install.

use crate::debian;
use crate::paths::Paths;
use crate::rustup;
use crate::std_build;
use anyhow::Context;
use anyhow::bail;
use onceward_toolchain::DEBIAN_RUSTC;
use onceward_toolchain::TARGET;
use onceward_toolchain::Toolchain;

/// The toolchain for guests, installed first where need be.
pub(crate) fn ensure(paths: &Paths) -> anyhow::Result<Toolchain> {
    if let Some(toolchain) = Toolchain::find()? {
        match &toolchain.rustc {
            None => eprintln!("wasm-target: the default compiler, which has std for {TARGET}"),
            Some(rustc) => eprintln!(
                "wasm-target: {}, which has std for {TARGET}; the default compiler has not",
                rustc.display()
            ),
        }
        return Ok(toolchain);
    }
    eprintln!("wasm-target: no compiler here has std for {TARGET}; asking rustup");
    let rustup = match rustup::add_target() {
        Ok(()) => match Toolchain::find()? {
            Some(toolchain) => {
                eprintln!("wasm-target: the default compiler, to which rustup has added {TARGET}");
                return Ok(toolchain);
            }
            None => "rustup added the target to another compiler than the one that cargo uses".to_owned(),
        },
        Err(reason) => reason,
    };
    eprintln!("wasm-target: not through rustup ({rustup}); asking apt");
    let hand = match debian::usable() {
        Ok(hand) => hand,
        Err(apt) => bail!(
            "installing std for {TARGET}: no way worked; rustup: {rustup}; apt: {apt}. Run `rustup target add {TARGET}` \
             where rustup can download, or have Debian's packages {} installed and run this again",
            debian::COMPILER.join(", ")
        ),
    };
    debian::install(hand, "wasm-target", &debian::COMPILER)?;
    std_build::ensure(paths, hand)?;
    eprintln!(
        "wasm-target: {DEBIAN_RUSTC}, Debian's, with a std built from its own source; rustup: {rustup}"
    );
    Toolchain::find()?.context("looking for the toolchain that was installed: it is not there")
}
