//! Decisions, as they are shown.

use crate::api::decisions::{DecisionList, WorkDecisions};
use crate::cli::client::Answer;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::decided::{Decided, DecisionEntry};
use crate::store::decision::Figures;
use crate::store::slot::SlotApproval;
use anyhow::Result;

/// Millionths in one.
const MICROS: u64 = 1_000_000;

pub(super) fn list(answer: &Answer, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&answer.body);
    }
    let DecisionList { decisions: entries, totals } = answer.read()?;
    let rows: Vec<[String; 8]> = entries
        .iter()
        .map(|entry| {
            let of = |text: fn(&Decided) -> String| entry.decided.as_ref().map(text).unwrap_or_default();
            [
                output::short(entry.work_id),
                entry.slot.clone(),
                entry.revision.to_string(),
                of(|decided| decided.origin.clone()),
                of(|decided| decided.model.clone()),
                entry.replays.to_string(),
                approval(&entry.approval),
                output::cut(&of(|decided| decided.answer.clone())),
            ]
        })
        .collect();
    output::table(["WORK", "SLOT", "REVISION", "ORIGIN", "MODEL", "REPLAYS", "APPROVAL", "ANSWER"], &rows)?;
    if totals.is_empty() {
        return Ok(());
    }
    output::line("")?;
    let rows: Vec<[String; 9]> = totals
        .iter()
        .map(|total| {
            let numbers = [total.calls, total.failed_calls, total.tokens_in, total.tokens_out];
            let [calls, failed, tokens_in, tokens_out] = numbers.map(|number| number.to_string());
            let [asked, cached, replayed] =
                [total.asked, total.cached, total.replayed].map(|number| number.to_string());
            let (model, cost) = (total.model.clone(), cost(total.cost_micros));
            [model, calls, failed, tokens_in, tokens_out, cost, asked, cached, replayed]
        })
        .collect();
    output::table(
        ["MODEL", "CALLS", "FAILED", "TOKENS IN", "TOKENS OUT", "COST", "ASKED", "FROM CACHE", "REPLAYED"],
        &rows,
    )?;
    output::line("answers from the cache, and replays to later attempts, were given without a call")
}

pub(super) fn work(of: &WorkDecisions, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(of)?);
    }
    let WorkDecisions { work_id: id, decisions: entries } = of;
    let Some(first) = entries.first() else {
        return output::line(format!("work {} has no decision", output::short(id)));
    };
    output::line(&first.work_key)?;
    output::line(format!("  work {id}, {}", first.work_state.word()))?;
    entries.iter().try_for_each(slot)
}

fn slot(entry: &DecisionEntry) -> Result<()> {
    let field = |name: &str, value: String| output::line(format!("  {name:<12} {value}"));
    output::line("")?;
    field("slot", entry.slot.clone())?;
    field("revision", entry.revision.to_string())?;
    field("decided", output::time(entry.created_ms))?;
    field("replays", format!("{}, without a call", entry.replays))?;
    field("approval", approval(&entry.approval))?;
    let Some(decided) = &entry.decided else {
        return field("answer", "none; the next run asks anew".to_owned());
    };
    let Decided { answer, answer_hash, origin, model, prompt_version, figures } = decided;
    if origin == "rule" {
        field("origin", "by rule, without a call".to_owned())?;
    } else {
        let free = if origin == "cached" { ", without a call; it was first asked with" } else { "," };
        field("origin", format!("{origin}: {model}, prompt {prompt_version}{free} {}", took(figures)))?;
    }
    field("hash", answer_hash.to_string())?;
    field("answer", answer.clone())
}

fn took(figures: &Figures) -> String {
    let Figures { calls, tokens_in, tokens_out, cost_micros, latency_ms } = figures;
    let known =
        |number: &Option<u64>| number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
    let cost = cost_micros.map_or_else(|| "unknown".to_owned(), cost);
    format!(
        "calls {calls}, tokens in {}, tokens out {}, cost {cost}, {latency_ms} ms",
        known(tokens_in),
        known(tokens_out)
    )
}

fn approval(approval: &SlotApproval) -> String {
    match approval {
        SlotApproval::NotAsked => "not asked for".to_owned(),
        SlotApproval::Waiting { expires_ms: None } => "waits".to_owned(),
        SlotApproval::Waiting { expires_ms: Some(at_ms) } => format!("waits until {}", output::time(*at_ms)),
        SlotApproval::Approved { by, at_ms } => format!("approved by {by} {}", output::time(*at_ms)),
        SlotApproval::Rejected { reason, at_ms } => format!("rejected {}: {reason}", output::time(*at_ms)),
    }
}

/// A price in the provider's currency.
fn cost(micros: u64) -> String {
    format!("{}.{:06}", micros / MICROS, micros % MICROS)
}
