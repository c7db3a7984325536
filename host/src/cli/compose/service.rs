//! From the configuration to a service: every namespace with its steps, and the duties that run in the background.

use crate::api::service::{Configured, Namespace, Service, SourceSetup};
use crate::api::steps_list::StepInfo;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::clock::Clock;
use crate::dispatch::caller::{CallerSetup, Callers};
use crate::dispatch::delivery::{DeliverTo, Upkeep};
use crate::dispatch::duty::Duty;
use crate::dispatch::executor::{Executor, Worker};
use crate::dispatch::nudge::Nudge;
use crate::dispatch::outbox::Deliverer;
use crate::dispatch::retention::{Forget, Retention};
use crate::runtime::decide::DecisionDesk;
use crate::store::Store;
use crate::telemetry::metrics::Metrics;
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A service that is put together, and does nothing yet.
pub struct Composed {
    /// What the API serves.
    pub service: Arc<Service>,
    /// What runs in the background.
    pub duties: Vec<Box<dyn Duty>>,
    /// Runs the steps, one for each namespace.
    pub executors: Vec<Arc<Executor>>,
}

/// Put a service together over an open ledger. When `stop` is cancelled, no more rows are taken.
pub async fn service(
    config: &Config,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    stop: &CancellationToken,
) -> Result<Composed> {
    let runtime = compose::runtime(config, &store, &clock)?;
    let (nudge, metrics) = (Nudge::default(), Metrics::default());
    let (mut namespaces, mut executors) = (Vec::new(), Vec::new());
    let mut duties: Vec<Box<dyn Duty>> = Vec::new();
    for name in std::iter::once(&config.namespace).chain(&config.serve.namespaces) {
        let config = config.in_namespace(name);
        let doing = || format!("setting up the namespace {name:?}");
        let loaded = compose::steps::load(&config, runtime.loader()).await.with_context(doing)?;
        let infos = compose::steps::infos(&config, &loaded);
        let dispatcher =
            compose::dispatcher(&config, loaded, &runtime, &store, &clock).await.with_context(doing)?;
        let executor =
            Executor::new(Arc::new(dispatcher), Arc::clone(&clock), nudge.clone(), metrics.clone());
        duties.push(Box::new(Worker(Arc::clone(&executor))));
        let deliverer = compose::deliverer(&config, Arc::clone(&store), &clock)?;
        deliver(Arc::new(deliverer.until(stop.clone())), &clock, &nudge, &metrics, &mut duties);
        let age_ms = config.retention.decisions_max_age_ms();
        let retention = Retention::new(Arc::clone(&store), name.clone(), age_ms);
        duties.push(Box::new(Forget::new(retention, Arc::clone(&clock))));
        let running = Running { executor: Some(Arc::clone(&executor)), infos };
        namespaces.push(namespace(&config, &store, &clock, runtime.desk(), running)?);
        executors.push(executor);
    }
    let sources = match executors.first() {
        Some(executor) => sources(config, executor)?,
        None => BTreeMap::new(),
    };
    let service = Service::new(store, clock, config.serve.limits(), nudge, metrics, namespaces, sources);
    Ok(Composed { service, duties, executors })
}

/// A service that answers and does nothing else, for the commands of a ledger that no host has open.
pub fn answering(config: &Config, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Result<Arc<Service>> {
    // No command asks a model, and their keys need not be there for one that does not.
    let desk = Arc::new(DecisionDesk::new(Arc::clone(&store), Arc::clone(&clock), BTreeMap::new()));
    let namespace = namespace(config, &store, &clock, &desk, Running::default())?;
    Ok(alone(config, store, clock, Nudge::default(), Metrics::default(), namespace))
}

/// The same, with the steps loaded. None of them runs by itself.
pub async fn answering_with_steps(
    config: &Config,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<Service>> {
    let (nudge, metrics) = (Nudge::default(), Metrics::default());
    let runtime = compose::runtime(config, &store, &clock)?;
    let loaded = compose::steps::load(config, runtime.loader()).await?;
    let infos = compose::steps::infos(config, &loaded);
    let dispatcher = compose::dispatcher(config, loaded, &runtime, &store, &clock).await?;
    let executor = Executor::new(Arc::new(dispatcher), Arc::clone(&clock), nudge.clone(), metrics.clone());
    let namespace =
        namespace(config, &store, &clock, runtime.desk(), Running { executor: Some(executor), infos })?;
    Ok(alone(config, store, clock, nudge, metrics, namespace))
}

/// A service of the configuration's own namespace, without sources.
fn alone(
    config: &Config,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    nudge: Nudge,
    metrics: Metrics,
    namespace: Namespace,
) -> Arc<Service> {
    Service::new(store, clock, config.serve.limits(), nudge, metrics, [namespace], BTreeMap::new())
}

/// The steps of a namespace, where they are loaded.
#[derive(Default)]
struct Running {
    executor: Option<Arc<Executor>>,
    infos: Vec<StepInfo>,
}

fn namespace(
    config: &Config,
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    desk: &Arc<DecisionDesk>,
    Running { executor, infos }: Running,
) -> Result<Namespace> {
    let name = config.namespace.clone();
    let terms = |name: &String| Ok((name.clone(), compose::row_terms(config, name)?));
    let row_terms: BTreeMap<_, _> = config.destinations.keys().map(terms).collect::<Result<_>>()?;
    let steps = executor.as_ref().map(|executor| Arc::clone(executor.dispatcher().receipt_steps()));
    let setup = CallerSetup {
        destinations: row_terms.clone(),
        receipt_steps: steps.unwrap_or_default(),
        stages: config.progress.stages.clone().into(),
        mirror: compose::mirror(config)?,
        desk: Arc::clone(desk),
    };
    let callers = Callers::new(Arc::clone(store), Arc::clone(clock), name.clone(), setup);
    let configured = Configured {
        tiers: config.tiers(),
        stages: config.progress.stages.clone(),
        alarms_s: config.progress.alarms.clone(),
        decisions_max_age_ms: config.retention.decisions_max_age_ms(),
        steps: infos,
    };
    Ok(Namespace { name, executor, callers, row_terms, configured })
}

/// The sources, each with its step: its own, the flow's first, or the only one.
fn sources(config: &Config, executor: &Executor) -> Result<BTreeMap<String, SourceSetup>> {
    let steps: Vec<&str> = executor.dispatcher().recorded_steps().collect();
    let only = if let [only] = steps[..] { Some(only) } else { None };
    let default = config.flow.first().map(String::as_str).or(only);
    let mut sources = BTreeMap::new();
    for (name, source) in compose::sources::sources(config)? {
        let Some(step) = source.step.as_deref().or(default).map(str::to_owned) else {
            bail!(
                "setting up the source {name:?}: there is no flow, and there are several steps ({}); name one with `step`",
                steps.join(", ")
            );
        };
        sources.insert(name, SourceSetup { source, step, namespace: config.namespace.clone() });
    }
    Ok(sources)
}

/// One duty for each destination, and one for what belongs to none.
fn deliver(
    deliverer: Arc<Deliverer>,
    clock: &Arc<dyn Clock>,
    nudge: &Nudge,
    metrics: &Metrics,
    duties: &mut Vec<Box<dyn Duty>>,
) {
    for destination in deliverer.destinations() {
        duties.push(Box::new(DeliverTo {
            deliverer: Arc::clone(&deliverer),
            destination: Arc::clone(destination),
            clock: Arc::clone(clock),
            nudge: nudge.clone(),
            nudged: nudge.listen(),
            metrics: metrics.clone(),
        }));
    }
    duties.push(Box::new(Upkeep(deliverer)));
}
