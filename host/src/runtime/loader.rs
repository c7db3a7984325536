//! The steps that are loaded, by digest: each component is checked, compiled and asked for its contract once.
//!
//! Owns the engine and the compiled components, and needs no ledger for them: what a step promises and asks for can be
//! read where nothing may run. Refuses what is no step for this host, as a [`LoadError`] that says at which of the
//! stages.

use crate::contract::step::StepContract;
use crate::runtime::engine;
use crate::runtime::engine::{EngineError, EngineSettings};
use crate::runtime::imports;
use crate::runtime::imports::Import;
use crate::runtime::limits::Limits;
use crate::runtime::plugin;
use crate::runtime::plugin::{LoadError, Plugin, PluginDigest};
use crate::runtime::run::give_way;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wasi;
use crate::runtime::wasi::absent;
use crate::runtime::wasi::sandbox::Sandbox;
use crate::runtime::wit::since_v0_1_0::bindings::{Step, StepPre};
use crate::runtime::wit::since_v0_1_0::link;
use crate::runtime::world;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

/// How long a contract may take to be read, in milliseconds. It only returns a record.
const CONTRACT_WALL_MS: u64 = 2_000;

/// The engine with the loaded steps.
pub struct Loader {
    pub(super) engine: Engine,
    linker: Linker<RunState>,
    /// For reading a contract: no primitive is there.
    contract_linker: Linker<Sandbox>,
    plugins: Mutex<HashMap<PluginDigest, Arc<Plugin>>>,
}

impl Loader {
    /// An engine without steps.
    ///
    /// # Errors
    /// Where the engine or its compile cache can't be set up.
    pub fn new(settings: &EngineSettings) -> Result<Self, EngineError> {
        let engine = engine::engine(settings)?;
        let mut linker = Linker::new(&engine);
        link(&mut linker).map_err(EngineError::Engine)?;
        wasi::link(&mut linker, |state| &mut state.sandbox).map_err(EngineError::Engine)?;
        let mut contract_linker = Linker::new(&engine);
        wasi::link(&mut contract_linker, |sandbox| sandbox).map_err(EngineError::Engine)?;
        Ok(Self { engine, linker, contract_linker, plugins: Mutex::default() })
    }

    /// Load a component, or find it loaded.
    ///
    /// # Errors
    /// [`LoadError`], where it is no step, can't be compiled, or its contract is not acceptable.
    pub async fn load(&self, bytes: &[u8], limits: &Limits) -> Result<Arc<Plugin>, LoadError> {
        let digest = PluginDigest(Sha256::digest(bytes).into());
        if let Some(plugin) = self.lock().get(&digest) {
            return Ok(Arc::clone(plugin));
        }
        let imports = world::check(bytes)?;
        let component = Component::new(&self.engine, bytes).map_err(LoadError::compiling)?;
        let contract = self.read_contract(&component, limits).await?;
        contract.validate()?;
        let pre = self.linked(&component).map_err(LoadError::Link)?;
        let plugin = Arc::new(Plugin { digest, contract, imports, pre });
        Ok(Arc::clone(self.lock().entry(digest).or_insert(plugin)))
    }

    /// Ready to be instantiated for a run.
    fn linked(&self, component: &Component) -> wasmtime::Result<StepPre<RunState>> {
        let mut linker = self.linker.clone();
        let is_there =
            |name: &str| matches!(imports::import(name), Some(Import::Primitive | Import::Answered));
        let refuse = |function| Stop::Absent { function }.into();
        absent::link(&mut linker, &self.engine, component, is_there, refuse)?;
        linker.instantiate_pre(component).and_then(StepPre::new)
    }

    /// Ask a component for its contract. No primitive is there, and WASI says the same to all, so that run-time systems can
    /// start.
    async fn read_contract(&self, component: &Component, limits: &Limits) -> Result<StepContract, LoadError> {
        let mut linker = self.contract_linker.clone();
        let is_there = |name: &str| imports::import(name) == Some(Import::Answered);
        let refuse = |function| wasmtime::Error::msg(format!("it called {function}"));
        absent::link(&mut linker, &self.engine, component, is_there, refuse).map_err(LoadError::Link)?;
        let mut store = Store::new(&self.engine, Sandbox::of_no_work(limits));
        store.limiter(|sandbox| &mut sandbox.memory);
        store.set_hostcall_fuel(usize::try_from(limits.call_bytes).unwrap_or(usize::MAX));
        give_way(&mut store);
        let reading = async {
            let step = Step::instantiate_async(&mut store, component, &linker).await?;
            step.onceward_step_guest().call_contract(&mut store).await
        };
        let wall = Duration::from_millis(CONTRACT_WALL_MS);
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
