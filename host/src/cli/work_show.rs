//! `onceward work show`: what a work was given, what was decided, what went out, and all that happened, in order.

use crate::cli::caller;
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::Store;
use crate::store::decided::{DecisionEntry, DecisionFilter};
use crate::store::evidence::Evidence;
use crate::store::intent::Intent;
use crate::store::outbox::{OutboxFilter, OutboxRow};
use crate::store::work::{WorkRecord, WorkRef};
use anyhow::{Result, anyhow};
use serde_json::{Value, json};

/// Rows or decisions of a work that are shown.
const SHOWN_MAX: u32 = 1_000;

/// A work with what belongs to it.
struct Whole {
    work: WorkRecord,
    decisions: Vec<DecisionEntry>,
    rows: Vec<OutboxRow>,
    effects: Vec<Intent>,
    evidence: Vec<Evidence>,
}

/// Show one work, or all that came of its event.
pub(super) async fn show(
    store: &dyn Store,
    namespace: &str,
    text: &str,
    family: bool,
    format: Format,
) -> Result<()> {
    let reference = find::work(store, namespace, text, "showing a work").await?;
    let id = reference.id;
    let work = store
        .work_show(reference)
        .await?
        .ok_or_else(|| anyhow!("showing a work: {id} was removed in the meantime"))?;
    let stage = store.progress_find(namespace, work.root_key).await?;
    if !family {
        let whole = Whole::of(store, work).await?;
        return if format == Format::Json {
            output::json(&whole.json(stage.as_deref()))
        } else {
            whole.print(stage.as_deref())?;
            output::line("")?;
            let lines: Vec<[String; 3]> = whole.evidence.iter().map(line).collect();
            output::table(["WHEN", "WHAT", "DETAIL"], &lines)
        };
    }
    let mut works = Vec::new();
    for work in store.work_family(namespace, work.root_key).await? {
        works.push(Whole::of(store, work).await?);
    }
    if format == Format::Json {
        let all = works.iter().map(|whole| whole.json(None)).collect::<Vec<_>>();
        return output::json(&json!({ "stage": stage, "works": all }));
    }
    for whole in &works {
        whole.print(stage.as_deref())?;
        output::line("")?;
    }
    print_in_order(&works)
}

/// The evidence of several works as one story.
fn print_in_order(works: &[Whole]) -> Result<()> {
    let mut story: Vec<(&Evidence, &str)> = works
        .iter()
        .flat_map(|whole| whole.evidence.iter().map(|line| (line, whole.work.step.as_str())))
        .collect();
    story.sort_by_key(|(line, _)| line.seq);
    let lines: Vec<[String; 4]> = story
        .into_iter()
        .map(|(happened, step)| {
            let [when, what, detail] = line(happened);
            [when, step.to_owned(), what, detail]
        })
        .collect();
    output::table(["WHEN", "STEP", "WHAT", "DETAIL"], &lines)
}

fn line(line: &Evidence) -> [String; 3] {
    [output::time(line.at_ms), line.kind.clone(), line.detail.clone()]
}

impl Whole {
    async fn of(store: &dyn Store, work: WorkRecord) -> Result<Self> {
        let (namespace, id) = (work.namespace.clone(), work.work_id);
        let reference = WorkRef { namespace: namespace.clone(), id };
        let decisions = DecisionFilter {
            namespace: namespace.clone(),
            work: Some(id),
            slot: None,
            waiting: false,
            limit: SHOWN_MAX,
        };
        let rows = OutboxFilter { namespace, state: None, work: Some(id), limit: SHOWN_MAX };
        Ok(Self {
            decisions: store.decision_list(decisions).await?,
            rows: store.outbox_list(rows).await?,
            effects: store.effect_list(reference.clone()).await?,
            evidence: store.evidence_list(reference).await?,
            work,
        })
    }

    fn json(&self, stage: Option<&str>) -> Value {
        json!({
            "work": self.work,
            "stage": stage,
            "decisions": self.decisions,
            "rows": self.rows,
            "effects": self.effects,
            "evidence": self.evidence,
        })
    }

    fn print(&self, stage: Option<&str>) -> Result<()> {
        let work = &self.work;
        output::line(&work.readable_key)?;
        let field = |name: &str, value: &str| output::line(format!("  {name:<12} {value}"));
        field("work", &work.work_id.to_string())?;
        let state =
            format!("{}, attempt {}, {} duplicates", work.state.word(), work.attempt, work.duplicates);
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
        for entry in &self.decisions {
            field("decision", &decision_text(entry))?;
        }
        for row in &self.rows {
            field("row", &row_text(row))?;
        }
        caller::print_effects(&self.effects)
    }
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
