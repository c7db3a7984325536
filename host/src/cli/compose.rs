//! From the configuration to a host: the one place where all parts are put together.

pub mod service;
pub mod sources;
pub mod steps;

use crate::cli::compose::steps::LoadedStep;
use crate::cli::config::{Config, DestinationConfig, HttpConfig, MirrorConfig, ModelConfig, SameTextConfig};
use crate::clock::Clock;
use crate::clock::SystemClock;
use crate::connectors::Secret;
use crate::connectors::envelope::Envelope;
use crate::connectors::http::HttpConnector;
use crate::contract::capability::Mode;
use crate::dispatch::mirror::Mirror;
use crate::dispatch::outbox::Deliverer;
use crate::dispatch::setup::DestinationSetup;
use crate::dispatch::step::Dispatcher;
use crate::models::Model;
use crate::models::http::{HttpModel, HttpModelSettings};
use crate::models::scripted::{Scripted, ScriptedOptions};
use crate::runtime::decide::{DecisionDesk, ModelSetup};
use crate::runtime::job::RowTerms;
use crate::runtime::registry::Runtime;
use crate::store::Store;
use crate::store::sqlite::{SqliteSettings, SqliteStore};
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How much longer than its longest request a sender's lease is, in milliseconds: recording the answer takes time too.
const SENDER_MARGIN_MS: u64 = 30_000;

/// A host, ready to run steps and to deliver.
pub struct Host {
    /// Runs steps.
    pub dispatcher: Dispatcher,
    /// Delivers rows.
    pub deliverer: Deliverer,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// The ledger's settings.
#[must_use]
pub fn store_settings(config: &Config) -> SqliteSettings {
    SqliteSettings { path: config.resolve(&config.store.path), max_bytes: config.store.max_bytes }
}

/// Open the ledger for reading alone.
pub fn read_only(config: &Config) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(SqliteStore::open_read_only(&store_settings(config))?))
}

/// Open the ledger for reading alone, where there is one yet.
pub fn read_only_where_it_is(config: &Config) -> Result<Option<Arc<dyn Store>>> {
    let path = config.resolve(&config.store.path);
    let exists = path
        .try_exists()
        .with_context(|| format!("looking for the ledger {}: check its folder", path.display()))?;
    exists.then(|| read_only(config)).transpose()
}

/// Open the ledger as its owner.
pub fn owner(config: &Config) -> Result<(Arc<dyn Store>, Arc<dyn Clock>)> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = SqliteStore::open(&store_settings(config), Arc::clone(&clock))?;
    Ok((Arc::new(store), clock))
}

/// Put the whole host together.
pub async fn host(config: &Config) -> Result<Host> {
    let (store, clock) = owner(config)?;
    let runtime = runtime(config, &store, &clock)?;
    let loaded = steps::load(config, runtime.loader()).await?;
    let dispatcher = dispatcher(config, loaded, &runtime, &store, &clock).await?;
    let deliverer = deliverer(config, store, &clock)?;
    Ok(Host { dispatcher, deliverer, clock })
}

