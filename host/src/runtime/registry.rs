//! What runs steps: the loaded ones, the desk for their decisions, and room for so many at once.

use crate::runtime::decide::DecisionDesk;
use crate::runtime::engine::EngineError;
use crate::runtime::job::Job;
use crate::runtime::limits::Limits;
use crate::runtime::loader::Loader;
use crate::runtime::plugin::Plugin;
use crate::runtime::probe::Probe;
use crate::runtime::room::{Place, QUEUE_DEFAULT, Room, Rooms};
use crate::runtime::run::Run;
use crate::runtime::run::run;
use crate::runtime::stop::Stop;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use crate::runtime::engine::EngineSettings;

/// The loaded steps with all that their runs need.
pub struct Runtime {
    loader: Arc<Loader>,
    desk: Arc<DecisionDesk>,
    rooms: Rooms,
    probe: Option<Arc<dyn Probe>>,
}

impl Runtime {
    /// A runtime without steps.
    pub fn new(settings: &EngineSettings, desk: Arc<DecisionDesk>) -> Result<Self, EngineError> {
        let loader = Arc::new(Loader::new(settings)?);
        Ok(Self::over(loader, settings.instances_max, desk))
    }

    /// A runtime over steps that are loaded already, with so many places of its own.
    #[must_use]
    pub fn over(loader: Arc<Loader>, instances_max: u32, desk: Arc<DecisionDesk>) -> Self {
        Self { loader, desk, rooms: Rooms::new(instances_max, QUEUE_DEFAULT), probe: None }
    }

    /// Let so many callers wait for a place.
    #[must_use]
    pub fn queue(mut self, callers_max: u32) -> Self {
        self.rooms.queued(callers_max);
        self
    }

    /// Tell this of every call that a step makes into the host.
    #[must_use]
    pub fn probed(mut self, probe: Arc<dyn Probe>) -> Self {
        self.probe = Some(probe);
        self
    }

    /// The loaded steps.
    #[must_use]
    pub fn loader(&self) -> &Loader {
        &self.loader
    }

    /// Where decisions are made.
    #[must_use]
    pub fn desk(&self) -> &Arc<DecisionDesk> {
        &self.desk
    }

    /// The longest that a run waits for one answer of these models, in milliseconds.
    #[must_use]
    pub fn longest_model_wait_ms(&self, models: &BTreeSet<String>) -> u64 {
        self.desk.longest_wait_ms(models)
    }

    /// Wait for a place to run in. Taken before a work is claimed, so that no lease runs out in a queue.
    pub async fn place(&self) -> Place {
        self.rooms.place().await
    }

    /// A place to run in, where one is free now.
    pub fn free_place(&self) -> Option<Place> {
        self.rooms.free_place()
    }

    /// Stand in the queue for a place, where it is not full.
    pub fn spot(&self) -> Option<Room> {
        self.rooms.spot().map(Room::Spot)
    }

    /// How many callers may wait for a place.
    #[must_use]
    pub const fn queue_max(&self) -> u32 {
        self.rooms.queue_max()
    }

    /// Run a step on a job, in a fresh instance, unless it is to be stopped before. The place is free when the run ends,
    /// also where it is dropped.
    pub async fn run_in(
        &self,
        place: Place,
        plugin: &Plugin,
        job: Arc<Job>,
        limits: Arc<Limits>,
        stop: impl Future<Output = Stop>,
    ) -> Run {
        let run = tokio::select! {
            run = run(&self.loader.engine, plugin, job, Arc::clone(&self.desk), limits, self.probe.clone()) => run,
            stop = stop => Run::stopped(stop),
        };
        drop(place);
        run
    }
}
