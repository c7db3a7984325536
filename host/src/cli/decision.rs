//! `onceward decision`: answers that were decided once, what they took, and what people say about them.

mod act;
mod show;

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::decide::By;
use crate::cli::find;
use crate::cli::output::Format;
use crate::identity::key::AnswerHash;
use crate::store::decided::DecisionFilter;
use crate::store::slot::{Seen, SlotDecision};
use anyhow::{Result, bail};

/// Slots of a work that are shown.
const SLOTS_SHOWN_MAX: u32 = 1_000;

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

impl Act {
    const fn seen(&self) -> Seen {
        Seen { revision: self.revision, answer: self.hash }
    }
}

pub(super) async fn decision(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    match verb {
        Verb::List { work, slot, waiting, limit } => {
            let store = compose::read_only(config)?;
            let namespace = config.namespace.clone();
            let work = match work {
                Some(text) => Some(find::work(&*store, &namespace, &text, "listing decisions").await?.id),
                None => None,
            };
            let filter = DecisionFilter { namespace, work, slot, waiting, limit };
            let entries = store.decision_list(filter).await?;
            let totals = store.decision_totals(&config.namespace).await?;
            show::list(&entries, &totals, format)?;
            Ok(Ending::Done)
        }
        Verb::Show { work, slot } => {
            let store = compose::read_only(config)?;
            let namespace = config.namespace.clone();
            let id = find::work(&*store, &namespace, &work, "showing decisions").await?.id;
            let filter = DecisionFilter {
                namespace,
                work: Some(id),
                slot: slot.clone(),
                waiting: false,
                limit: SLOTS_SHOWN_MAX,
            };
            let entries = store.decision_list(filter).await?;
            if let (Some(slot), []) = (&slot, &entries[..]) {
                bail!(
                    "showing decisions: the work has none named {slot:?}; see `onceward decision show {work}`"
                );
            }
            show::work(id, &entries, format)?;
            Ok(Ending::Done)
        }
        Verb::Approve(act) => {
            let decision = SlotDecision::Approve(act.seen());
            act::act(config, act, decision, format).await
        }
        Verb::Reject(act) => {
            let decision = SlotDecision::Reject(act.seen());
            act::act(config, act, decision, format).await
        }
        Verb::Renew(act) => {
            let decision = SlotDecision::Renew(act.seen());
            act::act(config, act, decision, format).await
        }
    }
}
