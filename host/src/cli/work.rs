//! `onceward work`: works, and how they stand.

use crate::cli::Ending;
use crate::cli::bulk;
use crate::cli::bulk::Selection;
use crate::cli::caller;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide;
use crate::cli::decide::{By, WorkResolution};
use crate::cli::erase;
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::reprocess;
use crate::store::Store;
use crate::store::bulk::WorkChoice;
use crate::store::evidence::Evidence;
use crate::store::intent::Intent;
use crate::store::operate::WorkDecision;
use crate::store::outbox::{OutboxFilter, OutboxRow};
use crate::store::work::{WorkFilter, WorkRecord, WorkState};
use anyhow::{Result, anyhow};
use serde_json::json;

/// Rows of a work that are shown.
const ROWS_SHOWN_MAX: u32 = 1_000;

/// Verbs of `work`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Works, newest first.
    List {
        /// Only this state: waiting, running, done, review, rejected, in-doubt, dead or cancelled.
        #[arg(long)]
        state: Option<String>,
        /// Only this step.
        #[arg(long)]
        step: Option<String>,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// One work with its evidence.
    Show {
        /// The id, its beginning, or the readable key.
        work: String,
    },
    /// Run a dead work, or one in review, again: the same identity, a fresh budget. Or many.
    Replay {
        /// The id, its beginning, or the readable key.
        #[arg(id = "one", value_name = "WORK", required_unless_present = "all", conflicts_with = "all")]
        work: Option<String>,
        #[command(flatten)]
        selection: Selection,
        /// With `--all`: works in this state, dead or review.
        #[arg(long, requires = "all", conflicts_with = "one", default_value = "dead")]
        state: String,
        /// With `--all`: works of this step alone.
        #[arg(long, requires = "all", conflicts_with = "one")]
        step: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Run the events of old works under their step's present version. Their effects keep their ids.
    Reprocess {
        /// Ids, their beginnings, or readable keys.
        #[arg(required = true)]
        works: Vec<String>,
        #[command(flatten)]
        by: By,
    },
    /// Say that a dead work, or one in review, shall never run.
    Reject {
        /// The id, its beginning, or the readable key.
        work: String,
        #[command(flatten)]
        by: By,
    },
    /// Say what happened to a work in doubt.
    Resolve {
        /// The id, its beginning, or the readable key.
        work: String,
        /// What happened, or shall happen.
        #[arg(long, value_enum, value_name = "OUTCOME")]
        r#as: WorkResolution,
        /// With `--as done`: the result for those who ask again.
        #[arg(long, value_name = "JSON")]
        output: Option<String>,
        /// With `--as done`: the id that the third party gave.
        #[arg(long)]
        reference: Option<String>,
        #[command(flatten)]
        by: By,
    },
    /// Erase the payloads of an event and of all that came of it, and rewrite the ledger file without them. Its identity
    /// stays, so that a repeat is still one.
    Erase {
        /// The id, its beginning, or the readable key of any work of the event. More than one are erased in one go.
        #[arg(required = true, value_name = "WORK")]
        works: Vec<String>,
        #[command(flatten)]
        by: By,
    },
    /// Stop a work that waits, or is in review.
    Cancel {
        /// The id, its beginning, or the readable key.
        work: String,
        #[command(flatten)]
        by: By,
    },
}

pub(super) async fn work(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List { state, step, limit } => {
            let store = compose::read_only(config)?;
            let state = state.as_deref().map(parse_state).transpose()?;
            let filter = WorkFilter { namespace: config.namespace.clone(), state, step, limit };
            list(&store.work_list(filter).await?, format)?;
        }
        Verb::Show { work } => show(&*compose::read_only(config)?, &config.namespace, &work, format).await?,
        Verb::Replay { work: None, selection, state, step, by } => {
            let state = parse_state(&state)?;
            let (namespace, cause) = (config.namespace.clone(), selection.cause.clone());
            let choice = WorkChoice { namespace, state, step, cause };
            return bulk::replay_works(config, choice, &selection, by, format).await;
        }
        Verb::Replay { work: Some(work), by, .. } => {
            return decide::work(config, &work, WorkDecision::Replay { due_in_ms: 0 }, by, format).await;
        }
        Verb::Reject { work, by } => {
            return decide::work(config, &work, WorkDecision::Reject, by, format).await;
        }
        Verb::Reprocess { works, by } => return reprocess::reprocess(config, &works, by, format).await,
        Verb::Resolve { work, r#as, output, reference, by } => {
            let decision = r#as.decision(output, reference)?;
            return decide::work(config, &work, decision, by, format).await;
        }
        Verb::Erase { works, by } => return erase::erase(config, &works, by, format).await,
        Verb::Cancel { work, by } => {
            return decide::work(config, &work, WorkDecision::Cancel, by, format).await;
        }
    }
    Ok(Ending::Done)
}

