//! `onceward destination`: what is paused, and letting it go on.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use anyhow::{Result, bail};
use serde_json::json;

/// Verbs of `destination`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Destinations, and which of them are paused.
    List,
    /// Let a paused destination go on.
    Resume {
        /// Its name.
        destination: String,
    },
}

pub(super) async fn destination(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List => {
            let paused = compose::read_only(config)?.destination_list(&config.namespace).await?;
            let cause = |name: &str| paused.iter().find(|status| status.destination == name);
            if format == Format::Json {
                let all = config
                    .destinations
                    .keys()
                    .map(|name| json!({ "destination": name, "paused": cause(name) }));
                output::json(&all.collect())?;
            } else {
                let rows: Vec<[String; 3]> = config
                    .destinations
                    .keys()
                    .map(|name| match cause(name) {
                        Some(status) => [
                            name.clone(),
                            format!("paused {}", output::time(status.paused_ms)),
                            status.cause.clone(),
                        ],
                        None => [name.clone(), "open".to_owned(), String::new()],
                    })
                    .collect();
                output::table(["DESTINATION", "STATE", "REMARK"], &rows)?;
            }
        }
        Verb::Resume { destination } => {
            if !config.destinations.contains_key(&destination) {
                bail!(
                    "resuming {destination:?}: no such destination is configured; see `onceward destination list`"
                );
            }
            let (store, _) = compose::owner(config)?;
            let resumed = store.destination_resume(&config.namespace, &destination).await?;
            output::line(if resumed {
                format!("{destination} goes on")
            } else {
                format!("{destination} was not paused")
            })?;
        }
    }
    Ok(Ending::Done)
}
