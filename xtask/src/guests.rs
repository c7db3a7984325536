//! `guests`: the plugins and the tests' guests, as components.
//!
//! Owns which packages are steps, how they are built, and what lies in target/steps. Cargo decides what needs building;
//! a component that has not changed is not written again, and one whose source is gone is removed.

use crate::command;
use crate::interpreted;
use crate::js;
use crate::paths::Paths;
use crate::paths::TARGET_VARIABLE;
use crate::wasm_target;
use anyhow::Context;
use anyhow::bail;
use onceward_toolchain::TARGET;
use onceward_toolchain::Toolchain;
use serde_json::Value;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

/// The workspace's profile for steps.
const PROFILE: &str = "guest";

/// Where plugins live, a package each, below the root.
const PLUGINS: &str = "plugins";

/// Where the tests' guests live, an example each, below the root.
const TEST_GUESTS: &str = "tests/guests";

/// One component to be.
#[derive(Debug, PartialEq, Eq)]
struct Guest {
    package: String,
    /// The target's name as cargo writes files: with underscores.
    name: String,
    /// A test's guest; else a plugin.
    is_example: bool,
}

impl Guest {
    /// The component's file name.
    fn file_name(&self) -> String {
        format!("{}.wasm", self.name)
    }

    /// Where cargo puts the component.
    fn built(&self, guests: &Path) -> PathBuf {
        let profile = guests.join(TARGET).join(PROFILE);
        let dir = if self.is_example { profile.join("examples") } else { profile };
        dir.join(self.file_name())
    }
}

/// Build all guests, also those in other languages, which take tools of their own, and bring target/steps up to date.
pub(crate) fn build_all(paths: &Paths) -> anyhow::Result<()> {
    build(paths)?;
    interpreted::build(&interpreted::guests(paths)?, paths)?;
    js::build(paths)
}

/// Build the guests in Rust and bring target/steps up to date. Those in other languages are left as they are.
pub(crate) fn build(paths: &Paths) -> anyhow::Result<()> {
    let toolchain = wasm_target::ensure(paths)?;
    let mut metadata = command::cargo(paths);
    metadata.args(["metadata", "--no-deps", "--format-version=1", "--locked"]);
    let metadata =
        serde_json::from_str(&command::output(&mut metadata)?).context("reading cargo's metadata")?;
    let guests = guests_in(&metadata, &paths.root);
    if guests.is_empty() {
        bail!("building guests: neither {PLUGINS} nor {TEST_GUESTS} declares a cdylib");
    }
    let mut test_packages: Vec<_> = guests.iter().filter(|guest| guest.is_example).collect();
    test_packages.dedup_by_key(|guest| &guest.package);
    for guest in test_packages {
        let mut cargo = guest_cargo(paths, &toolchain, "build");
        command::run(cargo.args(["--package", &guest.package, "--examples"]))?;
    }
    for guest in guests.iter().filter(|guest| !guest.is_example) {
        // `cargo rustc`, because it can leave out the rlib that the plugin's own tests use: cargo does no LTO for a
        // library that is also one, and the component would be half as large again (130 KB for 88).
        let mut cargo = guest_cargo(paths, &toolchain, "rustc");
        command::run(cargo.args(["--package", &guest.package, "--lib", "--crate-type", "cdylib"]))?;
    }
    collect(&guests, &interpreted::guests(paths)?, paths)
}

/// Cargo with the guests' compiler, directory, target and profile.
fn guest_cargo(paths: &Paths, toolchain: &Toolchain, verb: &str) -> Command {
    let mut cargo = command::cargo(paths);
    toolchain.apply(&mut cargo);
    cargo.env(TARGET_VARIABLE, paths.guests());
    cargo.args([verb, "--locked", "--target", TARGET, "--profile", PROFILE]);
    cargo
}

