//! `onceward work`: works, and how they stand.

use crate::api::bulk::ReplayMany;
use crate::api::works::Works;
use crate::cli::Ending;
use crate::cli::bulk;
use crate::cli::bulk::Selection;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::erase;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::pages::{pages, query};
use crate::cli::reprocess;
use crate::cli::work_act;
use crate::cli::work_act::Resolution;
use crate::cli::work_show;
use crate::store::work::{WorkRecord, WorkState};
use anyhow::{Result, anyhow};

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
    /// One work with its input, its decisions, its rows and its evidence.
    Show {
        /// The id, its beginning, or the readable key.
        work: String,
        /// With all that came of the same event, and the evidence of all of it in one order.
        #[arg(long)]
        family: bool,
    },
    /// Run a dead work, or one in review, again: the same identity, a fresh budget. Or many.
    Replay {
        /// The id, its beginning, or the readable key.
        #[arg(id = "one", value_name = "WORK", required_unless_present = "all", conflicts_with = "all")]
        work: Option<String>,
        #[command(flatten)]
        selection: Selection,
        /// With `--all`: works in this state: dead, review, or in-doubt, where it has not happened.
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
        r#as: Resolution,
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
    /// Stop a work that waits, runs, or is in review.
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
            let client = Client::reading(config).await?;
            let filter = query([("state", state), ("step", step)]);
            let split = |Works { works, next }| (works, next);
            print(&pages(&client, &["v1", "works"], &filter, limit, split).await?, format)?;
            Ok(Ending::Done)
        }
        Verb::Show { work, family } => work_show::show(config, &work, family, format).await,
        Verb::Replay { work: None, selection, state, step, by } => {
            let state = parse_state(&state)?;
            let Selection { cause, dry_run, limit, every, .. } = selection;
            let (by, why) = by.words()?;
            let asked = ReplayMany { state, step, cause, dry_run, limit, every_ms: every, by: Some(by), why };
            bulk::replay_works(config, &asked, format).await
        }
        Verb::Replay { work: Some(work), by, .. } => {
            work_act::act(config, &work, "replay", &by.said()?, format).await
        }
        Verb::Reject { work, by } => work_act::act(config, &work, "reject", &by.said()?, format).await,
        Verb::Cancel { work, by } => work_act::act(config, &work, "cancel", &by.said()?, format).await,
        Verb::Resolve { work, r#as, output, reference, by } => {
            let resolve = r#as.said(output, reference, by)?;
            work_act::act(config, &work, "resolve", &resolve, format).await
        }
        Verb::Reprocess { works, by } => reprocess::reprocess(config, &works, by, format).await,
        Verb::Erase { works, by } => erase::erase(config, &works, by, format).await,
    }
}

fn parse_state(word: &str) -> Result<WorkState> {
    WorkState::from_word(word).ok_or_else(|| {
        anyhow!(
            "deciding about works: there is no state {word:?}; take one of {}",
            WorkState::ALL.map(WorkState::word).join(", ")
        )
    })
}

fn print(works: &[WorkRecord], format: Format) -> Result<()> {
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
