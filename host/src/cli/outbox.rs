//! `onceward outbox`: rows, and how they stand.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide;
use crate::cli::decide::{By, Resolution};
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::outbox::{OutboxFilter, OutboxRow, RowState};
use anyhow::{Result, anyhow, bail};

/// Verbs of `outbox`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Rows, newest first.
    List {
        /// Only this state: pending, sending, sent, blocked, in-doubt or cancelled.
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
    /// Say what happened to a row that is blocked or in doubt, or stop one that is pending.
    Resolve {
        /// The id, or its beginning.
        row: String,
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
        Verb::Resolve { row, r#as, reference, by } => {
            return decide::row(config, &row, r#as, reference, by, format).await;
        }
        Verb::Show { row } => match &compose::read_only(config)?
            .outbox_resolve(&config.namespace, &row)
            .await?[..]
        {
            [only] => show(only, format)?,
            [] => bail!("showing a row: none has the id {row:?}; see `onceward outbox list`"),
            several => bail!("showing a row: {} rows begin with {row:?}; give more of the id", several.len()),
        },
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
    for (name, value) in
        [("remark", &row.cause), ("reference", &row.external_reference), ("receipt", &row.receipt)]
    {
        if let Some(value) = value {
            field(name, value)?;
        }
    }
    field("payload", &row.payload)
}

fn state_text(row: &OutboxRow) -> String {
    let doubt = if row.maybe_applied && row.state != RowState::Sent { ", may have been applied" } else { "" };
    format!("{}{doubt}", row.state.word())
}