/// The steps that cargo's metadata names, in its order.
fn guests_in(metadata: &Value, root: &Path) -> Vec<Guest> {
    let mut guests = Vec::new();
    for package in list(&metadata["packages"]) {
        let dir = Path::new(text(&package["manifest_path"])).parent().unwrap_or(root);
        let is_plugin = dir.parent() == Some(&root.join(PLUGINS));
        let is_test_guests = dir == root.join(TEST_GUESTS);
        for target in list(&package["targets"]) {
            let is_example = list(&target["kind"]).iter().any(|kind| kind == "example");
            let is_cdylib = list(&target["crate_types"]).iter().any(|kind| kind == "cdylib");
            if is_cdylib && (if is_example { is_test_guests } else { is_plugin }) {
                let (package, name) = (text(&package["name"]), text(&target["name"]).replace('-', "_"));
                guests.push(Guest { package: package.to_owned(), name, is_example });
            }
        }
    }
    guests
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Copy what has changed into target/steps, remove what is no guest any more, and list the sizes.
fn collect(guests: &[Guest], others: &[interpreted::Guest], paths: &Paths) -> anyhow::Result<()> {
    let steps = paths.steps();
    std::fs::create_dir_all(&steps).with_context(|| format!("making {}", steps.display()))?;
    let mut changed_count = 0_usize;
    for guest in guests {
        let (from, to) = (guest.built(&paths.guests()), steps.join(guest.file_name()));
        let built =
            std::fs::read(&from).with_context(|| format!("reading the component {}", from.display()))?;
        let changed = std::fs::read(&to).ok().as_deref() != Some(&built);
        if changed {
            changed_count += 1;
            write_whole(&to, &built)?;
        }
        eprintln!(
            "{:>8} KB  {}{}",
            built.len().div_ceil(1024),
            guest.name,
            if changed { "  (new)" } else { "" }
        );
    }
    let listing = || format!("listing {}", steps.display());
    for entry in std::fs::read_dir(&steps).with_context(listing)? {
        let path = entry.with_context(listing)?.path();
        let is_other = others.iter().any(|guest| path.file_stem().is_some_and(|stem| *stem == *guest.name));
        let is_other = is_other || js::owns(&path, paths)?;
        if !is_other && !guests.iter().any(|guest| path.ends_with(guest.file_name())) {
            std::fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
            eprintln!("  removed  {}", path.display());
        }
    }
    eprintln!(
        "guests: {} in {}, {changed_count} of them new; and {} in other languages",
        guests.len(),
        steps.display(),
        others.len()
    );
    Ok(())
}

/// Write a file that is whole or not there: a host may be loading it.
fn write_whole(to: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let part = to.with_extension("part");
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, to))
        .with_context(|| format!("writing the component {}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::Guest;
    use super::guests_in;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn steps_are_cdylibs_of_plugins_and_of_the_test_guests() {
        let target = |name: &str, kind: &[&str], types: &[&str]| json!({"name": name, "kind": kind, "crate_types": types});
        let metadata = json!({"packages": [
            {"name": "crm-writer", "manifest_path": "/w/plugins/crm-writer/Cargo.toml", "targets": [
                target("crm_writer", &["cdylib", "rlib"], &["cdylib", "rlib"]),
                target("shows", &["example"], &["bin"]),
            ]},
            {"name": "words", "manifest_path": "/w/plugins/words/Cargo.toml", "targets": [
                target("words", &["lib"], &["lib"]),
            ]},
            {"name": "test-guests", "manifest_path": "/w/tests/guests/Cargo.toml", "targets": [
                target("test_guests", &["lib"], &["lib"]),
                target("two-words", &["example"], &["cdylib"]),
            ]},
            {"name": "host", "manifest_path": "/w/host/Cargo.toml", "targets": [
                target("host", &["cdylib"], &["cdylib"]),
            ]},
        ]});
        let guest = |package: &str, name: &str, is_example| Guest {
            package: package.to_owned(),
            name: name.to_owned(),
            is_example,
        };
        assert_eq!(
            guests_in(&metadata, Path::new("/w")),
            [guest("crm-writer", "crm_writer", false), guest("test-guests", "two_words", true)]
        );
        let example = guest("test-guests", "two_words", true).built(Path::new("/g"));
        assert_eq!(example, Path::new("/g/wasm32-unknown-unknown/guest/examples/two_words.wasm"));
    }
}
