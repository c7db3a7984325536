//! `onceward verify`: crash-test a step or the configured flow. It reaches no real destination, model or ledger.

mod bar;
pub(super) mod subject;
mod told;

use crate::cli::Ending;
use crate::cli::config::Config;
use crate::cli::output::Format;
use crate::contract::tier::Tier;
use crate::verify::schedule::Schedule;
use crate::verify::search::{Budget, replay, search};
use anyhow::{Context as _, Result};
use bar::Bar;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

/// The longest time for pairs and deeper schedules, in seconds: a day.
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// Deeper schedules at most; each takes some milliseconds.
const DEEP_MAX: u32 = 10_000_000;

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The step's component. It needs no configuration; its destinations and models are simulated.
    #[arg(required_unless_present = "flow", conflicts_with = "flow")]
    step: Option<PathBuf>,
    /// Verify the configured flow, with the tiers of its destinations, the limits of its steps, and what the configuration says
    /// of held decisions, alerts and mirrored stages.
    #[arg(long)]
    flow: bool,
    /// What a run of a single step may use, where that is not the default: a name of `limits` in the configuration.
    #[arg(long = "limit", value_name = "NAME=N", value_parser = named_limit, conflicts_with = "flow")]
    limits: Vec<(String, u64)>,
    /// An event, as `onceward run` takes it. Several are different events, each of which must become a work of its own.
    #[arg(long = "event", required = true, value_name = "FILE")]
    events: Vec<PathBuf>,
    /// The first event as it arrives again, with what its sender renews each time; it must be known as the first.
    #[arg(long, value_name = "FILE")]
    again: Vec<PathBuf>,
    /// What a destination is declared to be, where that is not what the step asks for or the configuration says.
    #[arg(long = "destination", value_name = "NAME=TIER", value_parser = named_tier)]
    destinations: Vec<(String, Tier)>,
    /// What a destination really is, where that is not what it is declared to be.
    #[arg(long = "really", value_name = "NAME=TIER", value_parser = named_tier)]
    really: Vec<(String, Tier)>,
    /// Answers of models: a JSON object of model names and lists of answers, which are given in turn. Without it answers are
    /// made up that fit the question's schema.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// The event is one that the step rightly does not finish: it refuses it, or asks for a person.
    #[arg(long)]
    unfinished: bool,
    /// How long pairs and deeper schedules are tried. Single faults are all tried, whatever it takes.
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(..=SECONDS_MAX))]
    seconds: u64,
    /// How many deeper schedules are tried, within the time.
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(DEEP_MAX)))]
    deep: u32,
    /// Where chance begins; the same seed tries the same schedules in the same order.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Make this one run, and tell its story: what a failure names.
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<Schedule>,
}

/// `name=tier`.
fn named_tier(text: &str) -> Result<(String, Tier), String> {
    let tiers = [Tier::Key, Tier::Field, Tier::Lookup, Tier::Blind];
    let known = || tiers.map(Tier::word).join(", ");
    let form = || format!("{text:?} is no NAME=TIER; the tiers are {}", known());
    let (name, word) = text.split_once('=').ok_or_else(form)?;
    let tier = tiers.into_iter().find(|tier| tier.word() == word).ok_or_else(form)?;
    Ok((name.to_owned(), tier))
}

/// `name=number`.
fn named_limit(text: &str) -> Result<(String, u64), String> {
    let form = || format!("{text:?} is no NAME=N, such as wall_ms=20000");
    let (name, value) = text.split_once('=').ok_or_else(form)?;
    Ok((name.to_owned(), value.parse().map_err(|_| form())?))
}

pub(super) async fn verify(
    config: impl FnOnce() -> Result<Config>,
    args: Args,
    format: Format,
) -> Result<Ending> {
    // Two hosts can be alive in each run, and each has one place.
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let config = if args.flow { Some(config()?) } else { None };
    let subject = subject::subject(config.as_ref(), &args, workers).await?;
    if let Some(schedule) = args.schedule {
        let story = blocking(move || replay(&subject, &schedule)).await??;
        told::story(&story, format)?;
        return Ok(Ending::when(story.findings.is_empty()));
    }
    let budget = Budget {
        time: Duration::from_secs(args.seconds),
        deep: args.deep as usize,
        seed: args.seed,
        workers,
    };
    let bar = Bar::new();
    let report = blocking(move || {
        let report = search(&subject, budget, &|progress| bar.show(progress));
        bar.end();
        report
    })
    .await??;
    told::report(&report, format)?;
    Ok(Ending::when(report.failure.is_none()))
}

/// Runs have runtimes of their own, so that each is on one thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .context("verifying: a run has panicked; that is a fault of the host")
}
