//! `onceward destination`: what is configured, and what of it is paused.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::{Config, DestinationConfig};
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::pause;
use crate::store::pause::PauseScope;
use anyhow::Result;
use serde_json::json;
use std::collections::BTreeMap;

/// Verbs of `destination`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Destinations, what they promise, and which of them are paused.
    List,
}

pub(super) async fn destination(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    let Verb::List = verb;
    let store = compose::read_only(config)?;
    let paused = store.pause_list(&config.namespace).await?;
    let paces = store.destination_pace_list(&config.namespace).await?;
    let paces: BTreeMap<_, _> = paces.iter().map(|pace| (&pace.destination, pace)).collect();
    let mut waits = BTreeMap::new();
    for name in config.destinations.keys() {
        let due = store.outbox_next_due(&config.namespace, name).await?;
        if let Some(due) = due.filter(|due| due.at_ms > due.row_ms) {
            waits.insert(name, due.at_ms);
        }
    }
    if format == Format::Json {
        let all = config.destinations.iter().map(|(name, destination)| {
            let DestinationConfig::Http(http) = destination;
            json!({
                "destination": name,
                "tier": http.tier,
                "paused": pause::stopping(&paused, &PauseScope::Destination(name.clone())),
                "waits_until_ms": waits.get(name),
                "failures": paces.get(name).map_or(0, |pace| pace.failures),
                "rests_until_ms": paces.get(name).and_then(|pace| pace.rests_until_ms),
            })
        });
        output::json(&all.collect())?;
        return Ok(Ending::Done);
    }
    let rows: Vec<[String; 4]> = config
        .destinations
        .iter()
        .map(|(name, destination)| {
            let DestinationConfig::Http(http) = destination;
            let stopping = pause::stopping(&paused, &PauseScope::Destination(name.clone()));
            let (state, remark) = match stopping {
                Some(stopping) => (
                    format!("paused {}", output::time(stopping.paused_ms)),
                    format!("{}: {}", pause::words(&stopping.scope), stopping.cause),
                ),
                None => {
                    let (state, why) = match paces.get(name) {
                        Some(pace) if pace.rests_until_ms.is_some() => {
                            ("resting", format!("after {} failures in a row", pace.failures))
                        }
                        _ => ("open", "as its rate or its last answer wants".to_owned()),
                    };
                    let until =
                        waits.get(name).map(|ms| format!("rows wait until {}, {why}", output::time(*ms)));
                    (state.to_owned(), until.unwrap_or_default())
                }
            };
            [name.clone(), http.tier.word().to_owned(), state, output::cut(&remark)]
        })
        .collect();
    output::table(["DESTINATION", "TIER", "STATE", "REMARK"], &rows)?;
    Ok(Ending::Done)
}
