//! `onceward outbox`: rows, and how they stand.

use crate::cli::Ending;
use crate::cli::approve;
use crate::cli::bulk;
use crate::cli::bulk::Selection;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide;
use crate::cli::decide::{By, Resolution};
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::identity::key::RowId;
use crate::store::bulk::RowChoice;
use crate::store::outbox::{OutboxFilter, OutboxRow, RowState};
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
        #[arg(long)]
        reference: Option<String>,
        #[command(flatten)]
        by: By,
    },
}

pub(super) async fn outbox(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List { state, limit } => {
            let store = compose::read_only(config)?;
            let state = state.as_deref().map(parse_state).transpose()?;
            let filter = OutboxFilter { namespace: config.namespace.clone(), state, work: None, limit };
            list(&store.outbox_list(filter).await?, format)?;
        }
        Verb::Resolve { row: None, selection, state, destination, r#as, reference, by } => {
            let state = parse_state(&state)?;
            let (namespace, cause) = (config.namespace.clone(), selection.cause.clone());
            let choice = RowChoice { namespace, state, destination, cause };
            let decision = r#as.decision(reference)?;
            return bulk::decide_rows(config, choice, decision, &selection, by, format).await;
        }
        Verb::Resolve { row: Some(row), r#as, reference, by, .. } => {
            return decide::row(config, &row, r#as, reference, by, format).await;
        }
        Verb::Approve { row, hash, by } => {
            return approve::approve(config, &row, hash.as_deref(), by, format).await;
        }
        Verb::Edit { row, payload, by } => return approve::edit(config, &row, &payload, by, format).await,
        Verb::Cancel { row, by } => {
            return decide::row(config, &row, Resolution::Cancel, None, by, format).await;
        }
        Verb::Show { row } => {
            let store = compose::read_only(config)?;
            show(&find::row(&*store, &config.namespace, &row, "showing a row").await?, format)?;
        }
    }
    Ok(Ending::Done)
}

fn parse_state(word: &str) -> Result<RowState> {
    RowState::from_word(word).ok_or_else(|| {
        anyhow!(
            "listing rows: there is no state {word:?}; take one of {}",
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
