//! `onceward retain` and `onceward marker`: what is forgotten, and what ends windows that no clock ends.

use crate::api::markers::{MarkerList, SetMarker};
use crate::api::retention::{Forgotten, RetentionRequest};
use crate::cli::Ending;
use crate::cli::client::{Answer, Client};
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::retention::Marker;
use anyhow::Result;

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
    let &Args { dry_run, limit } = args;
    // Whoever only looks needs not own the ledger.
    let client = if dry_run { Client::reading(config).await? } else { Client::acting(config).await? };
    let asked = RetentionRequest { dry_run, limit };
    print(&client.post(&["v1", "retention", "run"], &asked).await?, format)?;
    Ok(Ending::Done)
}

fn print(answer: &Answer, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&answer.body);
    }
    let Forgotten { dry_run, events, decisions, kept } = answer.read()?;
    let verb = if dry_run { "would be forgotten" } else { "forgotten" };
    output::line(format!("{events} events with all that came of them {verb}"))?;
    if decisions > 0 {
        output::line(format!("{decisions} decisions that no work refers to {verb}"))?;
    }
    for kept in &kept {
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
            let (by, why) = by.words()?;
            let asked = SetMarker { name, by: Some(by), why };
            let answer = Client::acting(config).await?.post(&["v1", "markers"], &asked).await?;
            if format == Format::Json {
                output::json(&answer.body)?;
            } else {
                let marker: Marker = answer.read()?;
                output::line(format!("{} is set at {}", marker.name, output::time(marker.set_ms)))?;
                output::line("  forget what it ends with `onceward retain`")?;
            }
        }
        Verb::List => {
            let answer = Client::reading(config).await?.get(&["v1", "markers"], &[]).await?;
            let MarkerList { markers } = answer.read()?;
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
