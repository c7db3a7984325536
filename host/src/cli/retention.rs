//! `onceward retain` and `onceward marker`: what is forgotten, and what ends windows that no clock ends.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::clock::Clock as _;
use crate::clock::SystemClock;
use crate::contract::step::REFERENCE_LIMIT_BYTES;
use crate::dispatch::retention::{Retention, RetentionReport};
use crate::store::retention::Marker;
use anyhow::{Result, bail};
use serde_json::json;

/// Arguments of `retain`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Say what would be forgotten, and forget nothing.
    #[arg(long)]
    dry_run: bool,
    /// Forget at most so many events with all that came of them.
    #[arg(long, value_name = "EVENTS")]
    limit: Option<u64>,
}

/// Verbs of `marker`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Set a marker: windows that last until it end for everything that has ended before.
    Set {
        /// Its name, as contracts and `window` name it.
        name: String,
        #[command(flatten)]
        by: By,
    },
    /// Markers, and when they were last set.
    List,
}

pub(super) async fn retain(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    let duty = |store| {
        Retention::new(store, config.namespace.clone(), config.retention.decisions_max_age_ms())
            .limit(args.limit.unwrap_or(u64::MAX))
    };
    let report = if args.dry_run {
        duty(compose::read_only(config)?).look(SystemClock.now_ms()).await?
    } else {
        duty(compose::owner(config)?.0).run_once().await?
    };
    print(&report, args.dry_run, format)?;
    Ok(Ending::Done)
}

fn print(report: &RetentionReport, dry_run: bool, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&json!({
            "dry_run": dry_run,
            "events": report.families,
            "decisions": report.decisions,
            "kept": report.kept,
        }));
    }
    let verb = if dry_run { "would be forgotten" } else { "forgotten" };
    output::line(format!("{} events with all that came of them {verb}", report.families))?;
    if report.decisions > 0 {
        output::line(format!("{} decisions that no work refers to {verb}", report.decisions))?;
    }
    for kept in &report.kept {
        let until = match &kept.marker {
            None => format!("until their windows end, none before {}", output::time(kept.next_ms)),
            Some(marker) => format!(
                "until the marker {marker:?} is set after they have ended (`onceward marker set {marker} --by NAME --why REASON`)"
            ),
        };
        output::line(format!("{} are kept {until}", kept.families))?;
    }
    Ok(())
}

pub(super) async fn marker(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::Set { name, by } => {
            if name.trim().is_empty() || name.len() > REFERENCE_LIMIT_BYTES {
                bail!(
                    "setting a marker: its name has 1 to {REFERENCE_LIMIT_BYTES} bytes; take the one that the step's window names"
                );
            }
            let marker = compose::owner(config)?.0.marker_set(&config.namespace, &name, by.actor()?).await?;
            if format == Format::Json {
                output::json(&serde_json::to_value(&marker)?)?;
            } else {
                output::line(format!("{} is set at {}", marker.name, output::time(marker.set_ms)))?;
                output::line("  forget what it ends with `onceward retain`")?;
            }
        }
        Verb::List => {
            let markers = compose::read_only(config)?.marker_list(&config.namespace).await?;
            if format == Format::Json {
                output::json(&serde_json::to_value(&markers)?)?;
            } else {
                let row = |marker: Marker| [marker.name, output::time(marker.set_ms), marker.set_by];
                let rows: Vec<[String; 3]> = markers.into_iter().map(row).collect();
                output::table(["MARKER", "SET", "BY"], &rows)?;
            }
        }
    }
    Ok(Ending::Done)
}
