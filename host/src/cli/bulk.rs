//! `--all`: deciding about many works or rows at once, capped and spread.
//!
//! Works in batches, each of them one transaction. What has been decided about leaves the choice, so that the same command goes
//! on where it was cut off.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::bulk::{Batch, RowChoice, WorkChoice};
use crate::store::error::StoreError;
use crate::store::operate::{RowDecision, WorkDecision};
use crate::store::outbox::RowState;
use crate::store::work::WorkState;
use anyhow::{Result, bail};
use serde_json::json;

/// Decided about in one transaction at most, so that others' commits do not wait for long.
const BATCH_LIMIT: u32 = 200;

/// The widest spread between two, in milliseconds (an hour).
const EVERY_MAX_MS: u64 = 60 * 60 * 1_000;

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
    #[arg(long, value_name = "N", requires = "all", conflicts_with = "one", default_value_t = 1_000)]
    limit: u64,
    /// With `--all`: each is due so many milliseconds after the one before it.
    #[arg(long, value_name = "MS", requires = "all", conflicts_with = "one", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=EVERY_MAX_MS))]
    every: u64,
    /// With `--all`: say how many there are, and change nothing.
    #[arg(long, requires = "all", conflicts_with = "one")]
    dry_run: bool,
}

/// Replay the works of a choice.
pub(super) async fn replay_works(
    config: &Config,
    choice: WorkChoice,
    selection: &Selection,
    by: By,
    format: Format,
) -> Result<Ending> {
    let actor = by.actor()?;
    let from = WorkDecision::Replay { due_in_ms: 0 };
    if !from.from_states().contains(&choice.state) {
        refuse("works", choice.state.word(), from.from_states().iter().copied().map(WorkState::word))?;
    }
    if selection.dry_run {
        let found = compose::read_only(config)?.work_choose_count(choice).await?;
        return told("works", selection, 0, found, format);
    }
    let (store, _) = compose::owner(config)?;
    let found = store.work_choose_count(choice.clone()).await?;
    let decided = in_batches("works", selection, found, async |batch| {
        store.work_replay_all(choice.clone(), batch, actor.clone()).await
    })
    .await?;
    told("works", selection, decided, store.work_choose_count(choice.clone()).await?, format)
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
        refuse("rows", choice.state.word(), decision.from_states().iter().copied().map(RowState::word))?;
    }
    if selection.dry_run {
        let found = compose::read_only(config)?.outbox_choose_count(choice).await?;
        return told("rows", selection, 0, found, format);
    }
    let (store, _) = compose::owner(config)?;
    let found = store.outbox_choose_count(choice.clone()).await?;
    let decided = in_batches("rows", selection, found, async |batch| {
        store.outbox_decide_all(choice.clone(), decision.clone(), batch, actor.clone()).await
    })
    .await?;
    told("rows", selection, decided, store.outbox_choose_count(choice.clone()).await?, format)
}

fn refuse(noun: &str, state: &str, from: impl Iterator<Item = &'static str>) -> Result<()> {
    let from = from.collect::<Vec<_>>().join(" or ");
    bail!(
        "deciding about {noun}: this can be said of those that are {from}, and not of {state}; nothing was changed"
    )
}

/// Decide batch after batch, until the cap is reached or none is left.
async fn in_batches(
    noun: &str,
    selection: &Selection,
    found: u64,
    decide: impl AsyncFn(Batch) -> Result<u64, StoreError>,
) -> Result<u64> {
    let goal = found.min(selection.limit);
    let every_ms = i64::try_from(selection.every).unwrap_or(i64::MAX);
    let mut decided: u64 = 0;
    while decided < goal {
        let before = i64::try_from(decided).unwrap_or(i64::MAX);
        let limit = u32::try_from(goal - decided).unwrap_or(BATCH_LIMIT).min(BATCH_LIMIT);
        let batch = Batch { limit, first_in_ms: every_ms.saturating_mul(before), every_ms };
        let more = decide(batch).await?;
        if more == 0 {
            break;
        }
        decided += more;
        if goal > u64::from(BATCH_LIMIT) {
            output::progress(format!("{decided} of {goal} {noun}"));
        }
    }
    Ok(decided)
}

/// `left` is what the choice holds now.
fn told(noun: &str, selection: &Selection, decided: u64, left: u64, format: Format) -> Result<Ending> {
    let ending = Ending::when(selection.dry_run || left == 0);
    if format == Format::Json {
        output::json(&json!({ "dry_run": selection.dry_run, "decided": decided, "left": left }))?;
        return Ok(ending);
    }
    if selection.dry_run {
        let now = left.min(selection.limit);
        output::line(format!(
            "{left} {noun} are chosen, {now} of them by this command; nothing was changed"
        ))?;
        let spread_s = now.saturating_sub(1).saturating_mul(selection.every) / 1_000;
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
