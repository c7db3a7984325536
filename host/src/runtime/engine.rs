//! The compiler and the instances' memory, set up once.

use crate::runtime::limits::TABLE_ENTRIES_MAX;
use std::path::PathBuf;
use std::time::Duration;
use wasmtime::{
    Cache, CacheConfig, Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
};

/// How often a running guest gives way, in milliseconds. A tight loop holds a thread for at most this long.
const EPOCH_MS: u64 = 2;

/// How the engine is set up.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Where compiled components are kept. None: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// Instances at once.
    pub instances_max: u32,
    /// The largest memory of one instance, in bytes.
    pub memory_bytes: u64,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The compile cache can't be used.
    #[error(
        "opening the compile cache in {dir}: it can't be used; check that the folder can be written, or set runtime.cache_dir"
    )]
    Cache {
        /// The folder.
        dir: PathBuf,
        /// Why.
        source: wasmtime::Error,
    },
    /// The engine can't be set up.
    #[error("setting up the WebAssembly engine: it is not possible on this machine")]
    Engine(#[source] wasmtime::Error),
}

/// Core instances and tables that one component may be made of. One made of JavaScript or Python holds 13 to 40: the
/// interpreter, its libraries, and what fits them to the interfaces.
const PARTS_PER_COMPONENT: u32 = 64;

/// Linear memories that one component, or one module of it, may have. Together they share one limit.
const MEMORIES_PER_COMPONENT: u32 = 4;

/// What an instance has written is put back by hand up to so much, in bytes; a step writes to some dozen pages. More is given
/// back to the system, which then has to interrupt every core of the host.
const MEMORY_KEPT_BYTES: usize = 256 * 1_024;

/// The same of a table.
const TABLE_KEPT_BYTES: usize = 16 * 1_024;

/// An engine with instances from a pool, or on demand where the machine has no address space for a pool.
pub(super) fn engine(settings: &EngineSettings) -> Result<Engine, EngineError> {
    let cache = match &settings.cache_dir {
        Some(dir) => Some(cache(dir)?),
        None => None,
    };
    let pooled = Engine::new(&config(cache.clone(), Some(pool(settings))));
    let engine = match pooled {
        Ok(engine) => engine,
        Err(error) => {
            tracing::info!(%error, "no address space for a pool of instances; making them on demand");
            Engine::new(&config(cache, None)).map_err(EngineError::Engine)?
        }
    };
    tick(&engine);
    Ok(engine)
}

fn cache(dir: &std::path::Path) -> Result<Cache, EngineError> {
    let failed = |source: wasmtime::Error| EngineError::Cache { dir: dir.to_owned(), source };
    std::fs::create_dir_all(dir).map_err(|error| failed(error.into()))?;
    // The cache takes absolute paths alone.
    let absolute = std::path::absolute(dir).map_err(|error| failed(error.into()))?;
    let mut config = CacheConfig::new();
    config.with_directory(absolute);
    Cache::new(config).map_err(failed)
}

fn config(cache: Option<Cache>, pool: Option<PoolingAllocationConfig>) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        // What a step computes must not depend on the machine it runs on.
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .cache(cache);
    if let Some(pool) = pool {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    }
    config
}

fn pool(settings: &EngineSettings) -> PoolingAllocationConfig {
    let parts = settings.instances_max.saturating_mul(PARTS_PER_COMPONENT);
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(settings.instances_max)
        .total_core_instances(parts)
        .total_memories(settings.instances_max.saturating_mul(MEMORIES_PER_COMPONENT))
        .total_tables(parts)
        .total_stacks(settings.instances_max)
        .max_memories_per_component(MEMORIES_PER_COMPONENT)
        .max_memories_per_module(MEMORIES_PER_COMPONENT)
        .max_tables_per_component(PARTS_PER_COMPONENT)
        .max_core_instances_per_component(PARTS_PER_COMPONENT)
        .table_elements(TABLE_ENTRIES_MAX)
        .linear_memory_keep_resident(MEMORY_KEPT_BYTES)
        .table_keep_resident(TABLE_KEPT_BYTES)
        // Where the kernel says which pages were written, the others are not touched.
        .pagemap_scan(Enabled::Auto)
        .max_memory_size(usize::try_from(settings.memory_bytes).unwrap_or(usize::MAX));
    pool
}

/// Move the epoch on, for as long as the engine lives.
#[expect(
    clippy::disallowed_methods,
    reason = "the ticker's only work is to wait; it has no signal to wait on"
)]
fn tick(engine: &Engine) {
    let engine = engine.weak();
    std::thread::spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(Duration::from_millis(EPOCH_MS));
        }
    });
}
