//! What fits together in a configuration.
//!
//! Refuses names that are empty, twice or unknown, budgets that nothing could live on, and grants of what is not
//! configured. Every refusal names the table, the setting and the remedy.

use crate::cli::config::bound;
use crate::cli::config::{Config, DestinationConfig, StepConfig};
use crate::contract::window::Window;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use anyhow::{Result, bail};

/// The store refuses a chain of follow-ups that is longer than this, so a longer flow would never reach its end.
const FLOW_STEPS_MAX: usize = 64;

pub(super) fn check(config: &Config) -> Result<()> {
    named("namespace", &config.namespace)?;
    if let Some(max_bytes) = config.store.max_bytes {
        bound::check("[store]", &[bound::ledger(max_bytes)])?;
    }
    config.serve.check(&config.namespace)?;
    config.telemetry.check()?;
    let runtime = &config.runtime;
    bound::check("[runtime]", &[bound::instances(runtime.instances), bound::queue(runtime.queue)])?;
    if config.flow.len() > FLOW_STEPS_MAX {
        bail!(
            "`flow` has {} steps, and {FLOW_STEPS_MAX} are the most that one event may go through; split it into several flows",
            config.flow.len()
        );
    }
    distinct("flow", "a step stands in a flow once", &config.flow)?;
    distinct("progress.stages", "a stage is reached once", &config.progress.stages)?;
    config.progress.check(config.destinations.keys())?;
    if let Some(days) = config.retention.decisions_days {
        bound::check("[retention]", &[bound::decisions_days(days)])?;
    }
    if let Some(alerts) = &config.alerts
        && !config.destinations.contains_key(&alerts.destination)
    {
        bail!(
            "[alerts]: `destination` names {:?}, which is not configured; add [destination.{}], or correct the name",
            alerts.destination,
            alerts.destination
        );
    }
    for (name, model) in &config.models {
        named("[model] name", name)?;
        model.check(&format!("[model.{name}]"))?;
    }
    for (name, destination) in &config.destinations {
        named("[destination] name", name)?;
        let DestinationConfig::Http(http) = destination;
        http.check(&format!("[destination.{name}]"))?;
    }
    for (name, source) in &config.sources {
        source.check(name, !config.flow.is_empty() || config.steps.len() == 1)?;
    }
    config.steps.iter().try_for_each(|step| check_step(config, step))
}

fn check_step(config: &Config, step: &StepConfig) -> Result<()> {
    if step.plugin.as_os_str().is_empty() {
        bail!("[[step]]: `plugin` is empty; name the component file");
    }
    let place = format!("[[step]] {}", step.plugin.display());
    bound::check(&place, &bound::limits(&step.limits))?;
    bound::check(&place, &bound::retry(&step.retry))?;
    if let Some(lease_ms) = step.lease_ms {
        bound::check(&place, &[bound::lease(lease_ms, step.limits.wall_ms)])?;
    }
    distinct(&format!("{place}: hold_decisions"), "a decision is held once", &step.hold_decisions)?;
    match step.hold_expires_hours {
        Some(_) if step.hold_decisions.is_empty() => bail!(
            "{place}: `hold_expires_hours` without `hold_decisions` says nothing; name the decisions, or take it out"
        ),
        Some(hours) => bound::check(&place, &[bound::hold_expires(hours)])?,
        None => {}
    }
    match &step.window {
        Some(Window::Duration(0)) => bail!(
            "{place}: `window` is 0 seconds, so that every event would be too old; give seconds, or \"for-ever\""
        ),
        Some(Window::UntilMarker(marker)) => named(&format!("{place}: `window`, the marker"), marker)?,
        Some(Window::Duration(_) | Window::ForEver) | None => {}
    }
    let models = config.models.keys().collect::<Vec<_>>();
    let destinations = config.destinations.keys().collect::<Vec<_>>();
    for (what, granted, known) in
        [("model", &step.models, models), ("destination", &step.destinations, destinations)]
    {
        if let Some(name) = granted.iter().find(|name| !known.contains(name)) {
            bail!("{place}: it is granted the {what} {name:?}, which is not configured; add [{what}.{name}]");
        }
    }
    Ok(())
}

/// Refuse a name that nothing can be called.
fn named(what: &str, name: &str) -> Result<()> {
    if name.trim().is_empty() {
        bail!("`{what}` is empty; give it a name, for instance \"default\"");
    }
    if name.len() > NAME_LIMIT_BYTES || name.chars().any(char::is_control) {
        bail!(
            "`{what}` is {name:?}; a name has at most {NAME_LIMIT_BYTES} bytes and no control characters; shorten it"
        );
    }
    Ok(())
}

/// Refuse names that are empty, or there twice.
fn distinct(what: &str, why: &str, names: &[String]) -> Result<()> {
    for (at, name) in names.iter().enumerate() {
        named(&format!("{what}, entry {}", at + 1), name)?;
        if names[..at].contains(name) {
            bail!("`{what}` names {name:?} twice; {why}; remove one");
        }
    }
    Ok(())
}
