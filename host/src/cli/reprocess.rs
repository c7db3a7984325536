//! `onceward work reprocess`: old events under a raised version.

use crate::api::reprocess::ReprocessedWork;
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::work_act;
use anyhow::Result;
use serde_json::{Value, json};

pub(super) async fn reprocess(config: &Config, texts: &[String], by: By, format: Format) -> Result<Ending> {
    let said = by.said()?;
    let client = Client::acting_with_steps(config).await?;
    // All are looked up before any is run, so that a wrong one changes nothing.
    let works = work_act::ids(&client, texts).await?;
    let (mut told, mut texts) = (Vec::<Value>::with_capacity(works.len()), Vec::with_capacity(works.len()));
    let mut all = true;
    for work in works {
        let id = work.to_string();
        match client.try_post(&["v1", "works", &id, "reprocess"], &said, None).await? {
            Ok(answer) => {
                let ReprocessedWork { verdict, r#as, .. } = answer.read()?;
                all &= verdict == ReprocessedWork::REPROCESSED;
                let how = if verdict == ReprocessedWork::ALREADY {
                    "has been run again already,"
                } else {
                    "runs again"
                };
                texts.push(format!("{} {how} as {}", output::short(work), output::short(r#as)));
                told.push(answer.body);
            }
            Err(problem) => {
                all = false;
                texts.push(problem.detail.clone());
                told.push(serde_json::to_value(problem)?);
            }
        }
    }
    if format == Format::Json {
        output::json(&json!(told))?;
    } else {
        texts.iter().try_for_each(output::line)?;
        output::line("  a running host runs what waits; without one, `onceward resume` does")?;
    }
    Ok(Ending::when(all))
}
