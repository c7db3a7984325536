//! `onceward work erase`: payloads go on request, and the identity stays.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::identity::key::WorkId;
use crate::store::Store;
use crate::store::operate::Actor;
use crate::store::retention::{Erased, Erasure};
use crate::store::work::WorkRef;
use anyhow::{Result, bail};
use serde_json::json;

pub(super) async fn erase(config: &Config, texts: &[String], by: By, format: Format) -> Result<Ending> {
    let actor = by.actor()?;
    let (store, _) = compose::owner(config)?;
    let mut works = Vec::new();
    for text in texts {
        // All are found before the first is erased, so that a slip of the hand erases nothing.
        works.push(find::work(&*store, &config.namespace, text, "erasing a work").await?);
    }
    let (mut erased, mut refused) = (Vec::new(), None);
    for work in works {
        match erase_one(&*store, &work, &actor).await {
            Ok(gone) => erased.push((work.id, gone)),
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    // Also where one was refused: what was erased before it must not be left in the file.
    let scrubbed = erased.is_empty() || store.payload_scrub().await?;
    print(&erased, scrubbed, format)?;
    refused.map_or(Ok(Ending::when(scrubbed)), Err)
}

async fn erase_one(store: &dyn Store, work: &WorkRef, actor: &Actor) -> Result<Erased> {
    let id = work.id;
    match store.payload_erase(work.clone(), actor.clone()).await? {
        Erasure::Applied(erased) => Ok(erased),
        Erasure::OpenWork { work, state } => bail!(
            "erasing the work {}: {} of the same event is {}, and may still need its payload; let it end, or end it with `onceward work cancel` or `reject`; nothing of this event was erased",
            output::short(id),
            output::short(work),
            state.word()
        ),
        Erasure::OpenRow { row, state } => bail!(
            "erasing the work {}: its row {} is {}, and may still go out; deliver it, or end it with `onceward outbox resolve`; nothing of this event was erased",
            output::short(id),
            output::short(row),
            state.word()
        ),
        Erasure::Unknown => bail!("erasing the work {id}: it is not there any more"),
    }
}

fn print(erased: &[(WorkId, Erased)], scrubbed: bool, format: Format) -> Result<()> {
    if format == Format::Json {
        let works = erased.iter().map(|(work, erased)| json!({ "work": work, "erased": erased }));
        return output::json(&json!({ "works": works.collect::<Vec<_>>(), "scrubbed": scrubbed }));
    }
    for (work, Erased { works, rows, answers, events }) in erased {
        output::line(if works + rows + answers + events == 0 {
            format!("{}: erased before", output::short(work))
        } else {
            format!(
                "{}: erased the payloads of {works} works, {rows} rows, {answers} answers and {events} kept events; their identity stays",
                output::short(work)
            )
        })?;
    }
    if !scrubbed {
        output::line(
            "  the journal still holds old pages, which another process reads; run this again when it has ended",
        )?;
    }
    Ok(())
}
