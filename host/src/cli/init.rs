//! `onceward init`: a configuration to begin with.

use crate::cli::Ending;
use crate::cli::config;
use crate::cli::output;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};

/// The rules of a scripted classifier, to begin with.
const RULES: &str = include_str!("classifier.rules.json");

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder to write into.
    #[arg(default_value = ".")]
    dir: PathBuf,
}

pub(super) fn init(args: &Args) -> Result<Ending> {
    std::fs::create_dir_all(&args.dir)
        .with_context(|| format!("making the folder {}: it can't be made", args.dir.display()))?;
    let files = [(config::FILE, config::DEFAULT), ("classifier.rules.json", RULES)];
    // Look before writing, so that a refusal leaves nothing behind.
    for (name, _) in files {
        let path = args.dir.join(name);
        if path.exists() {
            bail!("writing {}: it exists, and is not overwritten; move it away first", path.display());
        }
    }
    for (name, text) in files {
        write_new(&args.dir.join(name), text)?;
        output::line(format!("wrote {}", args.dir.join(name).display()))?;
    }
    Ok(Ending::Done)
}

/// Write a file, in a folder that is made for it where need be.
pub(super) fn write_new(path: &Path, text: &str) -> Result<()> {
    let doing = || format!("writing {}: it can't be written", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(doing)?;
    }
    std::fs::write(path, text).with_context(doing)
}
