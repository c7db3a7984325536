//! `onceward work erase`: payloads go on request, and the identity stays.

use crate::api::erase::{Erase, ErasedWork};
use crate::cli::Ending;
use crate::cli::client::{Client, said};
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::work_act;
use crate::identity::key::WorkId;
use crate::store::retention::Erased;
use anyhow::Result;
use serde_json::json;

pub(super) async fn erase(config: &Config, texts: &[String], by: By, format: Format) -> Result<Ending> {
    let (by, why) = by.words()?;
    let asked = |scrub| Erase { scrub, by: Some(by.clone()), why: why.clone() };
    let client = Client::acting(config).await?;
    // All are found before the first is erased, so that a slip of the hand erases nothing.
    let works = work_act::ids(&client, texts).await?;
    let (mut erased, mut refused) = (Vec::<ErasedWork>::new(), None);
    for (place, work) in works.iter().enumerate() {
        // The file is rewritten once, with the last of them.
        let last = place + 1 == works.len();
        match one(&client, *work, &asked(last)).await? {
            Ok(gone) => erased.push(gone),
            Err(problem) => {
                refused = Some(problem);
                break;
            }
        }
    }
    let mut scrubbed = erased.last().is_none_or(|last| last.scrubbed);
    if let (Some(_), Some(last)) = (&refused, erased.last()) {
        // What was erased before the one that was refused must not be left in the file.
        scrubbed = one(&client, last.work_id, &asked(true)).await?.is_ok_and(|again| again.scrubbed);
    }
    print(&erased, scrubbed, format)?;
    refused.map_or(Ok(Ending::when(scrubbed)), Err)
}

async fn one(client: &Client, work: WorkId, asked: &Erase) -> Result<Result<ErasedWork>> {
    let id = work.to_string();
    Ok(match client.try_post(&["v1", "works", &id, "erase"], asked, None).await? {
        Ok(answer) => Ok(answer.read()?),
        Err(problem) => Err(said(&problem)),
    })
}

fn print(erased: &[ErasedWork], scrubbed: bool, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&json!({ "works": erased, "scrubbed": scrubbed }));
    }
    for ErasedWork { work_id: work, erased, .. } in erased {
        let Erased { works, rows, answers, events } = erased;
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
