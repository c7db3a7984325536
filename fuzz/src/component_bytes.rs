//! A component's bytes: a step with a usable contract, or refused with a reason.

use crate::reasons;
use onceward::runtime::limits::Limits;
use onceward::runtime::loader::Loader;
use onceward::runtime::registry::EngineSettings;
use onceward::runtime::world;

/// The bytes are refused with a reason at one of the stages, each of which agrees with the one before; or they are a step,
/// whose contract is usable.
///
/// # Panics
/// Where that does not hold.
pub fn check(bytes: &[u8]) {
    let offered = world::check(bytes);
    if let Err(error) = &offered {
        reasons(error);
    }
    let settings = EngineSettings {
        // What is compiled here is never wanted again.
        cache_dir: None,
        instances_max: 1,
        memory_bytes: Limits::default().memory_bytes,
    };
    // An engine of its own: a loader keeps every step that it has seen.
    let loader = Loader::new(&settings).expect("the engine can be set up");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime can be made");
    match runtime.block_on(loader.load(bytes, &Limits::default())) {
        Ok(plugin) => {
            assert!(offered.is_ok(), "loaded what offers no step");
            assert!(plugin.contract().validate().is_ok(), "a step has a usable contract");
        }
        Err(error) => drop(reasons(&error)),
    }
}
