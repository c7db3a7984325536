//! `onceward quarantine`: events whose identity is on record with other content, and what a person says about them.

use crate::api::quarantine::{KeptEvent, KeptEventActed, KeptEvents};
use crate::cli::Ending;
use crate::cli::client::{Answer, Client};
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::pages::query;
use crate::store::quarantine::Quarantined;
use anyhow::Result;

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
            let filter = query([("state", Some(state)), ("limit", Some(limit.to_string()))]);
            let answer = Client::reading(config).await?.get(&["v1", "quarantine"], &filter).await?;
            list(&answer.read::<KeptEvents>()?.events, format)?;
        }
        Verb::Show { event } => {
            show(&Client::reading(config).await?.get(&["v1", "quarantine", &event], &[]).await?, format)?;
        }
        Verb::Admit { event, by } => act(config, &event, "admit", by, format).await?,
        Verb::Drop { event, by } => act(config, &event, "drop", by, format).await?,
    }
    Ok(Ending::Done)
}

async fn act(config: &Config, text: &str, act: &str, by: By, format: Format) -> Result<()> {
    let said = by.said()?;
    let answer = Client::acting(config).await?.post(&["v1", "quarantine", text, act], &said).await?;
    if format == Format::Json {
        return output::json(&answer.body);
    }
    let KeptEventActed { work_id, state, .. } = answer.read()?;
    output::line(format!("kept event {} is {} now", output::short(work_id), state.word()))
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

fn show(answer: &Answer, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&answer.body);
    }
    let KeptEvent { event: kept, first } = answer.read()?;
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
