//! `onceward status`: how the namespace stands, in one look.

use crate::api::status::Status;
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::standing::LedgerStanding;
use anyhow::Result;

/// Bytes in a mebibyte.
const BYTES_A_MIB: u64 = 1024 * 1024;

pub(super) async fn status(config: &Config, format: Format) -> Result<Ending> {
    let hosted = Client::of_host(config).await?.is_some();
    let answer = Client::reading(config).await?.get(&["v1", "status"], &[]).await?;
    if format == Format::Json {
        output::json(&answer.body)?;
        return Ok(Ending::Done);
    }
    let status: Status = answer.read()?;
    let moving = if status.idle { "idle" } else { "not idle" };
    output::line(match status.needs_person {
        0 => format!("{moving}, and nothing needs a person"),
        number => format!("{moving}, and {number} need a person"),
    })?;
    let standing = if hosted { LedgerStanding::hosted(status) } else { LedgerStanding::alone(status) };
    standing.print("works", &standing.status.works)?;
    for pause in &standing.status.paused {
        let (what, since) = (pause.scope.words(), output::time(pause.paused_ms));
        output::line(format!("paused: {what} since {since}: {}", pause.cause))?;
    }
    if let Some(ms) = standing.status.oldest_pending_ms {
        output::line(format!("the oldest work or row has waited for {} s", ms / 1_000))?;
    }
    if let Some(bytes) = standing.status.wal_held_bytes {
        output::line(format!(
            "the write-ahead log has {} MiB and grows: something reads an old state of the ledger; end that reader (a backup, a shell with an open transaction)",
            bytes / BYTES_A_MIB
        ))?;
    }
    Ok(Ending::Done)
}
