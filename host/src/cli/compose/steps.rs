//! From the configuration to steps: their components are loaded, and what each of both sides says is put together.
//!
//! Owns what the operator may change of a contract: tighten it, and grant what it asks for. Refuses a component that
//! can't be loaded, two steps of one name, a receiver that promises less than a step asks for, and what would loosen a
//! contract; every refusal names the file. A grant that is missing is none of these: it sends works to review.

use crate::api::steps_list::{Asks, Promise, Reach, StepInfo};
use crate::cli::compose::row_terms;
use crate::cli::config::{Config, DestinationConfig, StepConfig};
use crate::contract::capability::Mode;
use crate::contract::response::Response;
use crate::contract::step::StepContract;
use crate::contract::window::Window;
use crate::dispatch::setup::StepSetup;
use crate::runtime::job::{Grants, Holds};
use crate::runtime::limits::Limits;
use crate::runtime::loader::Loader;
use crate::runtime::plugin::Plugin;
use crate::runtime::registry::{EngineSettings, Runtime};
use crate::store::Store;
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A step that is loaded, and what its configuration makes of its contract. No ledger has been asked.
pub struct LoadedStep<'a> {
    /// Its configuration.
    pub configured: &'a StepConfig,
    /// The component.
    pub plugin: Arc<Plugin>,
    /// The contract's window, or the operator's longer one.
    pub window: Window,
    /// The contract's response, or the operator's.
    pub response: Response,
}

impl LoadedStep<'_> {
    /// What the step promises and asks for.
    #[must_use]
    pub fn contract(&self) -> &StepContract {
        self.plugin.contract()
    }

    /// The decisions that a person must approve.
    #[must_use]
    pub fn held_decisions(&self) -> BTreeSet<String> {
        self.configured.hold_decisions.iter().cloned().collect()
    }

    /// Destinations that it asks for and is not granted.
    #[must_use]
    pub fn missing_destinations(&self) -> BTreeSet<&str> {
        let asked = self.contract().destinations.iter().map(|wanted| &wanted.name);
        asked.filter(|name| !self.configured.destinations.contains(name)).map(String::as_str).collect()
    }

    /// Models that it asks for and is not granted.
    #[must_use]
    pub fn missing_models(&self) -> BTreeSet<&str> {
        let asked = self.contract().models.iter();
        asked.filter(|name| !self.configured.models.contains(name)).map(String::as_str).collect()
    }
}

/// Loaded steps, as people are told of them.
#[must_use]
pub fn infos(config: &Config, loaded: &BTreeMap<String, LoadedStep<'_>>) -> Vec<StepInfo> {
    loaded.values().map(|step| info(config, step)).collect()
}

fn info(config: &Config, step: &LoadedStep<'_>) -> StepInfo {
    let contract = step.contract();
    let owned = |names: BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
    let configured = step.configured;
    StepInfo {
        step: contract.name.clone(),
        version: contract.version,
        plugin: config.resolve(&configured.plugin).display().to_string(),
        identity: contract.identity.clone(),
        window: step.window.clone(),
        response: step.response,
        contract: Promise { window: contract.window.clone(), response: contract.response },
        mode: contract.mode,
        asks: Asks { destinations: contract.destinations.clone(), models: contract.models.clone() },
        granted: Reach {
            destinations: configured.destinations.iter().cloned().collect(),
            models: configured.models.iter().cloned().collect(),
        },
        missing: Reach {
            destinations: owned(step.missing_destinations()),
            models: owned(step.missing_models()),
        },
        imports: step.plugin.imports().clone(),
        paused: None,
    }
}

/// How the engine is set up for the configured steps.
#[must_use]
pub fn engine_settings(config: &Config) -> EngineSettings {
    let largest = config.steps.iter().map(|step| step.limits.memory_bytes).max();
    EngineSettings {
        cache_dir: Some(config.resolve(&config.runtime.cache_dir)),
        instances_max: config.runtime.instances,
        memory_bytes: largest.unwrap_or_else(|| Limits::default().memory_bytes),
    }
}

/// Load every configured step, by name.
pub async fn load<'a>(config: &'a Config, loader: &Loader) -> Result<BTreeMap<String, LoadedStep<'a>>> {
    let mut steps = BTreeMap::new();
    for configured in &config.steps {
        let path = config.resolve(&configured.plugin);
        let step = load_one(config, configured, loader)
            .await
            .with_context(|| format!("loading the step {}", path.display()))?;
        let name = step.contract().name.clone();
        if steps.insert(name.clone(), step).is_some() {
            bail!("two configured steps are named {name:?}; the last is {}", path.display());
        }
    }
    Ok(steps)
}

async fn load_one<'a>(
    config: &Config,
    configured: &'a StepConfig,
    loader: &Loader,
) -> Result<LoadedStep<'a>> {
    let path = config.resolve(&configured.plugin);
    let bytes =
        std::fs::read(&path).context("the file can't be read; build the step, or correct `plugin`")?;
    let plugin = loader.load(&bytes, &configured.limits).await?;
    let contract = plugin.contract();
    refuse_weak_destinations(config, contract)?;
    let window = tightened_window(&contract.window, configured.window.as_ref())?;
    let response = tightened_response(contract.response, configured.response)?;
    Ok(LoadedStep { configured, plugin, window, response })
}

