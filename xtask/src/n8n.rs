//! The nodes of n8n, tried in a real one.
//!
//! Owns which n8n that is, and where it is installed: outside the checkout, in the user's cache folder, since it takes minutes
//! and two gigabytes and is the same for every checkout. It builds the package of the nodes and hands out the run of its tests,
//! which start n8n, a host and a receiver themselves. It fails where npm does, or where Node.js is not there and can't be
//! installed.

use crate::command;
use crate::npm;
use crate::npm::Scripts;
use crate::paths::Paths;
use anyhow::Context;
use clap::ValueEnum;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// The package of the nodes, below the root.
const PACKAGE: &str = "n8n";

/// n8n's rules for such packages, below it.
const LINT: &str = "lint";

/// Packages of n8n that are compiled for this machine.
const COMPILED: [&str; 2] = ["sqlite3", "isolated-vm"];

/// The files of tests, as they are compiled.
const TESTS: [&str; 3] = ["out/tests/unit/", "out/tests/package.test.js", "out/tests/n8n.test.js"];

/// An n8n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum N8n {
    /// None.
    None,
    /// The newest that runs on Node.js 20.
    #[value(name = "2.8.4")]
    V2_8_4,
}

impl N8n {
    /// Its name: that of its folder, among the tests and in the cache.
    const fn folder(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::V2_8_4 => Some("n8n-2.8.4"),
        }
    }
}

/// Get everything ready, and say how the tests are run; nothing where no n8n is wanted.
pub(crate) fn tests(paths: &Paths, n8n: N8n) -> anyhow::Result<Option<Command>> {
    let Some(name) = n8n.folder() else { return Ok(None) };
    let package = paths.root.join(PACKAGE);
    npm::ensure_programs()?;
    install(&package.join("tests").join(name), &cache()?.join(name))?;
    npm::install_at(&package, &package, Scripts::Ignore, |_| Ok(()))?;
    let lint = package.join(LINT);
    npm::install_at(&lint, &lint, Scripts::Ignore, |_| Ok(()))?;
    let mut build = Command::new("node");
    build.current_dir(&package).args(["scripts/build.mjs", "--tests"]);
    // Its words are progress, and standard output is for data.
    command::run(build.stdout(std::io::stderr()))?;
    let mut tests = Command::new("node");
    tests.current_dir(&package).args(["--test", "--test-reporter=spec"]).args(TESTS);
    // The programs and steps that were built; the tests are started elsewhere than cargo.
    tests.env(crate::paths::TARGET_VARIABLE, &paths.target);
    Ok(Some(tests))
}

/// Install this n8n, unless it is there.
fn install(manifests: &Path, place: &Path) -> anyhow::Result<()> {
    let begun = Instant::now();
    if !place.join("node_modules").exists() {
        eprintln!("n8n: it is not there yet; that takes five to eight minutes and 2.1 GB, and happens once");
    }
    npm::install_at(manifests, place, Scripts::Ignore, |place| {
        let mut rebuild = Command::new("npm");
        rebuild.current_dir(place).arg("rebuild").args(COMPILED);
        command::run(rebuild.stdout(std::io::stderr()))?;
        eprintln!("n8n: installed in {} s", begun.elapsed().as_secs());
        Ok(())
    })
}

/// The user's cache folder, as the tests find it too.
fn cache() -> anyhow::Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    Ok(cache
        .context("looking for a folder to install n8n into: neither XDG_CACHE_HOME nor HOME is set")?
        .join("onceward"))
}

#[cfg(test)]
mod tests {
    use super::N8n;
    use super::PACKAGE;
    use crate::paths::Paths;
    use clap::ValueEnum;

    #[test]
    fn each_n8n_has_a_lock_file_of_its_own_among_the_tests() {
        let root = Paths::find().expect("a checkout").root;
        for n8n in N8n::value_variants() {
            let Some(folder) = n8n.folder() else { continue };
            let lock = root.join(PACKAGE).join("tests").join(folder).join("package-lock.json");
            let text =
                std::fs::read_to_string(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
            let name = n8n.to_possible_value().expect("no value is hidden");
            let named = format!("\"n8n\": \"{}\"", name.get_name());
            assert!(text.contains(&named), "{} does not hold {named}", lock.display());
        }
    }
}
