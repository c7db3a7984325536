//! Subjects for `verify`: built steps in front of simulated destinations, with events.

use crate::paths;
use onceward::contract::tier::Tier;
use onceward::dispatch::mirror::Mirror;
use onceward::dispatch::retry::RetryPolicy;
use onceward::identity::event::Event;
use onceward::runtime::job::RowTerms;
use onceward::runtime::limits::Limits;
use onceward::runtime::loader::Loader;
use onceward::runtime::registry::EngineSettings;
use onceward::verify::search::{Budget, Report, search};
use onceward::verify::subject::{Subject, SubjectDestination, SubjectEvent, SubjectStep};
use onceward::verify::tamper::{Tamper, Untampered};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Instances for the runs of a test.
const INSTANCES: u32 = 8;

/// A subject that is being put together.
pub struct Verified {
    steps: Vec<String>,
    flow: Vec<String>,
    events: Vec<SubjectEvent>,
    really: Vec<(String, Tier)>,
    declared: Option<Tier>,
    tamper: Arc<dyn Tamper>,
    mirror: Option<String>,
    alerts: Option<String>,
    holds: BTreeSet<String>,
}

impl Verified {
    /// A step by its file's name, with what it asks for.
    #[must_use]
    pub fn step(name: &str) -> Self {
        Self {
            steps: vec![name.to_owned()],
            flow: Vec::new(),
            events: Vec::new(),
            really: Vec::new(),
            declared: None,
            tamper: Arc::new(Untampered),
            mirror: None,
            alerts: None,
            holds: BTreeSet::new(),
        }
    }

    /// Steps by their files' names, and their order by their contracts' names.
    #[must_use]
    pub fn flow(steps: &[&str], flow: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self { steps: owned(steps), flow: owned(flow), ..Self::step("") }
    }

    /// An event arrives.
    #[must_use]
    pub fn event(mut self, event: Event) -> Self {
        self.events.push(SubjectEvent { event, again: Vec::new() });
        self
    }

    /// The last event arrives again like this.
    ///
    /// # Panics
    /// Where there is no event yet.
    #[must_use]
    pub fn again(mut self, event: Event) -> Self {
        self.events.last_mut().expect("there is an event").again.push(event);
        self
    }

    /// Every destination is declared to be of this tier.
    #[must_use]
    pub const fn declared(mut self, tier: Tier) -> Self {
        self.declared = Some(tier);
        self
    }

    /// A destination really is of this tier.
    #[must_use]
    pub fn really(mut self, destination: &str, tier: Tier) -> Self {
        self.really.push((destination.to_owned(), tier));
        self
    }

    /// The stages of handoffs are told to this destination.
    #[must_use]
    pub fn mirrored_to(mut self, destination: &str) -> Self {
        self.mirror = Some(destination.to_owned());
        self
    }

    /// What stops is told to this destination.
    #[must_use]
    pub fn alerting(mut self, destination: &str) -> Self {
        self.alerts = Some(destination.to_owned());
        self
    }

    /// Decisions of this name wait for a person.
    #[must_use]
    pub fn holding(mut self, slot: &str) -> Self {
        self.holds.insert(slot.to_owned());
        self
    }

    /// The host has this fault.
    #[must_use]
    pub fn tampered(mut self, tamper: impl Tamper + 'static) -> Self {
        self.tamper = Arc::new(tamper);
        self
    }

    /// Put it together.
    ///
    /// # Panics
    /// Where a step has not been built, or can't be loaded.
    pub async fn subject(self) -> Arc<Subject> {
        let limits = Limits::default();
        let settings = EngineSettings {
            cache_dir: Some(paths::compile_cache()),
            instances_max: INSTANCES,
            memory_bytes: limits.memory_bytes,
        };
        let loader = Arc::new(Loader::new(&settings).expect("the engine can be set up"));
        let (mut steps, mut destinations) = (Vec::new(), BTreeMap::new());
        for name in &self.steps {
            let plugin = loader.load(&paths::step_bytes(name), &limits).await.expect("a built step loads");
            for wanted in &plugin.contract().destinations {
                let tier = self.declared.unwrap_or(wanted.weakest);
                destinations.insert(wanted.name.clone(), SubjectDestination::honest(tier));
            }
            steps.push(SubjectStep {
                plugin,
                limits: limits.clone(),
                retry: RetryPolicy::default(),
                holds: self.holds.clone(),
            });
        }
        for name in self.mirror.iter().chain(&self.alerts) {
            let tier = self.declared.unwrap_or(Tier::Key);
            destinations.entry(name.clone()).or_insert(SubjectDestination::honest(tier));
        }
        for (name, tier) in &self.really {
            destinations.get_mut(name).expect("a step asks for the destination").really = *tier;
        }
        Arc::new(Subject {
            loader,
            steps,
            flow: self.flow,
            stages: ["received", "matched", "owned", "replied"].map(str::to_owned).into(),
            destinations,
            mirror: self.mirror.map(|destination| Mirror { destination, terms: RowTerms::default() }),
            alerts: self.alerts,
            events: self.events,
            answers: BTreeMap::new(),
            unfinished: false,
            tamper: self.tamper,
        })
    }

    /// Search: all single faults, and as many pairs and deeper schedules as fit into the time.
    ///
    /// # Panics
    /// Where the machine does not allow it.
    pub async fn search(self, time: Duration) -> Report {
        let subject = self.subject().await;
        let budget = Budget { time, deep: 200, seed: 1, workers: 2 };
        blocking(move || search(&subject, budget, &|_| {}).expect("runs can be made")).await
    }
}

/// Runs have runtimes of their own.
///
/// # Panics
/// Where the work does.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("the work does not panic")
}

/// Where an event of a bad step is, by its name.
#[must_use]
pub fn bad_event_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("guests/bad/events").join(format!("{name}.json"))
}

/// An event of a bad step, by its name.
///
/// # Panics
/// Where there is none.
#[must_use]
pub fn bad_event(name: &str) -> Event {
    let path = bad_event_path(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Event::parse(&bytes).expect("a well-formed event")
}
