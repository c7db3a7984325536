//! `onceward step`: what each configured step promises and asks for, and what of it the operator grants.
//!
//! It loads the components as a run would, and refuses those that a run would refuse. The ledger, where there is one, is
//! read for pauses alone: nothing is recorded, and a host may own the file meanwhile.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::compose::steps::LoadedStep;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::pause;
use crate::contract::capability::Mode;
use crate::contract::response::Response;
use crate::contract::window::Window;
use crate::identity::work_id::Identity;
use crate::runtime::loader::Loader;
use crate::store::pause::{Pause, PauseScope};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Verbs of `step`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Every configured step.
    List,
    /// One step, whole.
    Show {
        /// Its name.
        name: String,
    },
}

pub(super) async fn step(config: &Config, verb: &Verb, format: Format) -> Result<Ending> {
    let loader = Loader::new(&compose::steps::engine_settings(config))?;
    let loaded = compose::steps::load(config, &loader).await?;
    let paused = match compose::read_only_where_it_is(config)? {
        Some(store) => store.pause_list(&config.namespace).await?,
        None => Vec::new(),
    };
    match verb {
        Verb::List => list(config, &loaded, &paused, format)?,
        Verb::Show { name } => {
            let Some(step) = loaded.get(name) else {
                bail!("showing the step {name:?}: no such step is configured; see `onceward step list`");
            };
            show(config, step, stopping(&paused, name), format)?;
        }
    }
    Ok(Ending::Done)
}

fn stopping<'a>(paused: &'a [Pause], name: &str) -> Option<&'a Pause> {
    pause::stopping(paused, &PauseScope::Step(name.to_owned()))
}

fn list(
    config: &Config,
    steps: &BTreeMap<String, LoadedStep<'_>>,
    paused: &[Pause],
    format: Format,
) -> Result<()> {
    if format == Format::Json {
        let all = steps.iter().map(|(name, step)| document(config, step, stopping(paused, name)));
        return output::json(&all.collect::<Result<_>>()?);
    }
    if steps.is_empty() {
        return output::line("no step is configured; add a [[step]] with its plugin");
    }
    let rows: Vec<[String; 8]> = steps
        .iter()
        .map(|(name, step)| {
            let contract = step.contract();
            [
                format!("{name}:v{}", contract.version),
                identity_words(&contract.identity),
                window_words(&step.window),
                response_words(step.response).to_owned(),
                mode_words(contract.mode).to_owned(),
                or_nothing(asked(step)),
                or_nothing(missing(step)),
                if stopping(paused, name).is_some() { "paused" } else { "open" }.to_owned(),
            ]
        })
        .collect();
    output::table(["STEP", "IDENTITY", "WINDOW", "RESPONSE", "MODE", "ASKS FOR", "MISSING", "STATE"], &rows)
}

fn show(config: &Config, step: &LoadedStep<'_>, stopping: Option<&Pause>, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&document(config, step, stopping)?);
    }
    let contract = step.contract();
    let state = match stopping {
        Some(stopping) => format!(
            "paused {}, {}: {}",
            output::time(stopping.paused_ms),
            pause::words(&stopping.scope),
            stopping.cause
        ),
        None => "open".to_owned(),
    };
    for (what, said) in [
        ("step", contract.name.clone()),
        ("version", contract.version.to_string()),
        ("plugin", config.resolve(&step.configured.plugin).display().to_string()),
        ("identity", identity_words(&contract.identity)),
        ("window", tightened(window_words(&contract.window), window_words(&step.window))),
        (
            "response",
            tightened(response_words(contract.response).to_owned(), response_words(step.response).to_owned()),
        ),
        ("mode", mode_words(contract.mode).to_owned()),
        ("asks for", or_nothing(asked(step))),
        ("granted", or_nothing(granted(step))),
        ("missing", or_nothing(missing(step))),
        ("state", state),
    ] {
        output::line(format!("{what:<10}{said}"))?;
    }
    if !missing(step).is_empty() {
        output::line(format!(
            "works of this step that want what is missing go to review; grant it in the [[step]] of {}",
            step.configured.plugin.display()
        ))?;
    }
    Ok(())
}

/// What is said of a step to programs. The grants are the operator's, whether or not the step asks for them.
fn document(config: &Config, step: &LoadedStep<'_>, stopping: Option<&Pause>) -> Result<Value> {
    let contract = step.contract();
    Ok(json!({
        "step": contract.name,
        "version": contract.version,
        "plugin": config.resolve(&step.configured.plugin),
        "identity": contract.identity,
        "window": step.window,
        "response": step.response,
        "mode": contract.mode,
        "asks": { "destinations": contract.destinations, "models": contract.models },
        "granted": { "destinations": step.configured.destinations, "models": step.configured.models },
        "missing": { "destinations": step.missing_destinations(), "models": step.missing_models() },
        "paused": stopping.map(serde_json::to_value).transpose()?,
    }))
}

fn asked(step: &LoadedStep<'_>) -> Vec<String> {
    let contract = step.contract();
    let destinations = contract
        .destinations
        .iter()
        .map(|wanted| format!("destination {} (weakest tier: {})", wanted.name, wanted.weakest.word()));
    destinations.chain(contract.models.iter().map(|name| format!("model {name}"))).collect()
}

/// What it may reach, and what it is granted without asking, which changes nothing.
fn granted(step: &LoadedStep<'_>) -> Vec<String> {
    let contract = step.contract();
    let asked: BTreeSet<&String> = contract.destinations.iter().map(|wanted| &wanted.name).collect();
    let words = |what: &str, name: &String, asks: bool| {
        format!("{what} {name}{}", if asks { "" } else { " (not asked for)" })
    };
    let destinations =
        step.configured.destinations.iter().map(|name| words("destination", name, asked.contains(name)));
    let models =
        step.configured.models.iter().map(|name| words("model", name, contract.models.contains(name)));
    destinations.chain(models).collect()
}

fn missing(step: &LoadedStep<'_>) -> Vec<String> {
    let destinations = step.missing_destinations().into_iter().map(|name| format!("destination {name}"));
    destinations.chain(step.missing_models().into_iter().map(|name| format!("model {name}"))).collect()
}

fn or_nothing(words: Vec<String>) -> String {
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}

/// What holds, and beside it what the contract says where the operator tightened it.
fn tightened(contract: String, holds: String) -> String {
    if contract == holds { contract } else { format!("{holds} (the contract says: {contract})") }
}

fn identity_words(identity: &Identity) -> String {
    match identity {
        Identity::EventKey => "event key".to_owned(),
        Identity::BusinessKey(fields) => format!("business key {}", fields.join(" ")),
        Identity::Content => "content".to_owned(),
    }
}

fn window_words(window: &Window) -> String {
    match window {
        Window::ForEver => "for ever".to_owned(),
        Window::Duration(seconds) => format!("{seconds} s"),
        Window::UntilMarker(marker) => format!("until the marker {marker:?}"),
    }
}

const fn response_words(response: Response) -> &'static str {
    match response {
        Response::Original => "original",
        Response::Acknowledgement => "acknowledgement",
        Response::Error => "error",
    }
}

const fn mode_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Recorded => "recorded",
        Mode::ReadOnly => "read-only",
    }
}
