//! std for the target, built from source and put where Debian's compiler looks for it.
//!
//! Owns the build's recipe and the way into the library directory. It refuses to add to a std that it did not put there,
//! because two std builds side by side break every guest build. Whatever it stops at, a second run goes on from there: a
//! note beside the libraries names those that are ours, and is written before the first of them.

use crate::command;
use crate::debian::Hand;
use crate::paths::Paths;
use crate::paths::TARGET_VARIABLE;

use anyhow::Context;
use anyhow::bail;
use onceward_toolchain::DEBIAN_RUSTC;
use onceward_toolchain::TARGET;
use std::fs::File;
use std::path::Path;
use std::path::PathBuf;

/// An empty crate, whose build has std's build in tow.
const SEED: &str = "wasm_std_seed";

const SEED_MANIFEST: &str =
    "[package]\nname = \"wasm_std_seed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// Names the libraries beside it that this module put there, one a line.
const NOTE: &str = "onceward-std.txt";

/// Build std with Debian's compiler and install it, unless it is there.
pub(crate) fn ensure(paths: &Paths, hand: Hand) -> anyhow::Result<()> {
    let libdir = onceward_toolchain::target_libdir(Path::new(DEBIAN_RUSTC))?;
    // One lock a machine, for the library directory is one: the kernel lets go of it whatever happens to us.
    let lock_path = std::env::temp_dir().join("onceward-wasm-std.lock");
    let lock = open_lock(&lock_path)?;
    lock.lock().with_context(|| format!("waiting for the lock {}", lock_path.display()))?;
    if onceward_toolchain::has_std(&libdir)? {
        eprintln!("wasm-target: {} holds std already", libdir.display());
        return Ok(());
    }
    let libraries = build(paths)?;
    install(&libraries, &paths.wasm_std(), &libdir, hand)?;
    if !onceward_toolchain::has_std(&libdir)? {
        bail!(
            "installing std into {}: it is still not whole; remove the directory and try again",
            libdir.display()
        );
    }
    Ok(())
}

/// Another user's lock file can be read and not written, which is enough to lock it.
fn open_lock(path: &Path) -> anyhow::Result<File> {
    let made = File::options().create(true).append(true).open(path);
    made.or_else(|_| File::open(path)).with_context(|| format!("opening the lock {}", path.display()))
}

/// Build std in an empty target directory, and list its libraries.
fn build(paths: &Paths) -> anyhow::Result<Vec<PathBuf>> {
    let seed = paths.wasm_std();
    if seed.exists() {
        std::fs::remove_dir_all(&seed).with_context(|| format!("emptying {}", seed.display()))?;
    }
    std::fs::create_dir_all(seed.join("src")).with_context(|| format!("making {}", seed.display()))?;
    std::fs::write(seed.join("Cargo.toml"), SEED_MANIFEST)
        .and_then(|()| std::fs::write(seed.join("src/lib.rs"), ""))
        .with_context(|| format!("writing the empty crate {}", seed.display()))?;
    eprintln!("wasm-target: building std for {TARGET} once (one to four minutes)");
    let mut cargo = command::cargo(paths);
    cargo.current_dir(&seed).env(TARGET_VARIABLE, seed.join("target"));
    // `RUSTC_BOOTSTRAP` lets a stable compiler take -Z; the bitcode is for guests, which are built with LTO.
    cargo.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Cembed-bitcode=yes");
    cargo
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo.args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", TARGET]);
    command::run(&mut cargo)?;
    libraries_in(&seed.join("target").join(TARGET).join("release/deps"))
}

/// std's libraries among a build's, `core` last.
fn libraries_in(deps: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listing = || format!("listing the std build in {}", deps.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(deps).with_context(listing)? {
        let path = entry.with_context(listing)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".rlib") && !name.starts_with(&format!("lib{SEED}")) {
            found.push(path);
        }
    }
    // Whoever looks for std without the lock takes it for missing until `core` is there.
    found.sort_by_key(|path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"libcore-"))
    });
    if found.is_empty() {
        bail!("{}: it holds no library", listing());
    }
    Ok(found)
}

