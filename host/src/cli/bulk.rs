//! `--all`: deciding about many works or rows at once, capped and spread.
//!
//! What has been decided about leaves the choice, so that the same command goes on where it was cut off.

use crate::api::bulk::{BulkActed, EVERY_MAX_MS, LIMIT_DEFAULT, LIMIT_MAX, ReplayMany};
use crate::api::row_acts::ResolveRows;
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use anyhow::Result;
use serde::Serialize;

/// Which of many, and how fast. The command that takes it has the argument `one` for a single one.
#[derive(Debug, clap::Args)]
pub(super) struct Selection {
    /// All that are alike, the oldest first, instead of one.
    #[arg(long)]
    all: bool,
    /// With `--all`: those whose cause holds this text.
    #[arg(long, value_name = "TEXT", requires = "all", conflicts_with = "one")]
    pub(super) cause: Option<String>,
    /// With `--all`: at most so many. The same command goes on with the rest.
    #[arg(long, value_name = "N", requires = "all", conflicts_with = "one", default_value_t = LIMIT_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(LIMIT_MAX)))]
    pub(super) limit: u32,
    /// With `--all`: each is due so many milliseconds after the one before it.
    #[arg(long, value_name = "MS", requires = "all", conflicts_with = "one", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=EVERY_MAX_MS))]
    pub(super) every: u64,
    /// With `--all`: say how many there are, and change nothing.
    #[arg(long, requires = "all", conflicts_with = "one")]
    pub(super) dry_run: bool,
}

/// Replay the works of a choice.
pub(super) async fn replay_works(config: &Config, asked: &ReplayMany, format: Format) -> Result<Ending> {
    let acted = ask(config, "works", "replay", asked.dry_run, asked).await?;
    told("works", asked.limit, asked.every_ms, &acted, format)
}

/// Decide alike about the rows of a choice.
pub(super) async fn resolve_rows(config: &Config, asked: &ResolveRows, format: Format) -> Result<Ending> {
    let acted = ask(config, "rows", "resolve", asked.dry_run, asked).await?;
    told("rows", asked.limit, asked.every_ms, &acted, format)
}

/// Whoever only asks how many there are needs not own the ledger.
async fn ask(
    config: &Config,
    noun: &str,
    act: &str,
    dry_run: bool,
    asked: &impl Serialize,
) -> Result<BulkActed> {
    let client = if dry_run { Client::reading(config).await? } else { Client::acting(config).await? };
    client.post(&["v1", noun, act], asked).await?.read()
}

fn told(noun: &str, limit: u32, every_ms: u64, acted: &BulkActed, format: Format) -> Result<Ending> {
    let BulkActed { dry_run, decided, left } = *acted;
    let ending = Ending::when(dry_run || left == 0);
    if format == Format::Json {
        output::json(&serde_json::to_value(acted)?)?;
        return Ok(ending);
    }
    if dry_run {
        let now = left.min(limit.into());
        output::line(format!(
            "{left} {noun} are chosen, {now} of them by this command; nothing was changed"
        ))?;
        let spread_s = now.saturating_sub(1).saturating_mul(every_ms) / 1_000;
        if spread_s > 0 {
            output::line(format!("  the last one would be due in {spread_s} s"))?;
        }
        return Ok(ending);
    }
    output::line(format!("{decided} {noun} were decided about"))?;
    if left > 0 {
        output::line(format!("  {left} are left; the same command goes on with them"))?;
    }
    Ok(ending)
}
