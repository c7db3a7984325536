//! What a person decides about one row: said to the API, and told in words.

use crate::api::row_acts::{RowActed, RowResolution};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use anyhow::Result;
use serde::Serialize;

/// How a row is resolved.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Resolution {
    /// It has been applied at the destination.
    Sent,
    /// It has not been applied: send it again.
    Again,
    /// Let the destination tell: send it again where a repeat does nothing, and look it up where that can be done.
    Check,
    /// It shall not go out.
    Cancel,
}

impl From<Resolution> for RowResolution {
    fn from(resolution: Resolution) -> Self {
        match resolution {
            Resolution::Sent => Self::Sent,
            Resolution::Again => Self::Again,
            Resolution::Check => Self::Check,
            Resolution::Cancel => Self::Cancel,
        }
    }
}

/// Decide about one row.
pub(super) async fn act(
    config: &Config,
    text: &str,
    act: &str,
    said: &impl Serialize,
    format: Format,
) -> Result<Ending> {
    let answer = Client::acting(config).await?.post(&["v1", "rows", text, act], said).await?;
    let acted: RowActed = answer.read()?;
    if format == Format::Json {
        output::json(&answer.body)?;
    } else {
        output::line(format!("row {} is {} now", output::short(acted.row_id), acted.state.word()))?;
    }
    Ok(Ending::Done)
}
