//! Which compiler and linker guests are built with.
//!
//! Owns the rule, and that alone: the default compiler where it has std for the target, else the one that Debian
//! packages for it. It installs nothing; `wasm_target` does. A target's library directory that holds parts of two std
//! builds is refused, since each guest build would fail in it with a message about duplicate crates.

use crate::command;
use anyhow::Context;
use anyhow::bail;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

/// What steps are built for: no WASI, so a component imports the host's primitives and nothing else.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The compiler of Debian's package `rustc-web`.
pub(crate) const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// The libraries that make a std usable for guests; the others come with them.
const STD_PARTS: [&str; 5] = ["core", "alloc", "std", "panic_abort", "compiler_builtins"];

const LINKER: &str = "wasm-component-ld";

/// The compiler and the environment with which guests are built.
#[derive(Debug)]
pub(crate) struct Toolchain {
    /// Another compiler than cargo's default one.
    pub(crate) rustc: Option<PathBuf>,
    /// The variables that cargo needs besides.
    pub(crate) env: Vec<(&'static str, OsString)>,
}

impl Toolchain {
    /// The toolchain that can build guests now, if one can.
    pub(crate) fn find() -> anyhow::Result<Option<Self>> {
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
    pub(crate) fn apply(&self, cargo: &mut Command) {
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

/// Where this compiler looks for the target's std, whether or not it is there.
pub(crate) fn target_libdir(rustc: &Path) -> anyhow::Result<PathBuf> {
    let mut command = Command::new(rustc);
    command.args(["--print", "target-libdir", "--target", TARGET]);
    Ok(PathBuf::from(command::output(&mut command)?.trim()))
}

/// Whether the directory holds a std that is whole. Two of a part are an error.
pub(crate) fn has_std(libdir: &Path) -> anyhow::Result<bool> {
    let mut counts = [0_u32; STD_PARTS.len()];
    let entries = match std::fs::read_dir(libdir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).with_context(|| format!("looking for std in {}", libdir.display())),
    };
    for entry in entries {
        let name = entry.with_context(|| format!("listing {}", libdir.display()))?.file_name();
        let part = name.to_str().and_then(part_of);
        if let Some(at) = STD_PARTS.iter().position(|known| Some(*known) == part) {
            counts[at] += 1;
        }
    }
    if let Some(at) = counts.iter().position(|count| *count > 1) {
        bail!(
            "looking for std in {}: it holds {} of lib{}, so two std builds are mixed there and no guest can be built; \
             remove its *.rlib files and run `cargo xtask wasm-target` again",
            libdir.display(),
            counts[at],
            STD_PARTS[at]
        );
    }
    Ok(counts.iter().all(|count| *count == 1))
}

/// `core` of `libcore-<hash>.rlib`.
fn part_of(file_name: &str) -> Option<&str> {
    file_name.strip_prefix("lib")?.strip_suffix(".rlib")?.rsplit_once('-').map(|(part, _)| part)
}

/// The linker that makes a component of a step: rustup ships it with the default compiler, and others may have it on
/// `PATH`.
fn linker_env(default: &Path) -> anyhow::Result<Vec<(&'static str, OsString)>> {
    const LINKER_VARIABLE: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER";
    if let Ok(sysroot) = command::output(Command::new(default).args(["--print", "sysroot"])) {
        let bin = Path::new(sysroot.trim()).join("lib/rustlib").join(host(default)?).join("bin");
        let linker = bin.join(LINKER);
        if linker.is_file() {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let dirs = std::iter::once(bin.join("gcc-ld")).chain(std::env::split_paths(&path));
            let path = std::env::join_paths(dirs).context("putting gcc-ld in front of PATH")?;
            return Ok(vec![(LINKER_VARIABLE, linker.into()), ("PATH", path)]);
        }
    }
    match command::on_path(LINKER) {
        Some(linker) => Ok(vec![(LINKER_VARIABLE, linker.into())]),
        None => bail!(
            "looking for {LINKER}, which makes a component of a step: neither the default compiler nor PATH has it; \
             install a rustup toolchain, or run `cargo install {LINKER} --locked`"
        ),
    }
}

/// The triple of the machine that this compiler runs on.
fn host(rustc: &Path) -> anyhow::Result<String> {
    let told = command::output(Command::new(rustc).arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .with_context(|| format!("asking {} for its host: `-vV` names none", rustc.display()))
}

#[cfg(test)]
mod tests {
    use super::STD_PARTS;
    use super::has_std;
    use super::part_of;

    #[test]
    fn a_part_is_known_by_its_name_before_the_hash() {
        for (name, part) in [
            ("libcore-0a1b.rlib", Some("core")),
            ("libpanic_abort-0a1b.rlib", Some("panic_abort")),
            ("libcore-0a1b.rmeta", None),
            ("libcore.rlib", None),
            (".new-libcore-0a1b.rlib", None),
        ] {
            assert_eq!(part_of(name), part, "{name}");
        }
    }

    #[test]
    fn a_std_is_whole_or_missing_or_mixed() {
        let dir = std::env::temp_dir().join(format!("xtask-has-std-{}", std::process::id()));
        assert!(!has_std(&dir).expect("a missing directory is an answer"));
        std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
        for part in STD_PARTS {
            assert!(!has_std(&dir).expect("readable"), "{part} is still missing");
            std::fs::write(dir.join(format!("lib{part}-1.rlib")), "").expect("writable");
        }
        assert!(has_std(&dir).expect("readable"));
        std::fs::write(dir.join("libcore-2.rlib"), "").expect("writable");
        let told = has_std(&dir).expect_err("two of a part").to_string();
        assert!(told.contains("2 of libcore") && told.contains("remove"), "{told}");
        std::fs::remove_dir_all(&dir).expect("removable");
    }
}
