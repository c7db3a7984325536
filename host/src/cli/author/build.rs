//! `onceward build`: from a step's folder to a component, with the language's own tools and nothing else, and looked at as a host would.

use crate::cli::Ending;
use crate::cli::author::check;
use crate::cli::output;
use crate::cli::output::Format;
use anyhow::{Context as _, Result, bail};
use onceward_toolchain::program::{must_succeed, shown};
use onceward_toolchain::{Language, TARGET, Toolchain, interpreted};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Arguments of `build`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The step's folder.
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Write the component here instead of beside the manifest.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(in crate::cli) async fn build(args: Args, format: Format) -> Result<Ending> {
    let out = tokio::task::spawn_blocking(move || component(&args.dir, args.out))
        .await
        .context("building a step")??;
    check::told(&check::look(&out).await?, format)?;
    Ok(Ending::Done)
}

/// Build the step in this folder; where its component is.
pub(super) fn component(dir: &Path, out: Option<PathBuf>) -> Result<PathBuf> {
    let language = match language(dir)? {
        Language::Rust => return of_crate(dir, out),
        Language::Interpreted(language) => language,
    };
    let doing = || format!("building the step in {}: there is no such folder", dir.display());
    let folder = dir.canonicalize().with_context(doing)?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("step");
    let out = out.unwrap_or_else(|| dir.join(format!("{name}.wasm")));
    interpreted::build(language, dir, &out, &mut |line| output::progress(format!("running {line}")))?;
    Ok(out)
}

/// The language of the step in this folder.
pub(super) fn language(dir: &Path) -> Result<Language> {
    let Some(language) = Language::of(dir) else {
        bail!(
            "building the step in {}: there is none of {}; make a step with `onceward new`",
            dir.display(),
            Language::ALL.map(Language::manifest).join(", ")
        );
    };
    Ok(language)
}

fn of_crate(dir: &Path, out: Option<PathBuf>) -> Result<PathBuf> {
    let Some(toolchain) = Toolchain::find()? else {
        bail!(
            "building the step in {}: no compiler here has std for {TARGET}; run `rustup target add {TARGET}`, or where rustup can't download install Debian's packages rustc-web, cargo-web and rust-web-src",
            dir.display()
        );
    };
    let mut cargo = Command::new("cargo");
    toolchain.apply(&mut cargo);
    // Its own folder, since it may be another compiler than that of the native tests.
    cargo.current_dir(dir).env("CARGO_TARGET_DIR", "target/step");
    cargo.args([
        "build",
        "--release",
        "--lib",
        "--target",
        TARGET,
        "--message-format=json-render-diagnostics",
    ]);
    output::progress(format!("building with {}", shown(&cargo)));
    let built =
        cargo.stderr(Stdio::inherit()).output().with_context(|| format!("starting {}", shown(&cargo)))?;
    must_succeed(&cargo, built.status)?;
    let files = artifacts(&String::from_utf8_lossy(&built.stdout));
    let [file] = &files[..] else {
        bail!(
            "building the step in {}: the crate makes {} components, and a step is one; its [lib] has crate-type = [\"cdylib\"]",
            dir.display(),
            files.len()
        );
    };
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("step.wasm").replace('_', "-");
    let out = out.unwrap_or_else(|| dir.join(name));
    let part = out.with_extension("part");
    // Whole or not there: a host may be loading it.
    std::fs::copy(dir.join(file), &part)
        .and_then(|_| std::fs::rename(&part, &out))
        .with_context(|| format!("writing the component {}: it can't be written", out.display()))?;
    Ok(out)
}

/// The files of WebAssembly that cargo tells of.
fn artifacts(told: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in told.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let names = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
        files.extend(names.filter(|name| name.ends_with(".wasm")).map(PathBuf::from));
    }
    files
}
