//! `onceward quarantine`: events whose identity is on record with other content, and what a person says about them.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::Store;
use crate::store::quarantine::{QuarantineDecision, QuarantineFilter, QuarantineState, Quarantined};
use crate::store::work::WorkRecord;
use anyhow::{Result, anyhow, bail};
use serde_json::json;

/// Verbs of `quarantine`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Kept events, newest first.
    List {
        /// Only this state: waiting, admitted or dropped.
        #[arg(long, default_value = "waiting")]
        state: String,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// One kept event, beside the content that came first.
    Show {
        /// The id, or its beginning.
        event: String,
    },
    /// It is something else than what came first: run it as new work.
    Admit {
        /// The id, or its beginning.
        event: String,
        #[command(flatten)]
        by: By,
    },
    /// It shall never run. The record stays.
    Drop {
        /// The id, or its beginning.
        event: String,
        #[command(flatten)]
        by: By,
    },
}

pub(super) async fn quarantine(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List { state, limit } => {
            let filter = QuarantineFilter {
                namespace: config.namespace.clone(),
                state: Some(parse_state(&state)?),
                limit,
            };
            list(&compose::read_only(config)?.quarantine_list(filter).await?, format)?;
        }
        Verb::Show { event } => {
            let store = compose::read_only(config)?;
            let kept = find(&*store, config, &event).await?;
            let family = store.work_family(&config.namespace, kept.collides_with).await?;
            let first = family.iter().rfind(|work| work.step == kept.step);
            show(&kept, first, format)?;
        }
        Verb::Admit { event, by } => {
            return decide(config, &event, QuarantineDecision::Admit, by, format).await;
        }
        Verb::Drop { event, by } => {
            return decide(config, &event, QuarantineDecision::Drop, by, format).await;
        }
    }
    Ok(Ending::Done)
}

async fn decide(
    config: &Config,
    text: &str,
    decision: QuarantineDecision,
    by: By,
    format: Format,
) -> Result<Ending> {
    let actor = by.actor()?;
    let (store, _) = compose::owner(config)?;
    let id = find(&*store, config, text).await?.work_id;
    let decided = store.quarantine_decide(&config.namespace, id, decision, actor).await?;
    let from = [QuarantineState::Waiting.word()];
    let to = decision.to_state().word();
    let word = QuarantineState::word;
    decide::report("kept event", &id.to_string(), &decided, word, to, &from, format)
}

async fn find(store: &dyn Store, config: &Config, text: &str) -> Result<Quarantined> {
    let mut found = store.quarantine_resolve(&config.namespace, text).await?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!("finding a kept event: none has the id {text:?}; see `onceward quarantine list`"),
        several => bail!("finding a kept event: {several} begin with {text:?}; give more of the id"),
    }
}

fn parse_state(word: &str) -> Result<QuarantineState> {
    QuarantineState::from_word(word).ok_or_else(|| {
        anyhow!(
            "listing kept events: there is no state {word:?}; take one of {}",
            QuarantineState::ALL.map(QuarantineState::word).join(", ")
        )
    })
}

fn list(kept: &[Quarantined], format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(kept)?);
    }
    let rows: Vec<[String; 6]> = kept
        .iter()
        .map(|event| {
            [
                output::short(event.work_id),
                event.state.word().to_owned(),
                output::time(event.created_ms),
                event.repeats.to_string(),
                event.readable_key.clone(),
                output::cut(event.decided_by.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    output::table(["EVENT", "STATE", "CAME", "REPEATS", "KEY", "REMARK"], &rows)
}

fn show(kept: &Quarantined, first: Option<&WorkRecord>, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&json!({ "event": kept, "first": first }));
    }
    output::line(&kept.readable_key)?;
    let field = |name: &str, value: &str| output::line(format!("  {name:<12} {value}"));
    field("event", &kept.work_id.to_string())?;
    field("state", &format!("{}, {} repeats", kept.state.word(), kept.repeats))?;
    field("from", &format!("{} {}", kept.source, kept.event_id.as_deref().unwrap_or("(no id)")))?;
    field("occurred", &output::time(kept.occurred_at_ms))?;
    if let Some(decided_by) = &kept.decided_by {
        field("decided", decided_by)?;
    }
    field("content", &kept.payload)?;
    if let Some(first) = first {
        output::line("collides with")?;
        field("work", &first.work_id.to_string())?;
        field("state", first.state.word())?;
        field("content", &first.payload)?;
    }
    Ok(())
}