/// Put the libraries into the directory: copied under other names first, then renamed.
fn install(libraries: &[PathBuf], scratch: &Path, libdir: &Path, hand: Hand) -> anyhow::Result<()> {
    remove_ours(libdir, hand)?;
    let staged = libdir.join(".onceward-new");
    command::run(hand.command("rm").arg("-rf").arg(&staged))?;
    command::run(hand.command("mkdir").arg("-p").arg(&staged))?;
    let names: Vec<_> = libraries.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    let note = scratch.join(NOTE);
    std::fs::write(&note, names.join("\n")).with_context(|| format!("writing {}", note.display()))?;
    command::run(hand.command("cp").arg(&note).args(libraries).arg(&staged))?;
    command::run(hand.command("chmod").args(["-R", "a+rX"]).arg(&staged))?;
    for name in std::iter::once(NOTE).chain(names) {
        command::run(hand.command("mv").arg(staged.join(name)).arg(libdir.join(name)))?;
    }
    command::run(hand.command("rmdir").arg(&staged))
}

/// Remove what an earlier run left half done. Libraries that are not ours stay, and are an error.
fn remove_ours(libdir: &Path, hand: Hand) -> anyhow::Result<()> {
    let ours = std::fs::read_to_string(libdir.join(NOTE)).unwrap_or_default();
    for name in ours.lines().filter(|name| !name.contains('/') && libdir.join(name).is_file()) {
        command::run(hand.command("rm").arg(libdir.join(name)))?;
    }
    let Ok(entries) = std::fs::read_dir(libdir) else { return Ok(()) };
    let foreign = entries.flatten().find(|entry| entry.path().extension().is_some_and(|kind| kind == "rlib"));
    if let Some(foreign) = foreign {
        bail!(
            "installing std into {}: it holds part of another std build ({}), and two would break every guest build; \
             remove its *.rlib files, or reinstall the package they came from, and try again",
            libdir.display(),
            foreign.file_name().to_string_lossy()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::NOTE;
    use super::install;
    use super::libraries_in;
    use crate::debian::Hand;
    use std::path::Path;
    use std::path::PathBuf;

    const BUILT: [&str; 3] = ["libcore-1.rlib", "libstd-1.rlib", "libwasm_std_seed-1.rlib"];

    /// A finished std build, and a library directory that holds `before`.
    fn check(name: &str, before: &[(&str, &str)], verify: impl FnOnce(anyhow::Result<()>, &Path)) {
        let base = std::env::temp_dir().join(format!("xtask-std-{name}-{}", std::process::id()));
        let (deps, libdir) = (base.join("deps"), base.join("libdir"));
        std::fs::create_dir_all(&deps).expect("writable");
        std::fs::create_dir_all(&libdir).expect("writable");
        for file in BUILT {
            std::fs::write(deps.join(file), "new").expect("writable");
        }
        for (file, text) in before {
            std::fs::write(libdir.join(file), text).expect("writable");
        }
        let libraries = libraries_in(&deps).expect("it holds libraries");
        assert_eq!(libraries.last(), Some(&deps.join("libcore-1.rlib")), "core comes last");
        verify(install(&libraries, &base, &libdir, Hand::Own), &libdir);
        std::fs::remove_dir_all(&base).expect("removable");
    }

    fn files(dir: &Path) -> Vec<String> {
        let paths = std::fs::read_dir(dir).expect("readable").map(|entry| entry.expect("readable").path());
        let name = |path: PathBuf| path.file_name().expect("it has a name").to_string_lossy().into_owned();
        let mut names: Vec<_> = paths.map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn the_libraries_arrive_without_the_seed_and_leave_nothing_behind() {
        check("fresh", &[], |installed, libdir| {
            installed.expect("the directory is ours");
            assert_eq!(files(libdir), ["libcore-1.rlib", "libstd-1.rlib", NOTE]);
        });
    }

    #[test]
    fn a_half_done_install_of_ours_is_replaced() {
        check("half", &[(NOTE, "libstd-0.rlib"), ("libstd-0.rlib", "old")], |installed, libdir| {
            installed.expect("what is there is ours");
            assert_eq!(files(libdir), ["libcore-1.rlib", "libstd-1.rlib", NOTE]);
        });
    }

    #[test]
    fn a_foreign_std_is_left_alone_and_named() {
        check("foreign", &[("libcore-9.rlib", "theirs")], |installed, libdir| {
            let told = installed.expect_err("two std builds would mix").to_string();
            assert!(told.contains("libcore-9.rlib"), "{told}");
            assert_eq!(files(libdir), ["libcore-9.rlib"]);
        });
    }
}
