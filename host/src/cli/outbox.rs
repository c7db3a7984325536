//! `onceward outbox`: rows, and how they stand.

use crate::api::row_acts::{ResolveRow, ResolveRows};
use crate::api::rows::RowList;
use crate::cli::Ending;
use crate::cli::approve;
use crate::cli::bulk;
use crate::cli::bulk::Selection;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::pages::{pages, query};
use crate::cli::row_act;
use crate::cli::row_act::Resolution;
use crate::identity::key::RowId;
use crate::store::outbox::{OutboxRow, RowState};
use anyhow::{Result, anyhow};
use std::path::PathBuf;

/// Verbs of `outbox`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Rows, newest first.
    List {
        /// Only this state: held, suppressed, pending, sending, sent, blocked, in-doubt, cancelled or superseded.
        #[arg(long)]
        state: Option<String>,
        /// Only this work's: the id, its beginning, or the readable key.
        #[arg(long)]
        work: Option<String>,
        /// Only for this destination.
        #[arg(long)]
        destination: Option<String>,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// One row.
    Show {
        /// The id, or its beginning.
        row: String,
    },
    /// Let a held row go out, exactly as it is.
    Approve {
        /// The id, or its beginning. Each revision has an id of its own.
        row: String,
        /// The hash of the payload that was looked at; with another one nothing is approved.
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Give a held row another payload, which needs an approval of its own.
    Edit {
        /// The id, or its beginning.
        row: String,
        /// The JSON file with the new payload. `-` is standard input.
        #[arg(long, value_name = "FILE")]
        payload: PathBuf,
        #[command(flatten)]
        by: By,
    },
    /// Stop a row that has not gone out: held, suppressed, pending, blocked or in doubt.
    Cancel {
        /// The id, or its beginning.
        row: String,
        #[command(flatten)]
        by: By,
    },
    /// Say what happened to a row that is blocked or in doubt, or stop one that is pending. Or to many.
    Resolve {
        /// The id, or its beginning.
        #[arg(id = "one", value_name = "ROW", required_unless_present = "all", conflicts_with = "all")]
        row: Option<String>,
        #[command(flatten)]
        selection: Selection,
        /// With `--all`: rows in this state, as `outbox list` takes it.
        #[arg(long, requires = "all", conflicts_with = "one", default_value = "blocked")]
        state: String,
        /// With `--all`: rows for this destination alone.
        #[arg(long, requires = "all", conflicts_with = "one")]
        destination: Option<String>,
        /// What happened, or shall happen.
        #[arg(long, value_enum, value_name = "OUTCOME")]
        r#as: Resolution,
        /// With `--as sent`: the id that the destination gave.
        #[arg(long, conflicts_with = "all")]
        reference: Option<String>,
        #[command(flatten)]
        by: By,
    },
}

pub(super) async fn outbox(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List { state, work, destination, limit } => {
            let client = Client::reading(config).await?;
            let filter = query([("state", state), ("work", work), ("destination", destination)]);
            let split = |RowList { rows, next }| (rows, next);
            list(&pages(&client, &["v1", "rows"], &filter, limit, split).await?, format)?;
            Ok(Ending::Done)
        }
        Verb::Show { row } => {
            let answer = Client::reading(config).await?.get(&["v1", "rows", &row], &[]).await?;
            show(&answer.read()?, format)?;
            Ok(Ending::Done)
        }
        Verb::Approve { row, hash, by } => approve::approve(config, &row, hash.as_deref(), by, format).await,
        Verb::Edit { row, payload, by } => approve::edit(config, &row, &payload, by, format).await,
        Verb::Cancel { row, by } => row_act::act(config, &row, "cancel", &by.said()?, format).await,
        Verb::Resolve { row: Some(row), r#as, reference, by, .. } => {
            let (by, why) = by.words()?;
            let said = ResolveRow { r#as: r#as.into(), reference, by: Some(by), why };
            row_act::act(config, &row, "resolve", &said, format).await
        }
        Verb::Resolve { row: None, selection, state, destination, r#as, by, .. } => {
            let Selection { cause, dry_run, limit, every, .. } = selection;
            let (by, why) = by.words()?;
            let asked = ResolveRows {
                state: parse_state(&state)?,
                destination,
                cause,
                r#as: r#as.into(),
                dry_run,
                limit,
                every_ms: every,
                by: Some(by),
                why,
            };
            bulk::resolve_rows(config, &asked, format).await
        }
    }
}

fn parse_state(word: &str) -> Result<RowState> {
    RowState::from_word(word).ok_or_else(|| {
        anyhow!(
            "deciding about rows: there is no state {word:?}; take one of {}",
            RowState::ALL.map(RowState::word).join(", ")
        )
    })
}

fn list(rows: &[OutboxRow], format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(rows)?);
    }
    let lines: Vec<[String; 7]> = rows
        .iter()
        .map(|row| {
            [
                output::short(row.row_id),
                row.destination.clone(),
                row.slot.clone(),
                state_text(row),
                row.attempt.to_string(),
                row.external_reference.clone().unwrap_or_default(),
                output::cut(row.cause.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    output::table(["ROW", "DESTINATION", "SLOT", "STATE", "ATTEMPT", "REFERENCE", "REMARK"], &lines)
}

fn show(row: &OutboxRow, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(row)?);
    }
    output::line(format!("{} / {}", row.destination, row.slot))?;
    let field = |name: &str, value: &str| output::line(format!("  {name:<12} {value}"));
    field("row", &row.row_id.to_string())?;
    field("work", &row.work_id.to_string())?;
    field("state", &format!("{}, attempt {}", state_text(row), row.attempt))?;
    field("recorded", &output::time(row.created_ms))?;
    show_order(row, &field)?;
    for (name, value) in
        [("remark", &row.cause), ("reference", &row.external_reference), ("receipt", &row.receipt)]
    {
        if let Some(value) = value {
            field(name, value)?;
        }
    }
    field("hash", &RowId::from_bytes(row.payload_hash).to_string())?;
    field("payload", &row.payload)
}

/// What the row waits for, and what comes after it.
fn show_order(row: &OutboxRow, field: &impl Fn(&str, &str) -> Result<()>) -> Result<()> {
    if row.revision > 1 {
        field("revision", &row.revision.to_string())?;
    }
    if let Some(reason) = &row.approval_reason {
        let until =
            row.approval_until_ms.map(|ms| format!(", until {}", output::time(ms))).unwrap_or_default();
        let by =
            row.approved_by.as_ref().map_or_else(|| format!("not given{until}"), |by| format!("by {by}"));
        field("approval", &format!("{by} (asked for: {reason})"))?;
    }
    if let Some(key) = &row.ordering_key {
        field("order", key)?;
    }
    if let Some(step) = &row.receipt_step {
        field("receipt to", step)?;
    }
    Ok(())
}

fn state_text(row: &OutboxRow) -> String {
    let doubt = if row.maybe_applied && row.state != RowState::Sent { ", may have been applied" } else { "" };
    let behind = row.behind.map(|head| format!(", behind {}", output::short(head))).unwrap_or_default();
    let same = row.suppressed_by.map(|first| format!(" by {}", output::short(first))).unwrap_or_default();
    format!("{}{same}{doubt}{behind}", row.state.word())
}
