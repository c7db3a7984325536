//! `onceward step`: what each configured step promises and asks for, and what of it the operator grants.
//!
//! A running host says what it has loaded. Where none runs, the components are loaded as a run would, and those are refused
//! that a run would refuse. The ledger, where there is one, is read for pauses alone: nothing is recorded.

use crate::api::steps_list::{Asks, Reach, StepInfo, StepList};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::contract::capability::Mode;
use crate::contract::response::Response;
use crate::contract::window::Window;
use crate::identity::work_id::Identity;
use crate::runtime::imports::Imports;
use crate::runtime::loader::Loader;
use anyhow::{Result, anyhow};
use std::collections::BTreeSet;

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
    let client = Client::of_host(config).await?;
    match verb {
        Verb::List => list(&all(config, client.as_ref()).await?, format)?,
        Verb::Show { name } => show(&one(config, client.as_ref(), name).await?, format)?,
    }
    Ok(Ending::Done)
}

async fn all(config: &Config, host: Option<&Client>) -> Result<Vec<StepInfo>> {
    match host {
        Some(host) => Ok(host.get(&["v1", "steps"], &[]).await?.read::<StepList>()?.steps),
        None => load(config).await,
    }
}

async fn one(config: &Config, host: Option<&Client>, name: &str) -> Result<StepInfo> {
    if let Some(host) = host {
        return host.get(&["v1", "steps", name], &[]).await?.read();
    }
    load(config).await?.into_iter().find(|step| step.step == name).ok_or_else(|| {
        anyhow!("showing the step {name:?}: no such step is configured; see `onceward step list`")
    })
}

/// What a host would answer that ran on this configuration.
async fn load(config: &Config) -> Result<Vec<StepInfo>> {
    let loader = Loader::new(&compose::steps::engine_settings(config))?;
    let loaded = compose::steps::load(config, &loader).await?;
    let paused = match compose::read_only_where_it_is(config)? {
        Some(store) => store.pause_list(&config.namespace).await?,
        None => Vec::new(),
    };
    let infos = compose::steps::infos(config, &loaded).into_iter();
    Ok(infos.map(|step| step.stopped_by(&paused)).collect())
}

fn list(steps: &[StepInfo], format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(steps)?);
    }
    if steps.is_empty() {
        return output::line("no step is configured; add a [[step]] with its plugin");
    }
    let rows: Vec<[String; 8]> = steps
        .iter()
        .map(|step| {
            [
                format!("{}:v{}", step.step, step.version),
                identity_words(&step.identity),
                window_words(&step.window),
                response_words(step.response).to_owned(),
                mode_words(step.mode).to_owned(),
                or_nothing(asked(step)),
                or_nothing(missing(step)),
                if step.paused.is_some() { "paused" } else { "open" }.to_owned(),
            ]
        })
        .collect();
    output::table(["STEP", "IDENTITY", "WINDOW", "RESPONSE", "MODE", "ASKS FOR", "MISSING", "STATE"], &rows)
}

fn show(step: &StepInfo, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(step)?);
    }
    let state = match &step.paused {
        Some(stopping) => format!(
            "paused {}, {}: {}",
            output::time(stopping.paused_ms),
            stopping.scope.words(),
            stopping.cause
        ),
        None => "open".to_owned(),
    };
    for (what, said) in [
        ("step", step.step.clone()),
        ("version", step.version.to_string()),
        ("plugin", step.plugin.clone()),
        ("identity", identity_words(&step.identity)),
        ("window", tightened(window_words(&step.contract.window), window_words(&step.window))),
        (
            "response",
            tightened(
                response_words(step.contract.response).to_owned(),
                response_words(step.response).to_owned(),
            ),
        ),
        ("mode", mode_words(step.mode).to_owned()),
        ("asks for", or_nothing(asked(step))),
        ("granted", or_nothing(granted(step))),
        ("missing", or_nothing(missing(step))),
        ("imports", or_nothing(imported(&step.imports.primitives))),
        ("wasi", or_nothing(imported(&step.imports.answered))),
        ("traps", or_nothing(imported(&step.imports.absent))),
        ("state", state),
    ] {
        output::line(format!("{what:<10}{said}"))?;
    }
    if !missing(step).is_empty() {
        output::line(format!(
            "works of this step that want what is missing go to review; grant it in the [[step]] of {}",
            step.plugin
        ))?;
    }
    Ok(())
}

fn asked(step: &StepInfo) -> Vec<String> {
    let Asks { destinations, models } = &step.asks;
    let destinations = destinations
        .iter()
        .map(|wanted| format!("destination {} (weakest tier: {})", wanted.name, wanted.weakest.word()));
    destinations.chain(models.iter().map(|name| format!("model {name}"))).collect()
}

/// What it may reach, and what it is granted without asking, which changes nothing.
fn granted(step: &StepInfo) -> Vec<String> {
    let asked: BTreeSet<&String> = step.asks.destinations.iter().map(|wanted| &wanted.name).collect();
    let words = |what: &str, name: &String, asks: bool| {
        format!("{what} {name}{}", if asks { "" } else { " (not asked for)" })
    };
    let Reach { destinations, models } = &step.granted;
    let destinations = destinations.iter().map(|name| words("destination", name, asked.contains(name)));
    let models = models.iter().map(|name| words("model", name, step.asks.models.contains(name)));
    destinations.chain(models).collect()
}

fn missing(step: &StepInfo) -> Vec<String> {
    let Reach { destinations, models } = &step.missing;
    let destinations = destinations.iter().map(|name| format!("destination {name}"));
    destinations.chain(models.iter().map(|name| format!("model {name}"))).collect()
}

/// Interfaces by the names that people use for them.
pub(super) fn imported(interfaces: &[String]) -> Vec<String> {
    Imports::short(interfaces).into_iter().map(str::to_owned).collect()
}

fn or_nothing(words: Vec<String>) -> String {
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}

/// What holds, and beside it what the contract says where the operator tightened it.
fn tightened(contract: String, holds: String) -> String {
    if contract == holds { contract } else { format!("{holds} (the contract says: {contract})") }
}

pub(super) fn identity_words(identity: &Identity) -> String {
    match identity {
        Identity::EventKey => "event key".to_owned(),
        Identity::BusinessKey(fields) => format!("business key {}", fields.join(" ")),
        Identity::Content => "content".to_owned(),
    }
}

pub(super) fn window_words(window: &Window) -> String {
    match window {
        Window::ForEver => "for ever".to_owned(),
        Window::Duration(seconds) => format!("{seconds} s"),
        Window::UntilMarker(marker) => format!("until the marker {marker:?}"),
    }
}

pub(super) const fn response_words(response: Response) -> &'static str {
    match response {
        Response::Original => "original",
        Response::Acknowledgement => "acknowledgement",
        Response::Error => "error",
    }
}

pub(super) const fn mode_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Recorded => "recorded",
        Mode::ReadOnly => "read-only",
    }
}
