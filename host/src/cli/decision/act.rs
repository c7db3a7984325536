//! What a person says about a decision on the command line.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decision::Act;
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::slot::{SlotApproval, SlotDecided, SlotDecision, SlotRef};
use crate::store::work::WorkState;
use anyhow::{Result, bail};
use serde_json::json;

/// How an act begins in an error.
const DOING: &str = "deciding about a decision";

pub(super) async fn act(config: &Config, act: Act, decision: SlotDecision, format: Format) -> Result<Ending> {
    let actor = act.by.actor()?;
    let (store, _) = compose::owner(config)?;
    let work = find::work(&*store, &config.namespace, &act.work, DOING).await?;
    let id = work.id;
    let slot = SlotRef { work, slot: act.slot };
    let decided = store.decision_decide(slot.clone(), decision, actor).await?;
    let (name, text, word) = (&slot.slot, output::short(id), word(&decision));
    let state = done(decided, name, &text)?;
    if format == Format::Json {
        let state = state.map(WorkState::word);
        let already = state.is_none();
        output::json(&json!({
            "work_id": id, "slot": name, "decision": word, "already": already, "work_state": state,
        }))?;
        return Ok(Ending::Done);
    }
    output::line(match state {
        None => format!("decision {name:?} of {text} was {word} before; nothing was changed"),
        Some(WorkState::Waiting) => {
            format!(
                "decision {name:?} of {text} is {word} now; the work is due, run it with `onceward resume`"
            )
        }
        Some(WorkState::Dead) => {
            format!("decision {name:?} of {text} is {word} now; the work is dead, see `onceward work replay`")
        }
        Some(state) => format!("decision {name:?} of {text} is {word} now; the work is {}", state.word()),
    })?;
    Ok(Ending::Done)
}

const fn word(decision: &SlotDecision) -> &'static str {
    match decision {
        SlotDecision::Approve(_) => "approved",
        SlotDecision::Reject(_) => "rejected",
        SlotDecision::Renew(_) => "renewed",
    }
}

/// How the work stands where it was done now, none where it was done before; else why not, and what can be done instead.
fn done(decided: SlotDecided, name: &str, work: &str) -> Result<Option<WorkState>> {
    let why = match decided {
        SlotDecided::Applied { work } => return Ok(Some(work)),
        SlotDecided::Already => return Ok(None),
        SlotDecided::Unknown => {
            format!("{work} has no decision named {name:?}; see `onceward decision show {work}`")
        }
        SlotDecided::Changed { revision, answer } => format!(
            "decision {name:?} of {work} is revision {revision} with the answer {answer} now; read it again with `onceward decision show`"
        ),
        SlotDecided::NotAsked => format!(
            "no run waits for decision {name:?} of {work}; the operator asks for approvals with `hold_decisions`, and `renew` has the model asked anew"
        ),
        SlotDecided::Contrary(SlotApproval::Approved { by, .. }) => {
            format!("decision {name:?} of {work} was approved by {by}; renew it to have it asked anew")
        }
        SlotDecided::Contrary(_) => {
            format!("decision {name:?} of {work} was rejected; renew it to have it asked anew")
        }
        SlotDecided::Expired(at_ms) => format!(
            "the request to approve {name:?} of {work} was open until {}; renew or reject it",
            output::time(at_ms)
        ),
        SlotDecided::Refused(state) => {
            format!("{work} is {}, and this can't be said of such a work", state.word())
        }
        SlotDecided::Committed => format!(
            "effects of {work} have been committed, which rest on decision {name:?}; correct them where they are"
        ),
    };
    bail!("{DOING}: {why}; nothing was changed")
}
