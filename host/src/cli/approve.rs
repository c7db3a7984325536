//! `onceward outbox approve` and `edit`: a person's word about a held row.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::find;
use crate::cli::input;
use crate::cli::output;
use crate::cli::output::Format;
use crate::identity::json_text;
use crate::identity::key::RowId;
use crate::identity::work_id::row_payload_hash;
use crate::store::approval::{Approved, Edit, Edited};
use crate::store::outbox::{OutboxRow, RowRef, RowState};
use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::json;
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
    let actor = by.actor()?;
    let hash = hash.map(payload_hash).transpose()?;
    let (store, _) = compose::owner(config)?;
    let row = find::row(&*store, &config.namespace, text, "approving a row").await?;
    let id = RowRef { namespace: config.namespace.clone(), id: row.row_id };
    let approved = store.outbox_approve(id, hash, actor).await?;
    let short = output::short(row.row_id);
    let by = match &approved {
        Approved::Applied => None,
        Approved::Already { by, at_ms } => Some((by.clone(), *at_ms)),
        Approved::OtherPayload { payload_hash } => bail!(
            "approving {short}: its payload has the hash {}, and not the one that was given; look at it again with `onceward outbox show {short}`",
            RowId::from_bytes(*payload_hash)
        ),
        Approved::Superseded { by } => bail!(
            "approving {short}: it was edited meanwhile; look at its successor with `onceward outbox show {}`, and approve that",
            output::short(by)
        ),
        Approved::Expired { at_ms } => bail!(
            "approving {short}: the time for an approval ended at {}; it is cancelled with the next delivery",
            output::time(*at_ms)
        ),
        Approved::Refused(state) => {
            bail!("approving {short}: it is {}, and waits for no approval; nothing was changed", state.word())
        }
        Approved::Unknown => bail!("approving {short}: it is not there any more"),
    };
    if format == Format::Json {
        output::json(&json!({
            "row": row.row_id,
            "approved": true,
            "already": by.is_some(),
            "by": by.as_ref().map(|(name, _)| name),
        }))?;
    } else {
        output::line(match by {
            None => format!("row {short} is approved, and goes out with the next delivery"),
            Some((name, at_ms)) => {
                format!("row {short} was approved by {name} at {}; nothing was changed", output::time(at_ms))
            }
        })?;
    }
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
    let actor = by.actor()?;
    let payload = input::text("the payload", payload, PAYLOAD_LIMIT_BYTES)?;
    let (store, _) = compose::owner(config)?;
    let row = find::row(&*store, &config.namespace, text, "editing a row").await?;
    let edit = new_payload(config, &row, payload)?;
    let id = RowRef { namespace: config.namespace.clone(), id: row.row_id };
    let edited = store.outbox_edit(id, edit, actor).await?;
    let short = output::short(row.row_id);
    match edited {
        Edited::Applied { row: successor, revision, state } => {
            if format == Format::Json {
                let state = state.word();
                output::json(
                    &json!({ "row": successor, "revision": revision, "state": state, "supersedes": row.row_id }),
                )?;
            } else {
                let next = output::short(successor);
                output::line(match state {
                    RowState::Suppressed => format!(
                        "row {short} is superseded by {next} (revision {revision}), which is suppressed: another row says the same to the same recipient"
                    ),
                    _ => format!(
                        "row {short} is superseded by {next} (revision {revision}); approve that with `onceward outbox approve {next}`"
                    ),
                })?;
            }
        }
        Edited::Unchanged if format == Format::Json => {
            output::json(&json!({ "row": row.row_id, "revision": row.revision, "state": row.state.word() }))?;
        }
        Edited::Unchanged => {
            output::line(format!("row {short} has this payload already; nothing was changed"))?
        }
        Edited::Superseded { by } => {
            bail!("editing {short}: it was edited before; edit its successor {} instead", output::short(by))
        }
        Edited::Expired { at_ms } => bail!(
            "editing {short}: the time for an approval ended at {}; it is cancelled with the next delivery",
            output::time(at_ms)
        ),
        Edited::Refused(state) => {
            bail!(
                "editing {short}: it is {}, and only a held row can be edited; nothing was changed",
                state.word()
            )
        }
        Edited::Unknown => bail!("editing {short}: it is not there any more"),
    }
    Ok(Ending::Done)
}

fn new_payload(config: &Config, row: &OutboxRow, payload: String) -> Result<Edit> {
    let value = json_text::parse(&payload)
        .with_context(|| format!("editing {}: the payload is not usable JSON", output::short(row.row_id)))?;
    let terms = compose::row_terms(config, &row.destination)?;
    Ok(Edit {
        payload_hash: row_payload_hash(&value),
        same: terms.sameness.as_ref().and_then(|rule| rule.of(&value)),
        payload,
    })
}

fn payload_hash(text: &str) -> Result<[u8; 32]> {
    let hash: RowId = text.parse().map_err(|_| {
        anyhow!("approving: --hash takes the 64 hexadecimal digits that `onceward outbox show` prints")
    })?;
    Ok(*hash.as_bytes())
}
