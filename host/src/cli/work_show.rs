//! `onceward work show`: what a work was given, what was decided, what went out, and all that happened, in order.

use crate::api::work_show::{FamilyEvidence, WholeFamily, WholeWork, WorkParts};
use crate::cli::Ending;
use crate::cli::caller;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::decided::DecisionEntry;
use crate::store::evidence::Evidence;
use crate::store::outbox::OutboxRow;
use anyhow::Result;

/// Show one work, or all that came of its event.
pub(super) async fn show(config: &Config, text: &str, family: bool, format: Format) -> Result<Ending> {
    let client = Client::reading(config).await?;
    let answer = client.get(&["v1", "works", text], &[("family", family.to_string())]).await?;
    if format == Format::Json {
        output::json(&answer.body)?;
    } else if family {
        print_family(&answer.read()?)?;
    } else {
        let WholeWork { parts, stage, evidence } = answer.read()?;
        print(&parts, stage.as_deref())?;
        output::line("")?;
        let lines: Vec<[String; 3]> = evidence.iter().map(line).collect();
        output::table(["WHEN", "WHAT", "DETAIL"], &lines)?;
    }
    Ok(Ending::Done)
}

/// The works, and what happened to all of them as one story.
fn print_family(WholeFamily { stage, works, evidence }: &WholeFamily) -> Result<()> {
    for parts in works {
        print(parts, stage.as_deref())?;
        output::line("")?;
    }
    let lines: Vec<[String; 4]> = evidence
        .iter()
        .map(|FamilyEvidence { step, line: happened, .. }| {
            let [when, what, detail] = line(happened);
            [when, step.clone(), what, detail]
        })
        .collect();
    output::table(["WHEN", "STEP", "WHAT", "DETAIL"], &lines)
}

fn line(line: &Evidence) -> [String; 3] {
    [output::time(line.at_ms), line.kind.clone(), line.detail.clone()]
}

fn print(WorkParts { work, decisions, rows, effects }: &WorkParts, stage: Option<&str>) -> Result<()> {
    output::line(&work.readable_key)?;
    let field = |name: &str, value: &str| output::line(format!("  {name:<12} {value}"));
    field("work", &work.work_id.to_string())?;
    let state = format!("{}, attempt {}, {} duplicates", work.state.word(), work.attempt, work.duplicates);
    field("state", &state)?;
    field("event", &format!("{} {}", work.source, work.event_id.as_deref().unwrap_or("(no id)")))?;
    field("occurred", &output::time(work.occurred_at_ms))?;
    field("input", &work.payload)?;
    for (name, value) in [
        ("stage", stage),
        ("review", work.needs_review.as_deref()),
        ("cause", work.cause.as_deref()),
        ("result", work.output.as_deref()),
    ] {
        if let Some(value) = value {
            field(name, value)?;
        }
    }
    for entry in decisions {
        field("decision", &decision_text(entry))?;
    }
    for row in rows {
        field("row", &row_text(row))?;
    }
    caller::print_effects(effects)
}

fn decision_text(entry: &DecisionEntry) -> String {
    let Some(decided) = &entry.decided else { return format!("{}: to be asked anew", entry.slot) };
    let whose = match decided.origin.as_str() {
        "rule" => "by rule".to_owned(),
        origin => format!("{origin}, {}", decided.model),
    };
    let replays =
        if entry.replays > 0 { format!(", replayed {} times", entry.replays) } else { String::new() };
    format!("{} ({whose}{replays}): {}", entry.slot, decided.answer)
}

fn row_text(row: &OutboxRow) -> String {
    let reference = row.external_reference.as_ref().map(|r| format!(", reference {r}")).unwrap_or_default();
    format!("{} to {}: {}{reference}", output::short(row.row_id), row.destination, row.state.word())
}
