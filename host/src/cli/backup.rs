//! `onceward backup` and `onceward restore`: a copy of the ledger that knows that it is one, and its return.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::clock::SystemClock;
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::restored::Restored;
use crate::store::sqlite::{Backup, SqliteStore, back_up, put_back, unfinished};
use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Bytes in a mebibyte.
const BYTES_A_MIB: u64 = 1024 * 1024;

/// How often whoever waits for a long copy hears of it.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// Arguments of `backup`.
#[derive(Debug, clap::Args)]
pub(super) struct BackupArgs {
    /// The new file.
    #[arg(value_name = "FILE")]
    to: PathBuf,
}

/// Arguments of `restore`.
#[derive(Debug, clap::Args)]
pub(super) struct RestoreArgs {
    /// The backup, or another copy of a ledger. The ledger's place must be free.
    #[arg(value_name = "FILE", required_unless_present = "in_place", conflicts_with = "in_place")]
    from: Option<PathBuf>,
    /// The ledger in its place is such a copy already: a snapshot of the disk was put back, for example.
    #[arg(long)]
    in_place: bool,
    #[command(flatten)]
    by: By,
}

/// Copy the ledger, also while a host serves from it.
pub(super) async fn backup(config: &Config, args: BackupArgs, format: Format) -> Result<Ending> {
    let (ledger, to) = (compose::store_settings(config).path, args.to);
    let Backup { as_of_ms, bytes } = copied(ledger, to.clone(), back_up).await?;
    if format == Format::Json {
        output::json(&json!({ "file": to, "as_of_ms": as_of_ms, "bytes": bytes }))?;
    } else {
        let (as_of, mib) = (output::time(as_of_ms), bytes.div_ceil(BYTES_A_MIB));
        output::line(format!("{} holds the ledger as of {as_of} ({mib} MiB)", to.display()))?;
        output::line("  `onceward restore` puts it back")?;
    }
    Ok(Ending::Done)
}

/// Put a copy in the ledger's place, and take it up.
pub(super) async fn restore(config: &Config, args: RestoreArgs, format: Format) -> Result<Ending> {
    let (name, reason) = args.by.words()?;
    let settings = compose::store_settings(config);
    if args.in_place && !settings.path.exists() {
        bail!("restoring in place: there is no ledger {}; check [store] path", settings.path.display());
    }
    if let Some(from) = args.from {
        copied(from, settings.path.clone(), put_back).await?;
    }
    let taken_up = tokio::task::spawn_blocking(move || {
        let by = Actor { name, reason, action: None };
        let store = SqliteStore::open_restored(&settings, Arc::new(SystemClock), &by)?;
        anyhow::Ok(store.restored().cloned())
    });
    let restored = taken_up.await.context("restoring the ledger")??;
    told(restored.as_ref().context("restoring the ledger: it was not taken up")?, format)?;
    Ok(Ending::Done)
}

/// Copy, and say how far it is where that takes long.
async fn copied(
    from: PathBuf,
    to: PathBuf,
    copy: fn(&Path, &Path) -> Result<Backup, StoreError>,
) -> Result<Backup> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len()).div_ceil(BYTES_A_MIB);
    let (all, part) = (size(&from), unfinished(&to));
    let mut copying = tokio::task::spawn_blocking(move || copy(&from, &to));
    loop {
        tokio::select! {
            made = &mut copying => return Ok(made.context("copying the ledger")??),
            () = tokio::time::sleep(PROGRESS_EVERY) => {
                output::progress(format!("copying: {} of about {all} MiB", size(&part)));
            }
        }
    }
}

fn told(restored: &Restored, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(restored)?);
    }
    let Restored { as_of_ms, works, rows, .. } = restored;
    let as_of = output::time(*as_of_ms);
    output::line(format!("the ledger is restored as of {as_of}, and everything is paused"))?;
    output::line(format!("  {works} works and {rows} rows were under way then, and are in doubt now"))?;
    for remedy in [
        "what to do now:",
        "  onceward outbox resolve --all --state in-doubt --as check ...   where destinations can tell a repeat or be asked",
        "  onceward outbox list --state in-doubt                           what is left then: look at the destination",
        "  onceward work replay --all --state in-doubt ...                 works that shall run again",
        "  onceward token list                                             a token that was revoked since is valid again",
        "  onceward work erase ...                                         what was erased since is there again",
        "  onceward unpause everything ...                                 when all is resolved",
    ] {
        output::line(remedy)?;
    }
    output::line(format!(
        "an event that arrived after {as_of} is not on record here: a repeat of it counts as new"
    ))
}