fn parse_state(word: &str) -> Result<WorkState> {
    WorkState::from_word(word).ok_or_else(|| {
        anyhow!(
            "listing works: there is no state {word:?}; take one of {}",
            WorkState::ALL.map(WorkState::word).join(", ")
        )
    })
}

fn list(works: &[WorkRecord], format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&serde_json::to_value(works)?);
    }
    let rows: Vec<[String; 6]> = works
        .iter()
        .map(|work| {
            let remark = match work.state {
                WorkState::Done => work.needs_review.as_ref().map(|reason| format!("review: {reason}")),
                _ => work.cause.clone(),
            };
            [
                output::short(work.work_id),
                work.state.word().to_owned(),
                work.attempt.to_string(),
                work.duplicates.to_string(),
                work.readable_key.clone(),
                output::cut(&remark.unwrap_or_default()),
            ]
        })
        .collect();
    output::table(["WORK", "STATE", "ATTEMPT", "DUPLICATES", "KEY", "REMARK"], &rows)
}

async fn show(store: &dyn Store, namespace: &str, text: &str, format: Format) -> Result<()> {
    let reference = find::work(store, namespace, text, "showing a work").await?;
    let id = reference.id;
    let work = store
        .work_show(reference.clone())
        .await?
        .ok_or_else(|| anyhow!("showing a work: {id} was removed in the meantime"))?;
    let filter =
        OutboxFilter { namespace: namespace.to_owned(), state: None, work: Some(id), limit: ROWS_SHOWN_MAX };
    let rows = store.outbox_list(filter).await?;
    let effects = store.effect_list(reference.clone()).await?;
    let evidence = store.evidence_list(reference).await?;
    let stage = store.progress_find(namespace, work.root_key).await?;
    if format == Format::Json {
        return output::json(
            &json!({ "work": work, "stage": stage, "rows": rows, "effects": effects, "evidence": evidence }),
        );
    }
    print(&work, stage.as_deref(), &rows, &effects, &evidence)
}

fn print(
    work: &WorkRecord,
    stage: Option<&str>,
    rows: &[OutboxRow],
    effects: &[Intent],
    evidence: &[Evidence],
) -> Result<()> {
    output::line(&work.readable_key)?;
    let field = |name: &str, value: String| output::line(format!("  {name:<12} {value}"));
    field("work", work.work_id.to_string())?;
    field(
        "state",
        format!("{}, attempt {}, {} duplicates", work.state.word(), work.attempt, work.duplicates),
    )?;
    field("event", format!("{} {}", work.source, work.event_id.as_deref().unwrap_or("(no id)")))?;
    field("occurred", output::time(work.occurred_at_ms))?;
    for (name, value) in [
        ("stage", stage),
        ("review", work.needs_review.as_deref()),
        ("cause", work.cause.as_deref()),
        ("result", work.output.as_deref()),
    ] {
        if let Some(value) = value {
            field(name, value.to_owned())?;
        }
    }
    for row in rows {
        let reference =
            row.external_reference.as_ref().map(|r| format!(", reference {r}")).unwrap_or_default();
        field(
            "row",
            format!("{} to {}: {}{reference}", output::short(row.row_id), row.destination, row.state.word()),
        )?;
    }
    caller::print_effects(effects)?;
    output::line("")?;
    let lines: Vec<[String; 3]> = evidence
        .iter()
        .map(|line| [output::time(line.at_ms), line.kind.clone(), line.detail.clone()])
        .collect();
    output::table(["WHEN", "WHAT", "DETAIL"], &lines)
}
