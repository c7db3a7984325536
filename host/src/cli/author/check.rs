//! `onceward check`: what a component is, asks for and takes, as a host sees it.

use crate::cli::Ending;
use crate::cli::compiled;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::step::{identity_words, imported, mode_words, response_words, window_words};
use crate::contract::step::StepContract;
use crate::runtime::imports::Imports;
use crate::runtime::limits::Limits;
use crate::runtime::loader::Loader;
use crate::runtime::registry::EngineSettings;
use anyhow::{Context as _, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Bytes in a kibibyte.
const BYTES_A_KIB: u64 = 1024;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The component.
    #[arg(value_name = "FILE")]
    step: PathBuf,
}

/// A component that a host would take.
pub(super) struct Looked {
    path: PathBuf,
    bytes: u64,
    digest: String,
    imports: Imports,
    contract: StepContract,
    load_ms: u64,
}

pub(in crate::cli) async fn check(args: Args, format: Format) -> Result<Ending> {
    told(&look(&args.step).await?, format)?;
    Ok(Ending::Done)
}

/// Load it as a host would.
pub(super) async fn look(path: &Path) -> Result<Looked> {
    let limits = Limits::default();
    let settings = EngineSettings {
        cache_dir: compiled::cache_dir(),
        instances_max: 1,
        memory_bytes: limits.memory_bytes,
    };
    let loader = Loader::new(&settings)?;
    let bytes = std::fs::read(path)
        .with_context(|| format!("checking {}: it can't be read; build it first", path.display()))?;
    let begun = Instant::now();
    let plugin = loader.load(&bytes, &limits).await;
    let plugin =
        plugin.with_context(|| format!("checking {}: it is no step for this host", path.display()))?;
    Ok(Looked {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        digest: plugin.digest().to_string(),
        imports: plugin.imports().clone(),
        contract: plugin.contract().clone(),
        load_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

pub(super) fn told(looked: &Looked, format: Format) -> Result<()> {
    let Looked { path, bytes, digest, imports, contract, load_ms } = looked;
    let limits = Limits::default();
    if format == Format::Json {
        return output::json(&json!({
            "file": path, "bytes": bytes, "digest": digest, "imports": imports, "contract": contract,
            "load_ms": load_ms, "limits": limits,
        }));
    }
    let destinations = contract
        .destinations
        .iter()
        .map(|it| format!("destination {} (at least {})", it.name, it.weakest.word()));
    let models = contract.models.iter().map(|name| format!("model {name}"));
    output::line(format!("{}: a step that a host takes", path.display()))?;
    for (what, said) in [
        ("step", format!("{}, version {}", contract.name, contract.version)),
        ("identity", identity_words(&contract.identity)),
        ("window", window_words(&contract.window)),
        ("response", response_words(contract.response).to_owned()),
        ("mode", mode_words(contract.mode).to_owned()),
        ("asks for", named(destinations.chain(models).collect())),
        ("imports", named(imported(&imports.primitives))),
        ("wasi", named(imported(&imports.answered))),
        ("traps", named(imported(&imports.absent))),
        ("size", format!("{} KiB, compiled and asked in {load_ms} ms", bytes.div_ceil(BYTES_A_KIB))),
        (
            "limits",
            format!(
                "{} MiB of memory, {} ms, {} calls of the host, {} rows a run, where the operator says nothing else",
                limits.memory_bytes / BYTES_A_KIB / BYTES_A_KIB,
                limits.wall_ms,
                limits.host_calls,
                limits.rows
            ),
        ),
        ("digest", digest.clone()),
    ] {
        output::line(format!("  {what:<10}{said}"))?;
    }
    Ok(())
}

fn named(names: Vec<String>) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
