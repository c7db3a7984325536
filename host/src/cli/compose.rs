//! From the configuration to a host: the one place where all parts are put together.

use crate::cli::config::{
    Config, DestinationConfig, HttpConfig, MirrorConfig, ModelConfig, SameTextConfig, StepConfig,
};
use crate::clock::Clock;
use crate::clock::SystemClock;
use crate::connectors::Secret;
use crate::connectors::envelope::Envelope;
use crate::connectors::http::HttpConnector;
use crate::contract::capability::Mode;
use crate::contract::response::Response;
use crate::contract::step::StepContract;
use crate::contract::window::Window;
use crate::dispatch::mirror::Mirror;
use crate::dispatch::outbox::Deliverer;
use crate::dispatch::setup::{DestinationSetup, StepSetup};
use crate::dispatch::step::Dispatcher;
use crate::models::Model;
use crate::models::http::{HttpModel, HttpModelSettings};
use crate::models::scripted::{Scripted, ScriptedOptions};
use crate::runtime::decide::{DecisionDesk, ModelSetup};
use crate::runtime::job::{Grants, Holds, RowTerms};
use crate::runtime::registry::{EngineSettings, Runtime};
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

/// Open the ledger as its owner.
pub fn owner(config: &Config) -> Result<(Arc<dyn Store>, Arc<dyn Clock>)> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = SqliteStore::open(&store_settings(config), Arc::clone(&clock))?;
    Ok((Arc::new(store), clock))
}

