//! `onceward outbox approve` and `edit`: a person's word about a held row.

use crate::api::approvals::{ApproveRow, ApprovedRow, EditRow, EditedRow};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::input;
use crate::cli::output;
use crate::cli::output::Format;
use crate::identity::json_text;
use crate::identity::key::RowId;
use crate::store::outbox::RowState;
use anyhow::{Context as _, Result, anyhow};
use serde_json::value::RawValue;
use std::path::Path;

/// The longest payload that is read from a file, in bytes; a step's rows have the same limit by default.
const PAYLOAD_LIMIT_BYTES: u64 = 1024 * 1024;

/// Let a held row go out.
pub(super) async fn approve(
    config: &Config,
    text: &str,
    hash: Option<&str>,
    by: By,
    format: Format,
) -> Result<Ending> {
    let (by, why) = by.words()?;
    let payload_hash = hash.map(payload_hash).transpose()?;
    let asked = ApproveRow { payload_hash, by: Some(by), why };
    let answer = Client::acting(config).await?.post(&["v1", "rows", text, "approve"], &asked).await?;
    if format == Format::Json {
        output::json(&answer.body)?;
        return Ok(Ending::Done);
    }
    let ApprovedRow { row_id, approved_by, approved_ms, .. } = answer.read()?;
    let short = output::short(row_id);
    output::line(match approved_by.zip(approved_ms) {
        None => format!("row {short} is approved, and goes out with the next delivery"),
        Some((name, at_ms)) => {
            format!("row {short} was approved by {name} at {}; nothing was changed", output::time(at_ms))
        }
    })?;
    Ok(Ending::Done)
}

/// Give a held row another payload.
pub(super) async fn edit(
    config: &Config,
    text: &str,
    payload: &Path,
    by: By,
    format: Format,
) -> Result<Ending> {
    let (by, why) = by.words()?;
    let unusable = || format!("editing {text}: the payload is not usable JSON");
    let payload = input::text("the payload", payload, PAYLOAD_LIMIT_BYTES)?;
    json_text::parse(&payload).with_context(unusable)?;
    let payload = RawValue::from_string(payload).with_context(unusable)?;
    let asked = EditRow { payload, by: Some(by), why };
    let answer = Client::acting(config).await?.post(&["v1", "rows", text, "edit"], &asked).await?;
    if format == Format::Json {
        output::json(&answer.body)?;
        return Ok(Ending::Done);
    }
    let EditedRow { row_id, revision, state, supersedes, .. } = answer.read()?;
    let row = output::short(row_id);
    output::line(match (supersedes.map(output::short), state) {
        (None, _) => format!("row {row} has this payload already; nothing was changed"),
        (Some(old), RowState::Suppressed) => format!(
            "row {old} is superseded by {row} (revision {revision}), which is suppressed: another row says the same to the same recipient"
        ),
        (Some(old), _) => format!(
            "row {old} is superseded by {row} (revision {revision}); approve that with `onceward outbox approve {row}`"
        ),
    })?;
    Ok(Ending::Done)
}

fn payload_hash(text: &str) -> Result<RowId> {
    text.parse().map_err(|_| {
        anyhow!("approving: --hash takes the 64 hexadecimal digits that `onceward outbox show` prints")
    })
}
