//! The plugins in TypeScript and Python, as components.
//!
//! Owns which folders these are, and the files that each is made of. It installs Node.js, npm and Python where they are missing and it may.

use crate::debian;
use crate::made_of::unless_made_of;
use crate::npm;
use crate::paths::Paths;
use anyhow::Context;
use anyhow::bail;
use onceward_toolchain::Interpreted;
use onceward_toolchain::Language;
use onceward_toolchain::interpreted;
use onceward_toolchain::program;
use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;

/// Where such steps live, a folder each, below the root.
const PLACES: [&str; 2] = ["plugins", "tests/guests"];

/// Folders with what tools have installed or left.
const NOT_SOURCES: [&str; 4] = ["node_modules", ".venv", "__pycache__", "target"];

/// Debian's packages for steps in Python.
const PYTHON: [&str; 2] = ["python3", "python3-venv"];

/// A step in a language whose interpreter is in the component.
#[derive(Debug)]
pub(crate) struct Guest {
    dir: PathBuf,
    language: Interpreted,
    /// The component's name, with underscores as the others'.
    pub(crate) name: String,
}

/// The steps in these languages, by name.
pub(crate) fn guests(paths: &Paths) -> anyhow::Result<Vec<Guest>> {
    let mut guests = Vec::new();
    for place in PLACES {
        let place = paths.root.join(place);
        let listing = || format!("listing {}", place.display());
        for entry in std::fs::read_dir(&place).with_context(listing)? {
            let dir = entry.with_context(listing)?.path();
            if let Some(Language::Interpreted(language)) = Language::of(&dir) {
                let name = dir.file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
                guests.push(Guest { dir, language, name });
            }
        }
    }
    guests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(guests)
}

/// Build those that have changed into target/steps.
pub(crate) fn build(guests: &[Guest], paths: &Paths) -> anyhow::Result<()> {
    let kept = paths.guests();
    for dir in [&kept, &paths.steps()] {
        std::fs::create_dir_all(dir).with_context(|| format!("making {}", dir.display()))?;
    }
    for guest in guests {
        let component = paths.steps().join(format!("{}.wasm", guest.name));
        let made_of = kept.join(format!("{}.sources", guest.name));
        let sources = guest.sources(paths)?;
        unless_made_of(&sources, &component, &made_of, || {
            match guest.language {
                Interpreted::TypeScript => npm::ensure_programs()?,
                Interpreted::Python => ensure_python()?,
            }
            let mut say = |line: &str| eprintln!("{}: {line}", guest.name);
            Ok(interpreted::build(guest.language, &guest.dir, &component, &mut say)?)
        })?;
    }
    Ok(())
}

impl Guest {
    /// All the files that it is made of: its own, its SDK's and the interfaces.
    fn sources(&self, paths: &Paths) -> anyhow::Result<Vec<u8>> {
        let sdk = match self.language {
            Interpreted::TypeScript => "guest-sdk/typescript",
            Interpreted::Python => "guest-sdk/python",
        };
        let mut files = BTreeMap::new();
        // It takes the schema of the plugin in Rust, which is the same in all languages.
        for dir in [
            self.dir.clone(),
            paths.root.join(sdk),
            paths.root.join("wit"),
            paths.root.join("plugins/lead-classifier"),
        ] {
            read(&dir, &mut files)?;
        }
        let named =
            |(path, bytes): (PathBuf, Vec<u8>)| [path.as_os_str().as_encoded_bytes(), &bytes].concat();
        Ok(files.into_iter().flat_map(named).collect())
    }
}

/// Read the sources below a folder.
fn read(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> anyhow::Result<()> {
    let reading = || format!("reading the sources in {}", dir.display());
    for entry in std::fs::read_dir(dir).with_context(reading)? {
        let path = entry.with_context(reading)?.path();
        if NOT_SOURCES.iter().any(|name| path.ends_with(name))
            || path.extension().is_some_and(|it| it == "wasm")
        {
            continue;
        }
        if path.is_dir() {
            read(&path, files)?;
        } else {
            let bytes = std::fs::read(&path).with_context(reading)?;
            files.insert(path, bytes);
        }
    }
    Ok(())
}

/// Have a Python that makes environments, from Debian's packages where it is missing.
fn ensure_python() -> anyhow::Result<()> {
    let asked = ["-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"];
    if program::run(std::process::Command::new("python3").args(asked)).is_ok() {
        return Ok(());
    }
    match debian::usable() {
        Ok(hand) => debian::install(hand, "python", &PYTHON),
        Err(apt) => bail!(
            "looking for Python: there is none of 3.11 or later with venv on the PATH, and apt can't install it ({apt}); install it, and run this again"
        ),
    }
}
