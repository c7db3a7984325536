//! From arguments and configuration to what is verified.

use crate::cli::compiled;
use crate::cli::compose;
use crate::cli::compose::steps;
use crate::cli::config::Config;
use crate::cli::config::DestinationConfig;
use crate::cli::config::ProgressConfig;
use crate::cli::input;
use crate::cli::verify::Args;
use crate::clock::sim::START_MS;
use crate::contract::capability::Mode;
use crate::dispatch::retry::RetryPolicy;
use crate::identity::event::{EVENT_LIMIT_BYTES, Event};
use crate::runtime::limits::Limits;
use crate::runtime::loader::Loader;
use crate::runtime::registry::EngineSettings;
use crate::verify::subject::{Subject, SubjectDestination, SubjectEvent, SubjectStep};
use crate::verify::tamper::Untampered;
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Instances for each run at once: two hosts can be alive, and one of them may be on its way out.
const INSTANCES_PER_WORKER: u32 = 4;

/// Answers by hand at most, in bytes.
const ANSWERS_LIMIT_BYTES: u64 = 1024 * 1024;

pub(super) async fn subject(config: Option<&Config>, args: &Args, workers: usize) -> Result<Arc<Subject>> {
    let instances_max = u32::try_from(workers).unwrap_or(u32::MAX).saturating_mul(INSTANCES_PER_WORKER);
    let mut subject = match (config, &args.step) {
        (Some(config), _) => of_flow(config, instances_max).await?,
        (None, Some(step)) => of_step(step, limits(&args.limits)?, instances_max).await?,
        (None, None) => bail!("verifying: name a step's component, or say --flow"),
    };
    for (name, tier) in &args.destinations {
        let destination = known(&mut subject, name)?;
        (destination.declared, destination.really) = (*tier, *tier);
    }
    for (name, tier) in &args.really {
        known(&mut subject, name)?.really = *tier;
    }
    let mut events = args.events.iter().map(|path| event(path)).collect::<Result<Vec<_>>>()?;
    if let Some(first) = events.first_mut() {
        first.again = args.again.iter().map(|path| Ok(event(path)?.event)).collect::<Result<_>>()?;
    }
    subject.events = events;
    subject.unfinished = args.unfinished;
    if let Some(path) = &args.answers {
        subject.answers = answers(path)?;
    }
    Ok(Arc::new(subject))
}

/// A step on one event, for one run.
pub(in crate::cli) async fn of_event(step: &Path, at: &Path, by_hand: Option<&Path>) -> Result<Arc<Subject>> {
    let mut subject = of_step(step, Limits::default(), INSTANCES_PER_WORKER).await?;
    subject.events = vec![event(at)?];
    if let Some(path) = by_hand {
        subject.answers = answers(path)?;
    }
    Ok(Arc::new(subject))
}

/// One step, without a configuration. Each destination is what the step asks for at least.
async fn of_step(path: &Path, limits: Limits, instances_max: u32) -> Result<Subject> {
    let settings =
        EngineSettings { cache_dir: compiled::cache_dir(), instances_max, memory_bytes: limits.memory_bytes };
    let loader = Arc::new(Loader::new(&settings)?);
    let bytes = std::fs::read(path).with_context(|| {
        format!("verifying {}: the file can't be read; build the step first", path.display())
    })?;
    let plugin = loader.load(&bytes, &limits).await;
    let plugin = plugin.with_context(|| format!("verifying {}: it is no step", path.display()))?;
    if plugin.contract().mode == Mode::ReadOnly {
        bail!(
            "verifying {}: the step is read-only by its contract: nothing of its runs is kept, so that no fault can leave anything behind",
            path.display()
        );
    }
    let asked = plugin.contract().destinations.iter();
    let destinations =
        asked.map(|wanted| (wanted.name.clone(), SubjectDestination::honest(wanted.weakest))).collect();
    let step = SubjectStep { plugin, limits, retry: RetryPolicy::default(), holds: BTreeSet::new() };
    let stages = ProgressConfig::default().stages;
    Ok(new(loader, vec![step], Vec::new(), stages, destinations))
}

