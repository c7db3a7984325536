//! What is verified: steps in their order, what they may reach, and the events that come in.

use crate::connectors::{Envelope, LookUp};
use crate::contract::tier::Tier;
use crate::contract::window::Window;
use crate::dispatch::mirror::Mirror;
use crate::dispatch::retry::RetryPolicy;
use crate::dispatch::setup::StepSetup;
use crate::identity::event::Event;
use crate::runtime::job::{Grants, Holds, RowTerms};
use crate::runtime::limits::Limits;
use crate::runtime::loader::Loader;
use crate::runtime::plugin::Plugin;
use crate::verify::tamper::Tamper;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The namespace in which everything is verified.
pub const NAMESPACE: &str = "verify";

/// What is verified.
pub struct Subject {
    /// The sandbox with the steps in it.
    pub loader: Arc<Loader>,
    /// The steps.
    pub steps: Vec<SubjectStep>,
    /// The order of steps, by their contracts' names; may be empty.
    pub flow: Vec<String>,
    /// The stages of a handoff, in order.
    pub stages: Vec<String>,
    /// The destinations by name.
    pub destinations: BTreeMap<String, SubjectDestination>,
    /// Where the stages of handoffs are told.
    pub mirror: Option<Mirror>,
    /// The destination that is told of everything that stops.
    pub alerts: Option<String>,
    /// The events; each is a work of its own.
    pub events: Vec<SubjectEvent>,
    /// Answers given by hand, in order, by the model's name; where there are none they are made up.
    pub answers: BTreeMap<String, Vec<String>>,
    /// Whether the events are such that a step rightly does not finish them: it refuses them, or asks for a person.
    pub unfinished: bool,
    /// A faulty host, to see that it is found.
    pub tamper: Arc<dyn Tamper>,
}

/// A step, as the operator set it up.
pub struct SubjectStep {
    /// The component.
    pub plugin: Arc<Plugin>,
    /// What a run may use.
    pub limits: Limits,
    /// When a failed run is tried again.
    pub retry: RetryPolicy,
    /// Decisions that a person must approve. The people of a run are always in time.
    pub holds: BTreeSet<String>,
}

/// A destination: what was declared, and what it really is.
#[derive(Clone, Debug)]
pub struct SubjectDestination {
    /// What the operator or the contract says that it can promise.
    pub declared: Tier,
    /// How the simulated one behaves.
    pub really: Tier,
    /// How it is addressed.
    pub envelope: Envelope,
    /// What the operator wants of every row to it.
    pub terms: RowTerms,
}

impl SubjectDestination {
    /// A destination that is what it was declared to be.
    #[must_use]
    pub fn honest(declared: Tier) -> Self {
        Self {
            declared,
            really: declared,
            envelope: Envelope::new("https://simulated.invalid"),
            terms: RowTerms::default(),
        }
    }

    /// How a row to it is sent.
    #[must_use]
    pub(super) fn addressed(&self) -> Envelope {
        let mut envelope = self.envelope.clone();
        if self.declared == Tier::Lookup && envelope.look_up.is_none() {
            envelope.look_up = Some(LookUp { url: envelope.url.clone(), found: "/id".to_owned() });
        }
        envelope
    }
}

/// An event with its repeats.
#[derive(Clone, Debug)]
pub struct SubjectEvent {
    /// As it first arrives.
    pub event: Event,
    /// As it arrives again, where the sender renews something; the same event is delivered again in any case.
    pub again: Vec<Event>,
}

impl Subject {
    /// The step that events go to: the flow's first, or the only one. Where there is none the name is empty, and no event is
    /// accepted.
    #[must_use]
    pub fn first_step(&self) -> &str {
        let only = self.steps.first().map(|step| &step.plugin.contract().name);
        self.flow.first().or(only).map_or("", String::as_str)
    }

    /// The models that any step may ask.
    pub(super) fn models(&self) -> BTreeSet<String> {
        self.steps.iter().flat_map(|step| step.plugin.contract().models.iter().cloned()).collect()
    }

    /// The steps, ready for a dispatcher. They are granted all that they ask for.
    pub(super) fn setups(&self) -> BTreeMap<String, Arc<StepSetup>> {
        let terms =
            self.destinations.iter().map(|(name, destination)| (name.clone(), destination.terms.clone()));
        let granted = Grants { destinations: terms.collect(), models: self.models() };
        self.steps
            .iter()
            .map(|step| (step.plugin.contract().name.clone(), Arc::new(step.setup(&granted))))
            .collect()
    }
}

impl SubjectStep {
    fn setup(&self, granted: &Grants) -> StepSetup {
        let contract = self.plugin.contract();
        StepSetup {
            plugin: Arc::clone(&self.plugin),
            grants: Arc::new(Grants::both(contract, granted)),
            limits: Arc::new(self.limits.clone()),
            retry: self.retry.clone(),
            // Nothing is forgotten within a run.
            window: Window::ForEver,
            response: contract.response,
            earlier: Vec::new(),
            holds: Arc::new(Holds { slots: self.holds.clone(), expires_ms: None }),
            model_wait_ms: 0,
            lease_ms: None,
        }
    }
}
