//! What a person decides on the command line: who says it and why, and what they say about rows.

use crate::api::auth::Said;
use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::find;
use crate::cli::output;
use crate::cli::output::Format;
use crate::store::operate::{Actor, Decided, RowDecision};
use crate::store::outbox::{RowRef, RowState};
use anyhow::{Result, bail};
use serde_json::json;

/// Who decides, and why. It stands in the evidence.
#[derive(Debug, clap::Args)]
pub(super) struct By {
    /// Your name.
    #[arg(long, value_name = "NAME")]
    by: String,
    /// Why, for those who read the evidence.
    #[arg(long, value_name = "REASON")]
    why: String,
}

impl By {
    /// Their name and their reason, if they say something.
    pub(super) fn words(self) -> Result<(String, String)> {
        if self.by.trim().is_empty() || self.why.trim().is_empty() {
            bail!("deciding: --by and --why must say something; they are what the evidence keeps");
        }
        Ok((self.by, self.why))
    }

    /// The same, as the API hears it.
    pub(super) fn said(self) -> Result<Said> {
        let (by, why) = self.words()?;
        Ok(Said { by: Some(by), why })
    }

    /// The same, as the store hears it.
    pub(super) fn actor(self) -> Result<Actor> {
        let (name, reason) = self.words()?;
        Ok(Actor { name, reason, action: None })
    }
}

/// How a row is resolved.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Resolution {
    /// It has been applied at the destination.
    Sent,
    /// It has not been applied: send it again.
    Again,
    /// It shall not go out.
    Cancel,
}

impl Resolution {
    /// The decision, with the reference that was said beside it.
    pub(super) fn decision(self, reference: Option<String>) -> Result<RowDecision> {
        match (self, reference) {
            (Self::Sent, external_reference) => Ok(RowDecision::Sent { external_reference }),
            (Self::Again, None) => Ok(RowDecision::Again { due_in_ms: 0 }),
            (Self::Cancel, None) => Ok(RowDecision::Cancel),
            (Self::Again | Self::Cancel, Some(_)) => {
                bail!("deciding about a row: --reference goes with `--as sent` alone")
            }
        }
    }
}

/// Decide about one row.
pub(super) async fn row(
    config: &Config,
    text: &str,
    resolution: Resolution,
    reference: Option<String>,
    by: By,
    format: Format,
) -> Result<Ending> {
    let actor = by.actor()?;
    let decision = resolution.decision(reference)?;
    let (store, _) = compose::owner(config)?;
    let id = find::row(&*store, &config.namespace, text, "deciding about a row").await?.row_id;
    let row = RowRef { namespace: config.namespace.clone(), id };
    let decided = store.outbox_decide(row, decision.clone(), actor).await?;
    let states = decision.from_states().iter().copied().map(RowState::word).collect::<Vec<_>>();
    report("row", &id.to_string(), &decided, RowState::word, decision.to_state().word(), &states, format)
}

/// Say what became of an act; a refused one is an error that names the states it could be said in.
pub(super) fn report<S: Copy>(
    noun: &str,
    id: &str,
    decided: &Decided<S>,
    word: impl Fn(S) -> &'static str,
    to: &str,
    from: &[&str],
    format: Format,
) -> Result<Ending> {
    match decided {
        Decided::Applied => {
            if format == Format::Json {
                output::json(&json!({ noun.replace(' ', "_"): id, "state": to }))?;
            } else {
                output::line(format!("{noun} {} is {to} now", output::short(id)))?;
            }
            Ok(Ending::Done)
        }
        Decided::Asked => {
            if format == Format::Json {
                output::json(&json!({ noun: id, "state": "running", "asked": to }))?;
            } else {
                output::line(format!("{noun} {} is {to} when its run ends", output::short(id)))?;
            }
            Ok(Ending::Done)
        }
        Decided::Refused(state) => bail!(
            "deciding about a {noun}: {} is {}, and this can be said of one that is {}; nothing was changed",
            output::short(id),
            word(*state),
            from.join(" or ")
        ),
        Decided::Unknown => bail!("deciding about a {noun}: {} is not there any more", output::short(id)),
    }
}
