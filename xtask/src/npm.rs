//! Packages of npm, for the tools that make components of other languages, and for the nodes of n8n.
//!
//! Owns that Node.js and npm are there, and what is installed from a lock file: below the target directory, so that no
//! `node_modules` lies in the sources, or where the caller says. What is installed already is left alone. It refuses folders
//! without a lock file, and machines that lack Node.js where nobody may install it: the error says what to install.

use crate::command;
use crate::debian;
use crate::paths::Paths;
use anyhow::Context;
use anyhow::bail;
use onceward_toolchain::program;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

/// The programs that are needed, which are Debian's packages by name as well.
const PROGRAMS: [&str; 2] = ["node", "npm"];

/// Debian's packages with these programs.
const PACKAGES: [&str; 2] = ["nodejs", "npm"];

/// What a folder has to hold: which packages are wanted, and exactly which of them are taken.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

/// The lock file as it was when its packages had been installed in full. Among them, so that it goes when they go.
const DONE: &str = "node_modules/installed.json";

/// Whether packages may run programs of theirs when they are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scripts {
    /// They may.
    Run,
    /// They may not.
    Ignore,
}

/// Install the packages that a folder's lock file names, and return the folder that holds `node_modules`.
///
/// # Errors
/// Where the folder has no lock file, Node.js is not there and can't be installed, or npm fails.
pub(crate) fn install(folder: &Path) -> anyhow::Result<PathBuf> {
    let paths = Paths::find()?;
    let place = paths.npm().join(name_of(folder, &paths.root));
    install_at(folder, &place, Scripts::Run, |_| Ok(()))?;
    Ok(place)
}

/// Install the packages that a folder's lock file names into a place, which may be the folder itself. `finish` is what has to
/// be done once they are there.
///
/// # Errors
/// As [`install`], and what `finish` says; then it is begun anew the next time.
pub(crate) fn install_at(
    folder: &Path,
    place: &Path,
    scripts: Scripts,
    finish: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let lock_file = folder.join(MANIFESTS[1]);
    let lock = std::fs::read(&lock_file)
        .with_context(|| format!("reading {}, which names the packages to install", lock_file.display()))?;
    ensure_programs()?;
    if std::fs::read(place.join(DONE)).ok().as_deref() == Some(&lock) {
        return Ok(());
    }
    eprintln!("npm: installing the packages of {} into {}", folder.display(), place.display());
    std::fs::create_dir_all(place).with_context(|| format!("making {}", place.display()))?;
    for name in MANIFESTS {
        let (from, to) = (folder.join(name), place.join(name));
        if from != to {
            std::fs::copy(&from, &to)
                .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
        }
    }
    let mut npm = Command::new("npm");
    npm.current_dir(place).args(["ci", "--no-audit", "--no-fund"]);
    if scripts == Scripts::Ignore {
        npm.arg("--ignore-scripts");
    }
    // Its words are progress, and standard output is for data.
    npm.stdout(std::io::stderr());
    command::run(&mut npm)?;
    finish(place)?;
    let done = place.join(DONE);
    std::fs::write(&done, lock).with_context(|| format!("writing {}", done.display()))
}

/// A program that an installed package brings, by its name, run with Node.js.
pub(crate) fn tool(installed: &Path, name: &str) -> Command {
    Command::new(installed.join("node_modules").join(".bin").join(name))
}

/// The folder's name below the target directory: `tests-guests-js` for `tests/guests/js`.
fn name_of(folder: &Path, root: &Path) -> String {
    let below = folder.strip_prefix(root).unwrap_or(folder);
    let words = below.iter().map(|word| word.to_string_lossy()).filter(|word| word != "/");
    words.collect::<Vec<_>>().join("-")
}

/// Have Node.js and npm, from Debian's packages where they are missing.
pub(crate) fn ensure_programs() -> anyhow::Result<()> {
    if missing().is_empty() {
        return Ok(());
    }
    eprintln!("npm: {} not there; asking apt", missing().join(" and "));
    match debian::usable() {
        Ok(hand) => debian::install(hand, "npm", &PACKAGES)?,
        Err(apt) => bail!(
            "looking for {}: not on the PATH, and apt can't install it ({apt}); install Node.js 20 or later with npm, \
             and run this again",
            missing().join(" and ")
        ),
    }
    match missing().as_slice() {
        [] => Ok(()),
        still => bail!(
            "looking for {}: apt has installed {}, and it is not there",
            still.join(" and "),
            PACKAGES.join(", ")
        ),
    }
}

fn missing() -> Vec<&'static str> {
    PROGRAMS.into_iter().filter(|name| program::on_path(name).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::name_of;
    use std::path::Path;

    #[test]
    fn each_folder_has_a_place_of_its_own() {
        for (folder, name) in
            [("/w/tests/guests/js", "tests-guests-js"), ("/w/plugins/js", "plugins-js"), ("/o/x", "o-x")]
        {
            assert_eq!(name_of(Path::new(folder), Path::new("/w")), name);
        }
    }
}
