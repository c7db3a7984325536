//! `onceward destination`: what is configured, and what of it is paused.

use crate::api::destinations::{DestinationList, DestinationStanding};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::standing;
use crate::store::outbox::RowState;
use anyhow::Result;

/// Verbs of `destination`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Destinations, what they promise, and which of them are paused.
    List,
}

pub(super) async fn destination(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    let Verb::List = verb;
    let answer = Client::reading(config).await?.get(&["v1", "destinations"], &[]).await?;
    let DestinationList { destinations, unconfigured } = answer.read()?;
    if format == Format::Json {
        output::json(&serde_json::to_value(&destinations)?)?;
        return Ok(Ending::Done);
    }
    let rows: Vec<[String; 5]> = destinations.iter().map(line).collect();
    output::table(["DESTINATION", "TIER", "STATE", "ROWS", "REMARK"], &rows)?;
    standing::print_unconfigured(&unconfigured)?;
    Ok(Ending::Done)
}

fn line(standing: &DestinationStanding) -> [String; 5] {
    let (state, why) = match standing.rests_until_ms {
        Some(_) => ("resting", format!("after {} failures in a row", standing.failures)),
        None => ("open", "as its rate or its last answer wants".to_owned()),
    };
    let waits = standing.waits_until_ms.map(|ms| format!("rows wait until {}, {why}", output::time(ms)));
    let (state, remark) = match &standing.paused {
        Some(stopping) => (
            format!("paused {}", output::time(stopping.paused_ms)),
            format!("{}: {}", stopping.scope.words(), stopping.cause),
        ),
        None => (state.to_owned(), waits.unwrap_or_default()),
    };
    let rows = RowState::ALL.into_iter().filter_map(|state| {
        let number = standing.rows.get(&state)?;
        Some(format!("{number} {}", state.word()))
    });
    let rows = rows.collect::<Vec<_>>().join(", ");
    [standing.destination.clone(), standing.tier.word().to_owned(), state, rows, output::cut(&remark)]
}