/// Record the contracts of loaded steps, and make them ready to run.
pub(super) async fn set_up(
    config: &Config,
    loaded: BTreeMap<String, LoadedStep<'_>>,
    runtime: &Runtime,
    store: &dyn Store,
) -> Result<BTreeMap<String, Arc<StepSetup>>> {
    let mut steps = BTreeMap::new();
    for (name, loaded) in loaded {
        let plugin = loaded.configured.plugin.display().to_string();
        let setup = set_up_one(config, loaded, runtime, store)
            .await
            .with_context(|| format!("setting up the step {name:?} of {plugin}"))?;
        steps.insert(name, Arc::new(setup));
    }
    Ok(steps)
}

async fn set_up_one(
    config: &Config,
    loaded: LoadedStep<'_>,
    runtime: &Runtime,
    store: &dyn Store,
) -> Result<StepSetup> {
    let contract = loaded.contract();
    warn_of_missing_grants(&loaded);
    let configured = loaded.configured;
    let granted = Grants {
        destinations: configured
            .destinations
            .iter()
            .map(|name| Ok((name.clone(), row_terms(config, name)?)))
            .collect::<Result<_>>()?,
        models: configured.models.iter().cloned().collect(),
    };
    let earlier = match contract.mode {
        Mode::Recorded => store.contract_register(&config.namespace, contract).await?,
        Mode::ReadOnly => Vec::new(),
    };
    let grants = Grants::both(contract, &granted);
    Ok(StepSetup {
        holds: Arc::new(Holds {
            slots: loaded.held_decisions(),
            expires_ms: configured.hold_expires_hours.map(|hours| hours.saturating_mul(3_600_000)),
        }),
        model_wait_ms: runtime.longest_model_wait_ms(&grants.models),
        grants: Arc::new(grants),
        limits: Arc::new(configured.limits.clone()),
        retry: configured.retry.clone(),
        window: loaded.window,
        response: loaded.response,
        earlier,
        lease_ms: configured.lease_ms,
        plugin: loaded.plugin,
    })
}

fn warn_of_missing_grants(loaded: &LoadedStep<'_>) {
    let step = &loaded.contract().name;
    for (what, names) in [("destination", loaded.missing_destinations()), ("model", loaded.missing_models())]
    {
        for name in names {
            tracing::warn!("the step {step:?} asks for the {what} {name:?}, which it is not granted");
        }
    }
}

/// A step that asks for a receiver that can tell a repeat is not run against one that can't.
fn refuse_weak_destinations(config: &Config, contract: &StepContract) -> Result<()> {
    for wanted in &contract.destinations {
        let Some(DestinationConfig::Http(http)) = config.destinations.get(&wanted.name) else { continue };
        if !http.tier.promises(wanted.weakest) {
            bail!(
                "the step {:?} asks that the destination {:?} be of tier {:?} or better, and it is configured as {:?}; name a receiver that promises as much, and do not claim a tier that it does not keep",
                contract.name,
                wanted.name,
                wanted.weakest.word(),
                http.tier.word()
            );
        }
    }
    Ok(())
}

/// The operator may remember keys for longer than the contract asks, never for shorter.
fn tightened_window(contract: &Window, configured: Option<&Window>) -> Result<Window> {
    match (contract, configured) {
        (window, None) | (_, Some(window @ Window::ForEver)) => Ok(window.clone()),
        (Window::Duration(least), Some(Window::Duration(wanted))) if wanted >= least => {
            Ok(Window::Duration(*wanted))
        }
        (contract, Some(wanted)) if contract == wanted => Ok(wanted.clone()),
        (contract, Some(wanted)) => bail!(
            "`window` would forget keys sooner than the contract allows ({wanted:?} instead of {contract:?}); take a longer one"
        ),
    }
}

/// The operator may give a duplicate less than the contract does, never more.
fn tightened_response(contract: Response, configured: Option<Response>) -> Result<Response> {
    let openness = |response| match response {
        Response::Original => 2,
        Response::Acknowledgement => 1,
        Response::Error => 0,
    };
    match configured {
        Some(wanted) if openness(wanted) > openness(contract) => {
            bail!(
                "`response` would give a duplicate more than the contract does ({wanted:?} instead of {contract:?})"
            )
        }
        Some(wanted) => Ok(wanted),
        None => Ok(contract),
    }
}

#[cfg(test)]
mod tests {
    use super::{tightened_response, tightened_window};
    use crate::contract::response::Response;
    use crate::contract::window::Window;

    #[test]
    fn the_operator_may_tighten_a_contract_and_never_loosen_it() {
        let hour = Window::Duration(3_600);
        assert_eq!(tightened_window(&hour, Some(&Window::ForEver)).unwrap(), Window::ForEver);
        assert_eq!(tightened_window(&hour, Some(&Window::Duration(7_200))).unwrap(), Window::Duration(7_200));
        assert!(tightened_window(&hour, Some(&Window::Duration(60))).is_err());
        assert!(tightened_window(&Window::ForEver, Some(&hour)).is_err());
        let less = tightened_response(Response::Original, Some(Response::Error)).unwrap();
        assert_eq!(less, Response::Error);
        assert!(tightened_response(Response::Error, Some(Response::Original)).is_err());
    }
}
