//! `onceward pause` and `onceward unpause`: stopping a destination, a step, the namespace or everything, and letting it go
//! on. What is under way comes to its end; events are recorded and rows wait, and nothing is lost.

use crate::api::pauses::{PauseActed, PauseList, PauseRequest};
use crate::cli::Ending;
use crate::cli::client::{Answer, Client};
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::pause::Pause;
use anyhow::Result;

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
    fn request(self) -> Result<PauseRequest> {
        let (scope, name, by) = match self {
            Self::Destination { name, by } => ("destination", Some(name), by),
            Self::Step { name, by } => ("step", Some(name), by),
            Self::Namespace { by } => ("namespace", None, by),
            Self::Everything { by } => ("everything", None, by),
        };
        let (by, why) = by.words()?;
        Ok(PauseRequest { scope: scope.to_owned(), name, by: Some(by), why })
    }
}

/// Stop something, or list what is stopped.
pub(super) async fn pause(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List => {
            let answer = Client::reading(config).await?.get(&["v1", "pauses"], &[]).await?;
            list(&answer.read::<PauseList>()?.pauses, format)?;
        }
        Verb::Scope(scope) => {
            let answer = Client::acting(config).await?.post(&["v1", "pauses"], &scope.request()?).await?;
            report(&answer, ["is paused", "was paused before; the first cause stands"], format)?;
        }
    }
    Ok(Ending::Done)
}

/// Let something go on.
pub(super) async fn unpause(config: &Config, scope: Scope, format: Format) -> Result<Ending> {
    let answer = Client::acting(config).await?.post(&["v1", "pauses", "lift"], &scope.request()?).await?;
    report(&answer, ["goes on", "was not paused"], format)?;
    Ok(Ending::Done)
}

/// `words` for what was changed, and for what was so before.
fn report(answer: &Answer, words: [&str; 2], format: Format) -> Result<()> {
    let PauseActed { verdict, scope, warning, .. } = answer.read()?;
    if let Some(warning) = warning {
        output::error_line(format!("warning: {warning}"));
    }
    if format == Format::Json {
        return output::json(&answer.body);
    }
    let said = if verdict == PauseActed::APPLIED { words[0] } else { words[1] };
    output::line(format!("{} {said}", scope.words()))
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
            [pause.scope.words(), output::time(pause.paused_ms), by, output::cut(&pause.cause)]
        })
        .collect();
    output::table(["PAUSED", "SINCE", "BY", "CAUSE"], &rows)
}