/// Put the whole host together.
pub async fn host(config: &Config) -> Result<Host> {
    let (store, clock) = owner(config)?;
    let desk = Arc::new(DecisionDesk::new(Arc::clone(&store), Arc::clone(&clock), models(config, &clock)?));
    let largest = config.steps.iter().map(|step| step.limits.memory_bytes).max();
    let engine = EngineSettings {
        cache_dir: Some(config.resolve(&config.runtime.cache_dir)),
        instances_max: config.runtime.instances,
        memory_bytes: largest.unwrap_or_else(|| crate::runtime::limits::Limits::default().memory_bytes),
    };
    let runtime = Arc::new(Runtime::new(&engine, desk)?);
    let steps = steps(config, &runtime, &*store).await?;
    if let Some(missing) = config.flow.iter().find(|name| !steps.contains_key(*name)) {
        bail!(
            "the flow names the step {missing:?}, and the configured steps are: {}; add a [[step]] with its plugin",
            steps.keys().cloned().collect::<Vec<_>>().join(", ")
        );
    }
    refuse_read_only_flow(config, &steps)?;
    let dispatcher = Dispatcher::new(
        Arc::clone(&store),
        runtime,
        Arc::clone(&clock),
        config.namespace.clone(),
        steps,
        config.flow.clone(),
        config.progress.stages.clone().into(),
    )
    .mirror(mirror(config)?);
    let deliverer = deliverer(config, store, &clock)?;
    Ok(Host { dispatcher, deliverer, clock })
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

async fn steps(
    config: &Config,
    runtime: &Runtime,
    store: &dyn Store,
) -> Result<BTreeMap<String, Arc<StepSetup>>> {
    let mut steps = BTreeMap::new();
    for configured in &config.steps {
        let path = config.resolve(&configured.plugin);
        let setup = step(config, configured, runtime, store)
            .await
            .with_context(|| format!("loading the step {}", path.display()))?;
        let name = setup.contract().name.clone();
        if steps.insert(name.clone(), Arc::new(setup)).is_some() {
            bail!("two configured steps are named {name:?}; the last is {}", path.display());
        }
    }
    Ok(steps)
}

async fn step(
    config: &Config,
    configured: &StepConfig,
    runtime: &Runtime,
    store: &dyn Store,
) -> Result<StepSetup> {
    let path = config.resolve(&configured.plugin);
    let bytes =
        std::fs::read(&path).context("the file can't be read; build the step, or correct `plugin`")?;
    let plugin = runtime.load(&bytes, &configured.limits).await?;
    let contract = plugin.contract();
    let granted = Grants {
        destinations: configured
            .destinations
            .iter()
            .map(|name| Ok((name.clone(), row_terms(config, name)?)))
            .collect::<Result<_>>()?,
        models: configured.models.iter().cloned().collect(),
    };
    let destinations = contract.destinations.iter().map(|wanted| &wanted.name);
    let missing = destinations
        .filter(|name| !granted.destinations.contains_key(*name))
        .map(|name| ("destination", name));
    let models =
        contract.models.iter().filter(|name| !granted.models.contains(*name)).map(|name| ("model", name));
    for (what, name) in missing.chain(models) {
        tracing::warn!("the step {:?} asks for the {what} {name:?}, which it is not granted", contract.name);
    }
    refuse_weak_destinations(config, contract)?;
    let earlier = match contract.mode {
        Mode::Recorded => store.contract_register(&config.namespace, contract).await?,
        Mode::ReadOnly => Vec::new(),
    };
    let grants = Grants::both(contract, &granted);
    Ok(StepSetup {
        holds: Arc::new(Holds {
            slots: configured.hold_decisions.iter().cloned().collect(),
            expires_ms: configured.hold_expires_hours.map(|hours| hours.saturating_mul(3_600_000)),
        }),
        model_wait_ms: runtime.longest_model_wait_ms(&grants.models),
        grants: Arc::new(grants),
        limits: Arc::new(configured.limits.clone()),
        retry: configured.retry.clone(),
        window: tightened_window(&contract.window, configured.window.as_ref())?,
        response: tightened_response(contract.response, configured.response)?,
        earlier,
        lease_ms: configured.lease_ms,
        plugin,
    })
}

/// A step that only reads records nothing, so that nothing can follow it and it can follow nothing.
fn refuse_read_only_flow(config: &Config, steps: &BTreeMap<String, Arc<StepSetup>>) -> Result<()> {
    let reads =
        |name: &&String| steps.get(*name).is_some_and(|setup| setup.contract().mode == Mode::ReadOnly);
    if let Some(name) = config.flow.iter().find(reads) {
        bail!(
            "the flow names the step {name:?}, which is read-only: nothing of its runs is kept, so that nothing can follow it; take it out of the flow, and run it with `onceward run --step {name}`"
        );
    }
    Ok(())
}

/// Where the stages of handoffs are told.
fn mirror(config: &Config) -> Result<Option<Mirror>> {
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

/// A step that asks for a receiver that can tell a repeat is not run against one that can't.
fn refuse_weak_destinations(config: &Config, contract: &StepContract) -> Result<()> {
    for wanted in &contract.destinations {
        let Some(DestinationConfig::Http(http)) = config.destinations.get(&wanted.name) else { continue };
        if !http.tier.promises(wanted.weakest) {
            bail!(
                "the step {:?} asks that the destination {:?} be of tier {:?} or better, and it is configured as {:?}; name a receiver that promises as much, and do not claim a tier that it does not keep",
                contract.name,
                wanted.name,
                wanted.weakest.word(),
                http.tier.word()
            );
        }
    }
    Ok(())
}

/// The operator may remember keys for longer than the contract asks, never for shorter.
fn tightened_window(contract: &Window, configured: Option<&Window>) -> Result<Window> {
    match (contract, configured) {
        (window, None) | (_, Some(window @ Window::ForEver)) => Ok(window.clone()),
        (Window::Duration(least), Some(Window::Duration(wanted))) if wanted >= least => {
            Ok(Window::Duration(*wanted))
        }
        (contract, Some(wanted)) if contract == wanted => Ok(wanted.clone()),
        (contract, Some(wanted)) => bail!(
            "`window` would forget keys sooner than the contract allows ({wanted:?} instead of {contract:?}); take a longer one"
        ),
    }
}

/// The operator may give a duplicate less than the contract does, never more.
fn tightened_response(contract: Response, configured: Option<Response>) -> Result<Response> {
    let openness = |response| match response {
        Response::Original => 2,
        Response::Acknowledgement => 1,
        Response::Error => 0,
    };
    match configured {
        Some(wanted) if openness(wanted) > openness(contract) => {
            bail!(
                "`response` would give a duplicate more than the contract does ({wanted:?} instead of {contract:?})"
            )
        }
        Some(wanted) => Ok(wanted),
        None => Ok(contract),
    }
}

#[cfg(test)]
mod tests {
    use super::{tightened_response, tightened_window};
    use crate::contract::response::Response;
    use crate::contract::window::Window;

    #[test]
    fn the_operator_may_tighten_a_contract_and_never_loosen_it() {
        let hour = Window::Duration(3_600);
        assert_eq!(tightened_window(&hour, Some(&Window::ForEver)).unwrap(), Window::ForEver);
        assert_eq!(tightened_window(&hour, Some(&Window::Duration(7_200))).unwrap(), Window::Duration(7_200));
        assert!(tightened_window(&hour, Some(&Window::Duration(60))).is_err());
        assert!(tightened_window(&Window::ForEver, Some(&hour)).is_err());
        let less = tightened_response(Response::Original, Some(Response::Error)).unwrap();
        assert_eq!(less, Response::Error);
        assert!(tightened_response(Response::Error, Some(Response::Original)).is_err());
    }
}
