//! What a person says about a decision on the command line.

use crate::api::decision_acts::{DecideSlot, DecidedSlot};
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decision::Act;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::work::WorkState;
use anyhow::Result;

pub(super) async fn act(config: &Config, act: Act, verb: &str, format: Format) -> Result<Ending> {
    let (by, why) = act.by.words()?;
    let asked = DecideSlot { revision: act.revision, answer_hash: act.hash, by: Some(by), why };
    let client = Client::acting(config).await?;
    let answer = client.post(&["v1", "decisions", &act.work, &act.slot, verb], &asked).await?;
    if format == Format::Json {
        output::json(&answer.body)?;
        return Ok(Ending::Done);
    }
    let DecidedSlot { work_id, slot, decision: word, work_state, .. } = answer.read()?;
    let work = output::short(work_id);
    output::line(match work_state {
        None => format!("decision {slot:?} of {work} was {word} before; nothing was changed"),
        Some(WorkState::Waiting) => format!(
            "decision {slot:?} of {work} is {word} now; the work is due, run it with `onceward resume`"
        ),
        Some(WorkState::Dead) => {
            format!("decision {slot:?} of {work} is {word} now; the work is dead, see `onceward work replay`")
        }
        Some(state) => format!("decision {slot:?} of {work} is {word} now; the work is {}", state.word()),
    })?;
    Ok(Ending::Done)
}
