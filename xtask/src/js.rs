//! The tests' guests in JavaScript, made into components by npm's componentize tooling.
//!
//! Owns which files are steps (each `.js` in tests/guests/over_wasi/js) and what one is made of: it, the tool's lock file and the
//! interfaces. It fails where npm or the tool does.

use crate::command;
use crate::made_of::unless_made_of;
use crate::npm;
use crate::paths::Paths;
use anyhow::Context;
use std::ffi::OsStr;
use std::path::Path;
use std::path::PathBuf;

/// Where the steps live, a file each, below the root, with the lock file of their tool.
const FOLDER: &str = "tests/guests/over_wasi/js";

/// The interfaces that they are built for, below the root.
const WIT: &str = "wit/since_v0.1.0";

/// Their world in there.
const WORLD: &str = "step";

/// The program that makes a component of a step.
const TOOL: &str = "componentize-js";

/// Build the steps that are not up to date, into target/steps.
pub(crate) fn build(paths: &Paths) -> anyhow::Result<()> {
    let folder = paths.root.join(FOLDER);
    let tool = npm::install(&folder)?;
    for source in sources(paths)? {
        let component = component_of(&source, paths);
        let mark = tool.join(component.file_name().unwrap_or_default()).with_extension("inputs");
        let inputs = inputs(&source, paths)?;
        unless_made_of(&inputs, &component, &mark, || {
            eprintln!("js: making a component of {}, which takes up to a minute", source.display());
            let part = component.with_extension("part");
            let mut command = npm::tool(&tool, TOOL);
            command
                .arg(&source)
                .arg("--wit")
                .arg(paths.root.join(WIT))
                .args(["--world-name", WORLD])
                .arg("--out")
                .arg(&part);
            // Its words are progress, and standard output is for data.
            command::run(command.stdout(std::io::stderr()))?;
            std::fs::rename(&part, &component)
                .with_context(|| format!("writing the component {}", component.display()))
        })?;
    }
    Ok(())
}

/// Whether this component is one of these steps.
pub(crate) fn owns(component: &Path, paths: &Paths) -> anyhow::Result<bool> {
    Ok(sources(paths)?.iter().any(|source| component_of(source, paths) == component))
}

fn sources(paths: &Paths) -> anyhow::Result<Vec<PathBuf>> {
    files(&paths.root.join(FOLDER), "js")
}

fn component_of(source: &Path, paths: &Paths) -> PathBuf {
    paths.steps().join(source.file_name().unwrap_or_default()).with_extension("wasm")
}

/// What a component is made of, one after the other.
fn inputs(source: &Path, paths: &Paths) -> anyhow::Result<Vec<u8>> {
    let mut parts = vec![source.to_owned(), paths.root.join(FOLDER).join("package-lock.json")];
    parts.extend(files(&paths.root.join(WIT), "wit")?);
    let mut inputs = Vec::new();
    for part in parts {
        inputs.extend(std::fs::read(&part).with_context(|| format!("reading {}", part.display()))?);
    }
    Ok(inputs)
}

/// The files of a folder with this extension, in their order by name.
fn files(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let listing = || format!("listing {}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(listing)? {
        let path = entry.with_context(listing)?.path();
        if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
