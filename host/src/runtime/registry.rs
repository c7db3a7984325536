//! The steps that are loaded, by digest: each component is checked, compiled and asked for its contract once.

use crate::runtime::decide::DecisionDesk;
use crate::runtime::engine;
use crate::runtime::engine::EngineError;
use crate::runtime::job::Job;
use crate::runtime::limits::Limits;
use crate::runtime::plugin;
use crate::runtime::plugin::{LoadError, Plugin, PluginDigest};
use crate::runtime::run::Run;
use crate::runtime::run::run;
use crate::runtime::state::RunState;
use crate::runtime::wit::since_v0_1_0::bindings::{Step, StepPre};
use crate::runtime::wit::since_v0_1_0::link;
use crate::runtime::world;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

pub use crate::runtime::engine::EngineSettings;

/// How long a contract may take to be read, in milliseconds. It only returns a record.
const CONTRACT_WALL_MS: u64 = 2_000;

/// The engine with the loaded steps.
pub struct Runtime {
    engine: Engine,
    linker: Linker<RunState>,
    desk: Arc<DecisionDesk>,
    plugins: Mutex<HashMap<PluginDigest, Arc<Plugin>>>,
    places: Arc<Semaphore>,
}

/// Room for one instance. It is given back when this is dropped.
#[derive(Debug)]
#[must_use = "a place that is dropped is free again"]
pub struct Place(#[expect(dead_code, reason = "it is held, and never looked at")] OwnedSemaphorePermit);

impl Runtime {
    /// A runtime without steps.
    pub fn new(settings: &EngineSettings, desk: Arc<DecisionDesk>) -> Result<Self, EngineError> {
        let engine = engine::engine(settings)?;
        let mut linker = Linker::new(&engine);
        link(&mut linker).map_err(EngineError::Engine)?;
        let places = Arc::new(Semaphore::new(settings.instances_max as usize));
        Ok(Self { engine, linker, desk, plugins: Mutex::default(), places })
    }

    /// Load a component, or find it loaded.
    pub async fn load(&self, bytes: &[u8], limits: &Limits) -> Result<Arc<Plugin>, LoadError> {
        let digest = PluginDigest(Sha256::digest(bytes).into());
        if let Some(plugin) = self.lock().get(&digest) {
            return Ok(Arc::clone(plugin));
        }
        let imports = world::check(bytes)?;
        let component = Component::new(&self.engine, bytes).map_err(LoadError::Compile)?;
        let contract = self.read_contract(&component, limits).await?;
        contract.validate()?;
        let pre = self.linker.instantiate_pre(&component).and_then(StepPre::new).map_err(LoadError::Link)?;
        let plugin = Arc::new(Plugin { digest, contract, imports, pre });
        Ok(Arc::clone(self.lock().entry(digest).or_insert(plugin)))
    }

    /// The longest that a run waits for one answer of these models, in milliseconds.
    #[must_use]
    pub fn longest_model_wait_ms(&self, models: &BTreeSet<String>) -> u64 {
        self.desk.longest_wait_ms(models)
    }

    /// Wait for a place to run in. Taken before a work is claimed, so that no lease runs out in a queue.
    pub async fn place(&self) -> Place {
        let permit = Arc::clone(&self.places).acquire_owned().await;
        Place(permit.expect("the semaphore is never closed"))
    }

    /// Run a step on a job, in a fresh instance. The place is free when the run ends, also where it is dropped.
    pub async fn run_in(&self, place: Place, plugin: &Plugin, job: Arc<Job>, limits: Arc<Limits>) -> Run {
        let run = run(&self.engine, plugin, job, Arc::clone(&self.desk), limits).await;
        drop(place);
        run
    }

    /// Ask a component for its contract, with every import trapping.
    async fn read_contract(
        &self,
        component: &Component,
        limits: &Limits,
    ) -> Result<crate::contract::step::StepContract, LoadError> {
        let mut linker = Linker::<crate::runtime::limits::MemoryMeter>::new(&self.engine);
        linker.define_unknown_imports_as_traps(component).map_err(LoadError::Link)?;
        let meter = crate::runtime::limits::MemoryMeter::new(limits.memory_bytes);
        let mut store = Store::new(&self.engine, meter);
        store.limiter(|meter| meter);
        store.set_hostcall_fuel(usize::try_from(limits.call_bytes).unwrap_or(usize::MAX));
        crate::runtime::run::give_way(&mut store);
        let reading = async {
            let step = Step::instantiate_async(&mut store, component, &linker).await?;
            step.onceward_step_guest().call_contract(&mut store).await
        };
        let wall = std::time::Duration::from_millis(CONTRACT_WALL_MS);
        let given = tokio::time::timeout(wall, reading)
            .await
            .map_err(|_| {
                LoadError::Contract(wasmtime::Error::msg(format!(
                    "it took longer than {CONTRACT_WALL_MS} ms"
                )))
            })?
            .map_err(LoadError::Contract)?;
        Ok(plugin::contract(given))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PluginDigest, Arc<Plugin>>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
