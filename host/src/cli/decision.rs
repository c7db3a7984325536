//! `onceward decision`: answers that were decided once, what they took, and what people say about them.

mod act;
mod show;

use crate::api::decisions::WorkDecisions;
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::output::Format;
use crate::cli::pages::query;
use crate::identity::key::AnswerHash;
use crate::store::decided::DecisionEntry;
use anyhow::Result;

/// Verbs of `decision`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Decisions, newest first, and what each model was asked in all.
    List {
        /// Only this work's: the id, its beginning, or the readable key.
        #[arg(long)]
        work: Option<String>,
        /// Only those of this name.
        #[arg(long)]
        slot: Option<String>,
        /// Only those that wait for approval.
        #[arg(long)]
        waiting: bool,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// A work's decisions with their answers.
    Show {
        /// The id, its beginning, or the readable key.
        work: String,
        /// Only this one.
        slot: Option<String>,
    },
    /// Let the step have an answer that waits for approval.
    Approve(Act),
    /// Stop an answer that waits for approval: the step is told so, and may go on without it.
    Reject(Act),
    /// Have the model asked anew, even though the question has an answer; refused once effects have been committed.
    Renew(Act),
}

/// What is decided about, and by whom.
#[derive(Debug, clap::Args)]
pub(super) struct Act {
    /// The id, its beginning, or the readable key.
    work: String,
    /// The decision's name within the work.
    slot: String,
    /// Only if it is this revision, as `show` gives it.
    #[arg(long)]
    revision: Option<u32>,
    /// Only if the answer has this hash, as `show` gives it.
    #[arg(long)]
    hash: Option<AnswerHash>,
    #[command(flatten)]
    by: By,
}

pub(super) async fn decision(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List { work, slot, waiting, limit } => {
            let mut filter = query([("work", work), ("slot", slot), ("limit", Some(limit.to_string()))]);
            filter.extend(waiting.then(|| ("waiting", true.to_string())));
            let answer = Client::reading(config).await?.get(&["v1", "decisions"], &filter).await?;
            show::list(&answer, format)?;
        }
        Verb::Show { work, slot: None } => {
            let answer = Client::reading(config).await?.get(&["v1", "decisions", &work], &[]).await?;
            show::work(&answer.read()?, format)?;
        }
        Verb::Show { work, slot: Some(slot) } => {
            let client = Client::reading(config).await?;
            let entry: DecisionEntry = client.get(&["v1", "decisions", &work, &slot], &[]).await?.read()?;
            show::work(&WorkDecisions { work_id: entry.work_id, decisions: vec![entry] }, format)?;
        }
        Verb::Approve(act) => return act::act(config, act, "approve", format).await,
        Verb::Reject(act) => return act::act(config, act, "reject", format).await,
        Verb::Renew(act) => return act::act(config, act, "renew", format).await,
    }
    Ok(Ending::Done)
}
