//! What the API serves: the ledger, and the namespaces with what each of them has.

use crate::api::error::{Kind, Problem};
use crate::api::steps_list::StepInfo;
use crate::clock::Clock;
use crate::contract::tier::Tier;
use crate::dispatch::caller::Callers;
use crate::dispatch::executor::Executor;
use crate::dispatch::nudge::Nudge;
use crate::inbound::source::Source;
use crate::runtime::job::RowTerms;
use crate::store::Store;
use crate::telemetry::metrics::Metrics;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a request may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest body, in bytes.
    pub body_bytes: usize,
    /// How long a head, and then a body, may take to arrive, in milliseconds.
    pub arrival_timeout_ms: u64,
    /// The longest `?wait=`, in milliseconds.
    pub wait_max_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body_bytes: 1024 * 1024, arrival_timeout_ms: 30_000, wait_max_ms: 300_000 }
    }
}

/// A namespace with what is set up for it. Nothing of it is seen from another.
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// Runs its steps; none where steps are not loaded.
    pub executor: Option<Arc<Executor>>,
    /// The door for outside callers.
    pub callers: Callers,
    /// What holds for every row to a destination, by its name.
    pub row_terms: BTreeMap<String, RowTerms>,
    /// What its operator has configured, as people are told of it.
    pub configured: Configured,
}

/// What is configured for a namespace, as people are told of it.
#[derive(Clone, Debug, Default)]
pub struct Configured {
    /// What each destination promises, by its name.
    pub tiers: BTreeMap<String, Tier>,
    /// The stages of a handoff, in order.
    pub stages: Vec<String>,
    /// How long a handoff may stand in a stage, in seconds.
    pub alarms_s: BTreeMap<String, u64>,
    /// How long decisions are kept that no work refers to, in milliseconds; without a number for ever.
    pub decisions_max_age_ms: Option<i64>,
    /// The steps, by name; none where they are not loaded.
    pub steps: Vec<StepInfo>,
}

impl Namespace {
    /// What runs its steps.
    ///
    /// # Errors
    /// [`Problem`], where this process has loaded none.
    pub fn executor(&self) -> Result<&Arc<Executor>, Problem> {
        self.executor.as_ref().ok_or_else(|| {
            Problem::new(Kind::Unavailable, "no steps are loaded in this process")
                .remedy("start the host with `onceward serve`")
        })
    }
}

/// A source of webhooks.
pub struct SourceSetup {
    /// How its requests are proved and read.
    pub source: Source,
    /// The step that its events are work for.
    pub step: String,
    /// Where its events belong, unless a token says it.
    pub namespace: String,
}

/// The service.
pub struct Service {
    /// The ledger.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// What a request may take.
    pub limits: Limits,
    /// Who is told that something was changed.
    pub nudge: Nudge,
    /// What is counted.
    pub metrics: Metrics,
    namespaces: BTreeMap<String, Arc<Namespace>>,
    sources: BTreeMap<String, SourceSetup>,
    stopping: AtomicBool,
}

impl Service {
    /// A service of these namespaces.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        limits: Limits,
        nudge: Nudge,
        metrics: Metrics,
        namespaces: impl IntoIterator<Item = Namespace>,
        sources: BTreeMap<String, SourceSetup>,
    ) -> Arc<Self> {
        let namespaces =
            namespaces.into_iter().map(|namespace| (namespace.name.clone(), Arc::new(namespace))).collect();
        Arc::new(Self {
            store,
            clock,
            limits,
            nudge,
            metrics,
            namespaces,
            sources,
            stopping: AtomicBool::new(false),
        })
    }

    /// A namespace by its name.
    #[must_use]
    pub fn namespace(&self, name: &str) -> Option<&Arc<Namespace>> {
        self.namespaces.get(name)
    }

    /// A source by its name.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&SourceSetup> {
        self.sources.get(name)
    }

    /// All namespaces.
    pub fn namespaces(&self) -> impl Iterator<Item = &Arc<Namespace>> {
        self.namespaces.values()
    }

    /// From now on the host is not ready for more.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the host is about to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// An id that nothing else has: 128 bits of chance, in hexadecimal digits.
    #[must_use]
    pub fn random_id(&self) -> String {
        let half = || self.clock.random_up_to(u64::MAX);
        format!("{:016x}{:016x}", half(), half())
    }
}
