//! A host in this process: the real store, sandbox and protocols, with doors that a test holds in its hands.

use crate::oracle::Oracle;
use crate::paths;
use crate::sim_clock::SimClock;
use onceward::clock::Clock;
use onceward::connectors::http::{HttpConnector, HttpSettings};
use onceward::connectors::{Connector, Envelope};
use onceward::contract::capability::Mode;
use onceward::contract::tier::Tier;
use onceward::dispatch::end::Ended;
use onceward::dispatch::mirror::Mirror;
use onceward::dispatch::outbox::{Deliverer, DeliveryReport};
use onceward::dispatch::retry::RetryPolicy;
use onceward::dispatch::setup::{DestinationSetup, StepSetup};
use onceward::dispatch::step::{Claimed, DispatchError, Dispatcher};
use onceward::identity::event::Event;
use onceward::models::Model;
use onceward::models::patience::{ModelRetry, Patience};
use onceward::runtime::decide::DecisionDesk;
use onceward::runtime::decide::ModelSetup;
use onceward::runtime::job::{Grants, Holds, RowTerms};
use onceward::runtime::limits::Limits;
use onceward::runtime::probe::Probe;
use onceward::runtime::registry::{EngineSettings, Runtime};
use onceward::store::Store;
use onceward::store::claim::Answered;
use onceward::store::pace::{Breaker, Rate};
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How long after a write a look-up may still miss it, in milliseconds of the test's clock.
pub const SETTLING_MS: u64 = 5_000;

/// The namespace tests work in.
pub const NAMESPACE: &str = "test";

/// How long the destination `crm` remembers a key, in milliseconds.
pub const KEY_RETENTION_MS: u64 = 24 * 3_600_000;

/// How long a sender to `crm` may take, in milliseconds.
pub const DELIVERY_LEASE_MS: u64 = 60_000;

/// How many runs the host has places for.
pub const INSTANCES: u32 = 8;

