//! `onceward work reprocess`: old events under a raised version.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::reprocess::Reprocessed;
use crate::store::work::WorkRef;
use anyhow::Result;
use serde_json::{Value, json};

pub(super) async fn reprocess(config: &Config, texts: &[String], by: By, format: Format) -> Result<Ending> {
    let actor = by.actor()?;
    let host = compose::host(config).await?;
    let dispatcher = &host.dispatcher;
    // All are looked up before any is run, so that a wrong one changes nothing.
    let mut works = Vec::with_capacity(texts.len());
    for text in texts {
        works.push(find::work(&**dispatcher.store(), &config.namespace, text, "reprocessing a work").await?);
    }
    let mut told = Vec::with_capacity(works.len());
    for work in works {
        let became = dispatcher.reprocess(work.clone(), actor.clone()).await?;
        told.push((work, became));
    }
    if format == Format::Json {
        output::json(&told.iter().map(|(work, became)| in_json(work, became)).collect())?;
    } else {
        told.iter().try_for_each(|(work, became)| output::line(text(work, became)))?;
        output::line("  run what waits with `onceward resume`")?;
    }
    Ok(Ending::when(told.iter().all(|(_, became)| matches!(became, Reprocessed::Applied { .. }))))
}

fn in_json(work: &WorkRef, became: &Reprocessed) -> Value {
    let (verdict, detail) = match became {
        Reprocessed::Applied { id } => ("reprocessed", json!({ "as": id })),
        Reprocessed::NotRaised { version } => ("not-raised", json!({ "version": version })),
        Reprocessed::Already { id } => ("already", json!({ "as": id })),
        Reprocessed::Unfinished { id, state } => {
            ("unfinished", json!({ "work_id": id, "state": state.word() }))
        }
        Reprocessed::Erased => ("erased", json!({})),
        Reprocessed::NoEvent => ("no-event", json!({})),
        Reprocessed::Unknown => ("unknown", json!({})),
    };
    json!({ "work_id": work.id, "verdict": verdict, "detail": detail })
}

fn text(work: &WorkRef, became: &Reprocessed) -> String {
    let work = output::short(work.id);
    match became {
        Reprocessed::Applied { id } => format!("{work} runs again as {}", output::short(id)),
        Reprocessed::NotRaised { version } => {
            format!("{work} was recorded under version {version}; raise the step's version to run it again")
        }
        Reprocessed::Already { id } => format!("{work} has been run again already, as {}", output::short(id)),
        Reprocessed::Unfinished { id, state } => format!(
            "{work} has not come to its end: {} is {}; finish that first",
            output::short(id),
            state.word()
        ),
        Reprocessed::Erased => {
            format!(
                "{work} was erased on request, so that there is nothing to run; send the event under a key of its own"
            )
        }
        Reprocessed::NoEvent => {
            format!("{work} stands for no event; reprocess the work that it descends from")
        }
        Reprocessed::Unknown => format!("{work} is not there any more"),
    }
}
