//! `--all`: deciding about many works or rows at once, capped and spread.
//!
//! What has been decided about leaves the choice, so that the same command goes on where it was cut off.

use crate::api::bulk::{BulkActed, EVERY_MAX_MS, LIMIT_DEFAULT, LIMIT_MAX, ReplayMany, Spread, in_batches};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::bulk::RowChoice;
use crate::store::operate::RowDecision;
use crate::store::outbox::RowState;
use anyhow::{Result, bail};

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

impl Selection {
    const fn spread(&self) -> Spread {
        Spread { limit: self.limit, every_ms: self.every }
    }
}

/// Replay the works of a choice.
pub(super) async fn replay_works(config: &Config, asked: &ReplayMany, format: Format) -> Result<Ending> {
    // Whoever only asks how many there are needs not own the ledger.
    let client = if asked.dry_run { Client::reading(config).await? } else { Client::acting(config).await? };
    let acted = client.post(&["v1", "works", "replay"], asked).await?.read()?;
    told("works", Spread { limit: asked.limit, every_ms: asked.every_ms }, &acted, format)
}

/// Decide alike about the rows of a choice.
pub(super) async fn decide_rows(
    config: &Config,
    choice: RowChoice,
    decision: RowDecision,
    selection: &Selection,
    by: By,
    format: Format,
) -> Result<Ending> {
    let actor = by.actor()?;
    if matches!(decision, RowDecision::Sent { .. }) {
        bail!(
            "deciding about rows: `--as sent` takes one row, since each has a reference of its own; take `--as again` or `--as cancel` with --all"
        );
    }
    if !decision.from_states().contains(&choice.state) {
        let from: Vec<_> = decision.from_states().iter().copied().map(RowState::word).collect();
        bail!(
            "deciding about rows: this can be said of those that are {}, and not of {}; nothing was changed",
            from.join(" or "),
            choice.state.word()
        )
    }
    let spread = selection.spread();
    if selection.dry_run {
        let left = compose::read_only(config)?.outbox_choose_count(choice).await?;
        return told("rows", spread, &BulkActed { dry_run: true, decided: 0, left }, format);
    }
    let (store, _) = compose::owner(config)?;
    let decided = in_batches(spread, &actor, |batch, actor| {
        store.outbox_decide_all(choice.clone(), decision.clone(), batch, actor)
    })
    .await?;
    let left = store.outbox_choose_count(choice).await?;
    told("rows", spread, &BulkActed { dry_run: false, decided, left }, format)
}

fn told(noun: &str, spread: Spread, acted: &BulkActed, format: Format) -> Result<Ending> {
    let BulkActed { dry_run, decided, left } = *acted;
    let ending = Ending::when(dry_run || left == 0);
    if format == Format::Json {
        output::json(&serde_json::to_value(acted)?)?;
        return Ok(ending);
    }
    if dry_run {
        let now = left.min(spread.limit.into());
        output::line(format!(
            "{left} {noun} are chosen, {now} of them by this command; nothing was changed"
        ))?;
        let spread_s = now.saturating_sub(1).saturating_mul(spread.every_ms) / 1_000;
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