/// The configured flow.
async fn of_flow(config: &Config, instances_max: u32) -> Result<Subject> {
    let settings = EngineSettings { instances_max, ..steps::engine_settings(config) };
    let loader = Arc::new(Loader::new(&settings)?);
    let loaded = steps::load(config, &loader).await?;
    if config.flow.is_empty() && loaded.len() != 1 {
        bail!("verifying the flow: the configuration names none; set `flow`, or name a step's component");
    }
    compose::refuse_flow(config, &loaded).context("verifying the flow")?;
    if loaded.values().all(|step| step.contract().mode == Mode::ReadOnly) {
        bail!(
            "verifying the flow: its step is read-only by its contract: nothing of its runs is kept, so that no fault can leave anything behind"
        );
    }
    let recorded = loaded.into_values().filter(|step| step.contract().mode == Mode::Recorded);
    let steps = recorded.map(|step| SubjectStep {
        limits: step.configured.limits.clone(),
        retry: step.configured.retry.clone(),
        holds: step.held_decisions(),
        plugin: step.plugin,
    });
    let steps = steps.collect();
    let destinations = config.destinations.iter().map(|(name, destination)| {
        let DestinationConfig::Http(http) = destination;
        let mut simulated = SubjectDestination::honest(http.tier);
        simulated.envelope.reference.clone_from(&http.reference);
        simulated.terms = compose::row_terms(config, name)?;
        Ok((name.clone(), simulated))
    });
    let destinations = destinations.collect::<Result<_>>()?;
    let flow = new(loader, steps, config.flow.clone(), config.progress.stages.clone(), destinations);
    let alerts = config.alerts.as_ref().map(|alerts| alerts.destination.clone());
    Ok(Subject { mirror: compose::mirror(config)?, alerts, ..flow })
}

fn new(
    loader: Arc<Loader>,
    steps: Vec<SubjectStep>,
    flow: Vec<String>,
    stages: Vec<String>,
    destinations: BTreeMap<String, SubjectDestination>,
) -> Subject {
    Subject {
        loader,
        steps,
        flow,
        stages,
        destinations,
        mirror: None,
        alerts: None,
        events: Vec::new(),
        answers: BTreeMap::new(),
        unfinished: false,
        tamper: Arc::new(Untampered),
    }
}

fn known<'a>(subject: &'a mut Subject, name: &str) -> Result<&'a mut SubjectDestination> {
    let names = subject.destinations.keys().cloned().collect::<Vec<_>>().join(", ");
    let Some(destination) = subject.destinations.get_mut(name) else {
        bail!("verifying: there is no destination {name:?} here; there are: {names}");
    };
    Ok(destination)
}

fn event(path: &Path) -> Result<SubjectEvent> {
    let (name, bytes) = input::bytes("the event", path, EVENT_LIMIT_BYTES as u64 + 1)?;
    let mut event = Event::parse(&bytes).with_context(|| format!("reading the event from {name}"))?;
    // An event without a time happens when it arrives, which is later where something has failed before.
    event.occurred_at_ms.get_or_insert(START_MS);
    Ok(SubjectEvent { event, again: Vec::new() })
}

/// The default limits, but for those that are given.
fn limits(given: &[(String, u64)]) -> Result<Limits> {
    let table: toml::Table = given
        .iter()
        .map(|(name, value)| Ok((name.clone(), i64::try_from(*value)?.into())))
        .collect::<Result<_>>()?;
    table.try_into().context("verifying: --limit can't be used")
}

fn answers(path: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let text = input::text("the answers", path, ANSWERS_LIMIT_BYTES)?;
    let read: BTreeMap<String, Vec<serde_json::Value>> = serde_json::from_str(&text).with_context(|| {
        format!(
            "reading the answers from {}: they are no JSON object of model names and lists of answers",
            path.display()
        )
    })?;
    let texts = |answers: Vec<serde_json::Value>| answers.iter().map(ToString::to_string).collect();
    Ok(read.into_iter().map(|(model, answers)| (model, texts(answers))).collect())
}