/// The sandbox, and the desk for decisions.
pub fn runtime(config: &Config, store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Result<Arc<Runtime>> {
    let models = models(config, clock)?;
    let desk = Arc::new(DecisionDesk::new(Arc::clone(store), Arc::clone(clock), models));
    let runtime = Runtime::new(&steps::engine_settings(config), desk)?;
    Ok(Arc::new(runtime.queue(config.runtime.queue)))
}

/// What runs these steps of the configuration's namespace.
pub async fn dispatcher(
    config: &Config,
    loaded: BTreeMap<String, LoadedStep<'_>>,
    runtime: &Arc<Runtime>,
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
) -> Result<Dispatcher> {
    refuse_flow(config, &loaded)?;
    let steps = steps::set_up(config, loaded, runtime, &**store).await?;
    sources::refuse_without_step(config, &steps)?;
    let dispatcher = Dispatcher::new(
        Arc::clone(store),
        Arc::clone(runtime),
        Arc::clone(clock),
        config.namespace.clone(),
        steps,
        config.flow.clone(),
        config.progress.stages.clone().into(),
    );
    Ok(dispatcher.mirror(mirror(config)?))
}

/// Put together what delivers, without loading a step.
pub fn deliverer(config: &Config, store: Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Result<Deliverer> {
    let destinations = config
        .destinations
        .iter()
        .map(|(name, destination)| {
            let DestinationConfig::Http(http) = destination;
            http_destination(config, name, http, clock)
                .map(Arc::new)
                .with_context(|| format!("setting up the destination {name:?}"))
        })
        .collect::<Result<Vec<_>>>()?;
    let alerts = config.alerts.as_ref().map(|alerts| alerts.destination.clone());
    Ok(Deliverer::new(store, Arc::clone(clock), config.namespace.clone(), destinations).alerts(alerts))
}

fn http_destination(
    config: &Config,
    name: &str,
    http: &HttpConfig,
    clock: &Arc<dyn Clock>,
) -> Result<DestinationSetup> {
    let mut settings = http.settings();
    let mut envelope = Envelope::new(&http.url);
    if let Some(secret) = &http.authorization {
        settings.accounts =
            HashMap::from([(name.to_owned(), Secret::new(secret.read("authorization", config)?))]);
        envelope.account = Some(name.to_owned());
    }
    if let Some(header) = &http.key_header {
        envelope.key_header.clone_from(header);
    }
    envelope.method = http.method;
    envelope.reference.clone_from(&http.reference);
    envelope.fingerprint.clone_from(&http.fingerprint);
    envelope.look_up.clone_from(&http.look_up);
    envelope.success.clone_from(&http.success);
    envelope.conflict.clone_from(&http.conflict);
    envelope.in_progress.clone_from(&http.in_progress);
    envelope.unavailable_means_not_applied = http.unavailable_means_not_applied;
    Ok(DestinationSetup {
        name: name.to_owned(),
        envelope,
        tier: http.tier,
        retention_ms: http.retention_hours.saturating_mul(3_600_000),
        settling_ms: http.settling_ms,
        retry: http.retry.clone(),
        lease_ms: http.lease_ms.unwrap_or_else(|| http.longest_ms().saturating_add(SENDER_MARGIN_MS)),
        concurrency: http.concurrency,
        rate: http.rate,
        breaker: Some(http.breaker).filter(|breaker| breaker.failures > 0),
        connector: Arc::new(HttpConnector::new(settings, Arc::clone(clock))?),
    })
}

fn models(config: &Config, clock: &Arc<dyn Clock>) -> Result<BTreeMap<String, ModelSetup>> {
    let mut models = BTreeMap::new();
    for (name, configured) in &config.models {
        let model =
            model(config, configured, clock).with_context(|| format!("setting up the model {name:?}"))?;
        models.insert(name.clone(), ModelSetup { model, patience: configured.patience() });
    }
    Ok(models)
}

fn model(config: &Config, configured: &ModelConfig, clock: &Arc<dyn Clock>) -> Result<Arc<dyn Model>> {
    match configured {
        ModelConfig::Scripted(scripted) => {
            let options = ScriptedOptions {
                call_log: scripted.call_log.as_ref().map(|path| config.resolve(path)),
                delay_ms: scripted.delay_ms,
                fail_first: scripted.fail_first,
            };
            Ok(Arc::new(Scripted::load(&config.resolve(&scripted.rules), &options)?))
        }
        ModelConfig::Openai(openai) => {
            let key = openai.api_key.as_ref().map(|key| key.read("api_key", config)).transpose()?;
            let settings = HttpModelSettings {
                base_url: openai.base_url.clone(),
                model: openai.model.clone(),
                authorization: key.map(|key| Secret::new(format!("Bearer {}", key.trim()))),
                connect_timeout_ms: openai.connect_timeout_ms,
                request_timeout_ms: openai.request_timeout_ms,
                max_tokens: openai.max_tokens,
                prices: openai.prices,
                allow_private_addresses: openai.allow_private_addresses,
            };
            Ok(Arc::new(HttpModel::new(settings, Arc::clone(clock))?))
        }
    }
}

/// Refuse a flow with a step that is not there, or that only reads: it records nothing, so that nothing can follow it and it
/// can follow nothing.
pub fn refuse_flow(config: &Config, loaded: &BTreeMap<String, LoadedStep<'_>>) -> Result<()> {
    for name in &config.flow {
        match loaded.get(name).map(|step| step.contract().mode) {
            Some(Mode::Recorded) => {}
            Some(Mode::ReadOnly) => bail!(
                "the flow names the step {name:?}, which is read-only: nothing of its runs is kept, so that nothing can follow it; take it out of the flow, and run it with `onceward run --step {name}`"
            ),
            None => bail!(
                "the flow names the step {name:?}, and the configured steps are: {}; add a [[step]] with its plugin",
                loaded.keys().cloned().collect::<Vec<_>>().join(", ")
            ),
        }
    }
    Ok(())
}

/// Where the stages of handoffs are told.
pub fn mirror(config: &Config) -> Result<Option<Mirror>> {
    let Some(MirrorConfig { destination }) = &config.progress.mirror else { return Ok(None) };
    Ok(Some(Mirror { destination: destination.clone(), terms: row_terms(config, destination)? }))
}

/// What holds for every row to a destination.
pub fn row_terms(config: &Config, name: &str) -> Result<RowTerms> {
    let Some(DestinationConfig::Http(http)) = config.destinations.get(name) else {
        return Ok(RowTerms::default());
    };
    let sameness = http.same_text.as_ref().map(SameTextConfig::rule).transpose()?;
    Ok(RowTerms { hold: http.hold, sameness })
}
