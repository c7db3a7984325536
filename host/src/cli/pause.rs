//! `onceward pause` and `onceward unpause`: stopping a destination, a step, the namespace or everything, and letting it go
//! on. What is under way comes to its end; events are recorded and rows wait, and nothing is lost.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::Store;
use crate::store::pause::{Pause, PauseScope};
use anyhow::{Result, bail};
use serde_json::json;

/// Verbs of `pause`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// What is paused, and why.
    List,
    #[command(flatten)]
    Scope(Scope),
}

/// What is paused, or goes on.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Scope {
    /// Rows to a destination.
    Destination {
        /// Its name.
        name: String,
        #[command(flatten)]
        by: By,
    },
    /// Works of a step; events for it are recorded meanwhile.
    Step {
        /// Its name.
        name: String,
        #[command(flatten)]
        by: By,
    },
    /// All steps and destinations of the namespace.
    Namespace {
        #[command(flatten)]
        by: By,
    },
    /// All steps and destinations of the ledger.
    Everything {
        #[command(flatten)]
        by: By,
    },
}

impl Scope {
    fn split(self) -> (PauseScope, By) {
        match self {
            Self::Destination { name, by } => (PauseScope::Destination(name), by),
            Self::Step { name, by } => (PauseScope::Step(name), by),
            Self::Namespace { by } => (PauseScope::Namespace, by),
            Self::Everything { by } => (PauseScope::Everything, by),
        }
    }
}

/// Stop something, or list what is stopped.
pub(super) async fn pause(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    let (scope, by) = match verb {
        Verb::List => {
            let paused = compose::read_only(config)?.pause_list(&config.namespace).await?;
            list(&paused, format)?;
            return Ok(Ending::Done);
        }
        Verb::Scope(scope) => scope.split(),
    };
    let actor = by.actor()?;
    known_destination(config, &scope)?;
    let (store, _) = compose::owner(config)?;
    warn_of_unknown_step(&*store, config, &scope).await?;
    let changed = store.pause_set(&config.namespace, scope.clone(), actor).await?;
    let text = if changed { "is paused" } else { "was paused before; the first cause stands" };
    report(&scope, true, changed, text, format)
}

/// Let something go on.
pub(super) async fn unpause(config: &Config, scope: Scope, format: Format) -> Result<Ending> {
    let (scope, by) = scope.split();
    let actor = by.actor()?;
    let (store, _) = compose::owner(config)?;
    let changed = store.pause_lift(&config.namespace, scope.clone(), actor).await?;
    if !changed && !store.pause_list(&config.namespace).await?.is_empty() {
        bail!(
            "letting {} go on: it is not paused by itself; see `onceward pause list` for what is",
            words(&scope)
        );
    }
    report(&scope, false, changed, if changed { "goes on" } else { "was not paused" }, format)
}

/// A name that was mistyped would stop nothing, and nobody would notice.
fn known_destination(config: &Config, scope: &PauseScope) -> Result<()> {
    if let PauseScope::Destination(name) = scope
        && !config.destinations.contains_key(name)
    {
        bail!("pausing {name:?}: no such destination is configured; see `onceward destination list`");
    }
    Ok(())
}

/// The same for a step. It is paused all the same: it may be one that has not been here yet.
async fn warn_of_unknown_step(store: &dyn Store, config: &Config, scope: &PauseScope) -> Result<()> {
    let PauseScope::Step(name) = scope else { return Ok(()) };
    let known = store.step_list(&config.namespace).await?;
    if !known.contains(name) {
        output::error_line(format!(
            "warning: no step {name:?} has run here so far, and a name that was mistyped stops nothing; the steps are: {}",
            known.join(", ")
        ));
    }
    Ok(())
}

fn report(scope: &PauseScope, paused: bool, changed: bool, text: &str, format: Format) -> Result<Ending> {
    if format == Format::Json {
        let name = (!scope.name().is_empty()).then(|| scope.name());
        output::json(&json!({ "scope": scope.word(), "name": name, "paused": paused, "changed": changed }))?;
    } else {
        output::line(format!("{} {text}", words(scope)))?;
    }
    Ok(Ending::Done)
}

fn list(paused: &[Pause], format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(paused)?);
    }
    if paused.is_empty() {
        return output::line("nothing is paused");
    }
    let rows: Vec<[String; 4]> = paused
        .iter()
        .map(|pause| {
            let by = pause.paused_by.clone().unwrap_or_else(|| "the destination itself".to_owned());
            [words(&pause.scope), output::time(pause.paused_ms), by, output::cut(&pause.cause)]
        })
        .collect();
    output::table(["PAUSED", "SINCE", "BY", "CAUSE"], &rows)
}

/// What stops this one: a pause of its own, of its namespace, or of everything.
pub(super) fn stopping<'a>(paused: &'a [Pause], one: &PauseScope) -> Option<&'a Pause> {
    paused.iter().find(|pause| pause.scope.stops(one))
}

/// A scope for people.
pub(super) fn words(scope: &PauseScope) -> String {
    match scope {
        PauseScope::Destination(name) => format!("the destination {name:?}"),
        PauseScope::Step(name) => format!("the step {name:?}"),
        PauseScope::Namespace => "the namespace".to_owned(),
        PauseScope::Everything => "everything".to_owned(),
    }
}
