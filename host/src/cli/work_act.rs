//! What a person decides about one work: said to the API, and told in words.

use crate::api::work_acts::{Resolve, WorkActed, WorkResolution};
use crate::api::work_show::WholeWork;
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::identity::json_text::parse;
use crate::identity::key::WorkId;
use crate::store::work::WorkState;
use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::value::RawValue;

/// How a work in doubt is resolved.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Resolution {
    /// It has happened.
    Done,
    /// It has not happened: run it again.
    Again,
    /// Leave it as a dead letter.
    Dead,
}

impl Resolution {
    /// A person's word, with what was said beside it.
    pub(super) fn said(self, output: Option<String>, reference: Option<String>, by: By) -> Result<Resolve> {
        let (by, why) = by.words()?;
        if let Some(output) = &output {
            parse(output).context("resolving a work: --output is not acceptable JSON")?;
        }
        let output = output.map(RawValue::from_string).transpose();
        Ok(Resolve {
            r#as: match self {
                Self::Done => WorkResolution::Done,
                Self::Again => WorkResolution::Again,
                Self::Dead => WorkResolution::Dead,
            },
            output: output.context("resolving a work: --output is not acceptable JSON")?,
            reference,
            by: Some(by),
            why,
        })
    }
}

/// Decide about one work. An act that waits for the end of a run is not done yet.
pub(super) async fn act(
    config: &Config,
    text: &str,
    act: &str,
    said: &impl Serialize,
    format: Format,
) -> Result<Ending> {
    let answer = Client::acting(config).await?.post(&["v1", "works", text, act], said).await?;
    let acted: WorkActed = answer.read()?;
    if format == Format::Json {
        output::json(&answer.body)?;
    } else if acted.verdict == WorkActed::APPLIED {
        output::line(format!("work {} is {} now", output::short(acted.work_id), acted.state.word()))?;
    } else {
        let (work, to) = (output::short(acted.work_id), WorkState::Cancelled.word());
        output::line(format!("work {work} is still {}, and is {to} when its run ends", acted.state.word()))?;
    }
    Ok(Ending::when(acted.verdict == WorkActed::APPLIED))
}

/// The ids of these works, all of them or an error, so that a slip of the hand changes nothing.
pub(super) async fn ids(client: &Client, texts: &[String]) -> Result<Vec<WorkId>> {
    let mut ids = Vec::with_capacity(texts.len());
    for text in texts {
        let found: WholeWork = client.get(&["v1", "works", text], &[]).await?.read()?;
        ids.push(found.parts.work.work_id);
    }
    Ok(ids)
}