/// What a host is made of, before it is started.
pub struct HostBuilder {
    dir: PathBuf,
    steps: Vec<(Vec<u8>, Limits)>,
    flow: Vec<String>,
    crm: Option<(Envelope, Arc<dyn Connector>)>,
    others: Vec<(&'static str, Tier, Envelope)>,
    tier: Tier,
    retry: RetryPolicy,
    delivery_retry: RetryPolicy,
    lease_ms: Option<u64>,
    model: Option<Arc<dyn Model>>,
    patience: Patience,
    holds: Holds,
    grants: bool,
    mirror: Option<Mirror>,
    row_terms: RowTerms,
    rate: Option<Rate>,
    breaker: Option<Breaker>,
    clock: Arc<SimClock>,
    oracle: Arc<Oracle>,
    probe: Option<Arc<dyn Probe>>,
}

/// A running host.
pub struct TestHost {
    /// Time, for the test to move.
    pub clock: Arc<SimClock>,
    /// The model that answers to the names `oracle` and `classifier`.
    pub oracle: Arc<Oracle>,
    /// The ledger.
    pub store: Arc<dyn Store>,
    /// The sandbox.
    pub runtime: Arc<Runtime>,
    /// Runs steps.
    pub dispatcher: Arc<Dispatcher>,
    /// Delivers rows.
    pub deliverer: Deliverer,
}

impl HostBuilder {
    /// A host whose ledger is in this folder.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            steps: Vec::new(),
            flow: Vec::new(),
            crm: None,
            others: Vec::new(),
            tier: Tier::Key,
            retry: RetryPolicy { base_ms: 10, ceiling_ms: 1_000, ..RetryPolicy::default() },
            delivery_retry: RetryPolicy { base_ms: 10, ceiling_ms: 1_000, ..RetryPolicy::default() },
            lease_ms: None,
            model: None,
            holds: Holds::default(),
            patience: Patience {
                retry: ModelRetry { base_ms: 0, ..ModelRetry::default() },
                ..Patience::default()
            },
            grants: true,
            mirror: None,
            row_terms: RowTerms::default(),
            rate: None,
            breaker: None,
            clock: Arc::default(),
            oracle: Arc::default(),
            probe: None,
        }
    }

    /// Add a built step by its file's name. It is granted everything it asks for.
    #[must_use]
    pub fn step(self, name: &str) -> Self {
        self.step_within(name, Limits::default())
    }

    /// Add a built step with limits of its own.
    #[must_use]
    pub fn step_within(self, name: &str, limits: Limits) -> Self {
        self.component(paths::step_bytes(name), limits)
    }

    /// Add a step that no build made.
    #[must_use]
    pub fn component(mut self, bytes: Vec<u8>, limits: Limits) -> Self {
        self.steps.push((bytes, limits));
        self
    }

    /// Tell this of every call that a step makes into the host.
    #[must_use]
    pub fn probed(mut self, probe: Arc<dyn Probe>) -> Self {
        self.probe = Some(probe);
        self
    }

    /// The order of steps, by their contracts' names.
    #[must_use]
    pub fn flow(mut self, steps: &[&str]) -> Self {
        self.flow = steps.iter().map(|step| (*step).to_owned()).collect();
        self
    }

    /// The destination `crm` is at this address, over real HTTP.
    #[must_use]
    pub fn crm_at(self, url: &str) -> Self {
        let mut envelope = Envelope::new(url);
        envelope.reference = Some("/id".to_owned());
        self.crm_over_http(envelope)
    }

    /// The destination `crm` is addressed like this, over real HTTP.
    #[must_use]
    pub fn crm_over_http(self, envelope: Envelope) -> Self {
        let connector = self.http();
        self.crm(envelope, connector)
    }

    /// Another destination, addressed like this over real HTTP, with a tier of its own and the schedule of `crm`.
    #[must_use]
    pub fn also(mut self, name: &'static str, tier: Tier, envelope: Envelope) -> Self {
        self.others.push((name, tier, envelope));
        self
    }

    fn http(&self) -> Arc<dyn Connector> {
        let settings = HttpSettings {
            allow_private_addresses: true,
            connect_timeout_ms: 2_000,
            request_timeout_ms: 2_000,
            ..HttpSettings::default()
        };
        let connector = HttpConnector::new(settings, Arc::clone(&self.clock) as Arc<dyn Clock>);
        Arc::new(connector.expect("the settings are usable"))
    }

    /// The destination `crm` is this connector.
    #[must_use]
    pub fn crm(mut self, envelope: Envelope, connector: Arc<dyn Connector>) -> Self {
        self.crm = Some((envelope, connector));
        self
    }

    /// The tier of `crm`.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }

    /// How many attempts a step and a delivery get.
    #[must_use]
    pub fn attempts(mut self, attempts_max: u32) -> Self {
        self.retry.attempts_max = attempts_max;
        self.delivery_retry.attempts_max = attempts_max;
        self
    }

    /// When a failed delivery is tried again.
    #[must_use]
    pub fn delivery_retry(mut self, policy: RetryPolicy) -> Self {
        self.delivery_retry = policy;
        self
    }

    /// When a failed run is tried again.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How long a claim holds, in milliseconds.
    #[must_use]
    pub fn lease_ms(mut self, lease_ms: u64) -> Self {
        self.lease_ms = Some(lease_ms);
        self
    }

    /// How long a run waits for one answer, in milliseconds.
    #[must_use]
    pub fn model_timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.patience.timeout_ms = timeout_ms;
        self
    }

    /// How often a model is asked within one decision.
    #[must_use]
    pub fn model_calls(mut self, attempts_max: u32) -> Self {
        self.patience.retry.attempts_max = attempts_max;
        self
    }

    /// The names `oracle` and `classifier` stand for this model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(model);
        self
    }

    /// How often `crm` may be called.
    #[must_use]
    pub fn rate(mut self, calls: u32, per_ms: u64) -> Self {
        self.rate = Some(Rate { calls, per_ms });
        self
    }

    /// Let destinations rest that fail again and again.
    #[must_use]
    pub const fn breaker(mut self, breaker: Breaker) -> Self {
        self.breaker = Some(breaker);
        self
    }

    /// A person must approve these decisions, whatever the step, within so many milliseconds where that is said.
    #[must_use]
    pub fn hold(mut self, slots: &[&str], expires_ms: Option<u64>) -> Self {
        let slots = slots.iter().map(|slot| (*slot).to_owned()).collect();
        self.holds = Holds { slots, expires_ms };
        self
    }

    /// What the operator wants of every row.
    #[must_use]
    pub fn row_terms(mut self, terms: RowTerms) -> Self {
        self.row_terms = terms;
        self
    }

    /// Each stage that a handoff reaches is told to `crm`.
    #[must_use]
    pub fn mirror_to_crm(mut self) -> Self {
        self.mirror = Some(Mirror { destination: "crm".to_owned(), terms: RowTerms::default() });
        self
    }

    /// The operator grants nothing, whatever the contracts ask for.
    #[must_use]
    pub fn without_grants(mut self) -> Self {
        self.grants = false;
        self
    }

    /// Go on with the doors of a host that has ended.
    #[must_use]
    pub fn doors_of(mut self, clock: &Arc<SimClock>, oracle: &Arc<Oracle>) -> Self {
        self.clock = Arc::clone(clock);
        self.oracle = Arc::clone(oracle);
        self
    }

    /// Start it.
    pub async fn start(self) -> TestHost {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let settings = SqliteSettings { path: self.dir.join("onceward.db"), max_bytes: None };
        let store: Arc<dyn Store> =
            Arc::new(SqliteStore::open(&settings, Arc::clone(&clock)).expect("the ledger opens"));
        let model = self.model.clone().unwrap_or_else(|| Arc::clone(&self.oracle) as Arc<dyn Model>);
        let model = ModelSetup { model, patience: self.patience };
        let models = BTreeMap::from([("oracle".to_owned(), model.clone()), ("classifier".to_owned(), model)]);
        let desk = Arc::new(DecisionDesk::new(Arc::clone(&store), Arc::clone(&clock), models));
        let engine = EngineSettings {
            cache_dir: Some(paths::compile_cache()),
            instances_max: INSTANCES,
            memory_bytes: Limits::default().memory_bytes,
        };
        let runtime = Runtime::new(&engine, desk).expect("the engine can be set up");
        let runtime = Arc::new(match &self.probe {
            Some(probe) => runtime.probed(Arc::clone(probe)),
            None => runtime,
        });
        let mut steps = BTreeMap::new();
        for (bytes, limits) in &self.steps {
            let setup = self.setup(&runtime, &*store, bytes, limits).await;
            steps.insert(setup.contract().name.clone(), Arc::new(setup));
        }
        let stages: Arc<[String]> = ["received", "matched", "owned", "replied"].map(str::to_owned).into();
        let dispatcher = Dispatcher::new(
            Arc::clone(&store),
            Arc::clone(&runtime),
            Arc::clone(&clock),
            NAMESPACE.to_owned(),
            steps,
            self.flow.clone(),
            stages,
        );
        let dispatcher = Arc::new(dispatcher.mirror(self.mirror.clone()));
        let crm = self.crm.iter().map(|(envelope, connector)| {
            self.destination("crm", self.tier, envelope.clone(), Arc::clone(connector))
        });
        let others = self
            .others
            .iter()
            .map(|(name, tier, envelope)| self.destination(name, *tier, envelope.clone(), self.http()));
        let destinations = crm.chain(others).map(Arc::new).collect();
        let deliverer = Deliverer::new(Arc::clone(&store), clock, NAMESPACE.to_owned(), destinations);
        TestHost { clock: self.clock, oracle: self.oracle, store, runtime, dispatcher, deliverer }
    }

    fn destination(
        &self,
        name: &str,
        tier: Tier,
        envelope: Envelope,
        connector: Arc<dyn Connector>,
    ) -> DestinationSetup {
        DestinationSetup {
            name: name.to_owned(),
            envelope,
            tier,
            retention_ms: KEY_RETENTION_MS,
            settling_ms: SETTLING_MS,
            retry: self.delivery_retry.clone(),
            lease_ms: DELIVERY_LEASE_MS,
            concurrency: 4,
            rate: self.rate,
            breaker: self.breaker,
            connector,
        }
    }

    async fn setup(&self, runtime: &Runtime, store: &dyn Store, bytes: &[u8], limits: &Limits) -> StepSetup {
        let plugin = runtime.loader().load(bytes, limits).await.expect("a built step loads");
        let contract = plugin.contract().clone();
        // The destination `elsewhere` is never granted, so that a test can ask for it.
        let granted = contract.destinations.iter().filter(|wanted| wanted.name != "elsewhere");
        let granted = Grants {
            destinations: granted.map(|wanted| (wanted.name.clone(), self.row_terms.clone())).collect(),
            models: contract.models.iter().cloned().collect(),
        };
        let granted = if self.grants { granted } else { Grants::default() };
        let grants = Grants::both(&contract, &granted);
        let earlier = match contract.mode {
            Mode::Recorded => {
                store.contract_register(NAMESPACE, &contract).await.expect("the contract is recorded")
            }
            Mode::ReadOnly => Vec::new(),
        };
        StepSetup {
            holds: Arc::new(self.holds.clone()),
            model_wait_ms: runtime.longest_model_wait_ms(&grants.models),
            grants: Arc::new(grants),
            limits: Arc::new(limits.clone()),
            retry: self.retry.clone(),
            window: contract.window.clone(),
            response: contract.response,
            earlier,
            lease_ms: self.lease_ms,
            plugin,
        }
    }
}

impl TestHost {
    /// Run an event through its step, or say how its work stands.
    pub async fn run(&self, step: &str, event: &Event) -> Result<Result<Ended, Answered>, DispatchError> {
        match self.dispatcher.claim(step, event).await? {
            Claimed::Held(held) => Ok(Ok(held.run(&self.dispatcher).await.settle(&self.dispatcher).await?)),
            Claimed::Answered(answered) => Ok(Err(answered)),
        }
    }

    /// One pass of the outbox.
    pub async fn deliver(&self) -> DeliveryReport {
        self.deliverer.run_once().await.expect("the ledger works")
    }
}

/// An event with this id and payload.
#[must_use]
pub fn event(id: &str, data: &serde_json::Value) -> Event {
    let text =
        serde_json::json!({ "source": "test", "id": id, "time": "2025-12-31T23:00:00Z", "data": data });
    Event::parse(text.to_string().as_bytes()).expect("a well-formed event")
}
