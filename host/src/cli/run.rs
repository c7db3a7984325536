//! `onceward run`: an event through the flow, or through one step.

use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::compose;
use crate::cli::compose::Host;
use crate::cli::config::Config;
use crate::cli::deliver;
use crate::cli::family::Family;
use crate::cli::hosted;
use crate::cli::input;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::resume;
use crate::cli::standing::LedgerStanding;
use crate::cli::wait::Wait;
use crate::dispatch::end::{End, Ended};
use crate::dispatch::read::{Read, ReadEnd};
use crate::dispatch::step::{Claimed, Dispatcher};
use crate::identity::event::{EVENT_LIMIT_BYTES, Event};
use crate::identity::key::RootKey;
use crate::store::claim::{Answered, Repeat, Standing};
use crate::store::quarantine::OnMismatch;
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The works of an event, for people.
pub(super) const OWN_WORKS: &str = "works of this event";

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The event: a JSON file with `source`, `id`, `time` and `data`. `-` is standard input.
    event: PathBuf,
    /// Begin at this step, and not at the flow's first.
    #[arg(long)]
    pub(super) step: Option<String>,
    /// Keep an event for a person whose identity is on record with other content, instead of refusing it.
    #[arg(long)]
    pub(super) quarantine: bool,
    /// Send what is due in the outbox as well.
    #[arg(long)]
    pub(super) deliver: bool,
    #[command(flatten)]
    pub(super) wait: Wait,
}

pub(super) async fn run(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    let (event, bytes) = read(&args.event)?;
    if let Some(client) = Client::of_host(config).await? {
        return hosted::run(config, &client, args, bytes, format).await;
    }
    let host = compose::host(config).await?;
    let step = default_step(config, args, &host.dispatcher.steps().collect::<Vec<_>>())?;
    if host.dispatcher.reads_only(step)? {
        return read_only(&host, step, &event, format).await;
    }
    let patience = args.wait.begin();
    let on_mismatch = if args.quarantine { OnMismatch::Quarantine } else { OnMismatch::Refuse };
    let (first, answered) = match host.dispatcher.arrive(step, &event, on_mismatch).await? {
        Claimed::Held(held) => (Some(held.run(&host.dispatcher).await.settle(&host.dispatcher).await?), None),
        Claimed::Answered(answered) => (None, Some(answered)),
    };
    let root = root(&host.dispatcher, first.as_ref(), answered.as_ref()).await?;
    let rest = resume::until_quiet(&host, &patience, args.deliver, root).await?;
    let family = match root {
        Some(root) => Some(Family::of(&**host.dispatcher.store(), host.dispatcher.namespace(), root).await?),
        None => None,
    };
    let told = Told { first, answered, rest, family };
    told.report(&host, config, format).await?;
    Ok(Ending::when(told.is_done(args.deliver)))
}

/// Run a step that only reads, and print its result. There is no ledger to look it up in afterwards.
async fn read_only(host: &Host, step: &str, event: &Event, format: Format) -> Result<Ending> {
    let Read { attempts, end } = host.dispatcher.read(step, event).await?;
    let (verdict, detail) = match &end {
        ReadEnd::Done { output, needs_review } => {
            ("done", json!({ "output": output::nested(output), "needs_review": needs_review }))
        }
        ReadEnd::Review(cause) => ("review", json!({ "cause": cause })),
        ReadEnd::Rejected(cause) => ("rejected", json!({ "cause": cause })),
        ReadEnd::Failed(cause) => ("failed", json!({ "cause": cause })),
        ReadEnd::Paused(cause) => ("paused", json!({ "cause": cause })),
    };
    if format == Format::Json {
        let told = json!({ "step": step, "attempts": attempts, "verdict": verdict, "detail": detail });
        output::json(&json!({ "read": told }))?;
    } else {
        match &end {
            ReadEnd::Done { output, needs_review } => {
                output::line(output)?;
                if let Some(reason) = needs_review {
                    output::progress(format!("{step}: for review: {reason}"));
                }
            }
            ReadEnd::Review(cause)
            | ReadEnd::Rejected(cause)
            | ReadEnd::Failed(cause)
            | ReadEnd::Paused(cause) => output::progress(format!("{step}: {verdict}: {cause}")),
        }
    }
    Ok(Ending::when(matches!(end, ReadEnd::Done { .. })))
}

/// The step to begin at: the one that was named, the flow's first, or the only one.
pub(super) fn default_step<'a>(config: &'a Config, args: &'a Args, steps: &[&'a str]) -> Result<&'a str> {
    if let Some(step) = args.step.as_deref().or(config.flow.first().map(String::as_str)) {
        return Ok(step);
    }
    match steps {
        [only] => Ok(only),
        [] => bail!("running an event: no step is configured; add a [[step]] to onceward.toml"),
        several => bail!(
            "running an event: there is no flow, and several steps ({}); name one with --step, or set `flow`",
            several.join(", ")
        ),
    }
}

/// What the event's work descends from; none where the event is no work.
async fn root(
    dispatcher: &Dispatcher,
    first: Option<&Ended>,
    answered: Option<&Answered>,
) -> Result<Option<RootKey>> {
    if let Some(first) = first {
        return Ok(Some(first.work.root_key));
    }
    let Some(answered) = answered else { return Ok(None) };
    Ok(dispatcher.store().work_show(answered.work.clone()).await?.map(|work| work.root_key))
}

/// The event, and the bytes that it was read from.
fn read(path: &Path) -> Result<(Event, Vec<u8>)> {
    let (name, bytes) = input::bytes("the event", path, EVENT_LIMIT_BYTES as u64 + 1)?;
    let event = Event::parse(&bytes).with_context(|| format!("reading the event from {name}"))?;
    Ok((event, bytes))
}

/// What became of the event, and of all that was due beside it.
struct Told {
    first: Option<Ended>,
    answered: Option<Answered>,
    rest: resume::Quiet,
    family: Option<Family>,
}

impl Told {
    /// Whether the sender need not send the event again, nor a person look at it.
    fn is_done(&self, delivered: bool) -> bool {
        let refused = self.answered.as_ref().is_some_and(|answered| {
            matches!(
                answered.standing,
                Standing::Done(Repeat::Error)
                    | Standing::Mismatch { .. }
                    | Standing::Quarantined { .. }
                    | Standing::Dropped { .. }
                    | Standing::TooOld
            )
        });
        !refused && self.family.as_ref().is_some_and(|family| family.is_done(delivered))
    }

    async fn report(&self, host: &Host, config: &Config, format: Format) -> Result<()> {
        let dispatcher = &host.dispatcher;
        let standing = LedgerStanding::of(&**dispatcher.store(), &*host.clock, config).await?;
        let works = self.family.as_ref().map(Family::counts).unwrap_or_default().by_state;
        let ended: Vec<&Ended> = self.first.iter().chain(&self.rest.ended).collect();
        if format == Format::Json {
            let more = json!({
                "answered": self.answered.as_ref().map(answered_json),
                "runs": ended.iter().map(|ended| ended_json(ended)).collect::<Vec<_>>(),
                "deliveries": self.rest.attempts.iter().map(deliver::attempt_json).collect::<Vec<_>>(),
            });
            return output::json(&standing.json(&works, more));
        }
        if let Some(answered) = &self.answered {
            print_answered(answered)?;
        }
        resume::print_runs(&ended)?;
        deliver::print_attempts(&self.rest.attempts)?;
        standing.print(OWN_WORKS, &works)
    }
}

/// One run for programs.
pub(super) fn ended_json(ended: &Ended) -> Value {
    let detail = match &ended.end {
        End::Done { output, needs_review } => {
            json!({ "output": output::nested(output), "needs_review": needs_review })
        }
        End::Retried { cause, due_in_ms } => json!({ "cause": cause, "due_in_ms": due_in_ms }),
        End::Review(cause) | End::Rejected(cause) | End::Dead(cause) | End::Cancelled(cause) => {
            json!({ "cause": cause })
        }
        End::Continued | End::GivenBack | End::LeaseLost => json!({}),
    };
    json!({
        "work_id": ended.work.work_id,
        "key": ended.work.readable_key,
        "step": ended.work.step,
        "attempt": ended.work.attempt,
        "takeover": ended.takeover,
        "decisions": ended.decided.iter().map(|(slot, origin)| (slot, origin.word())).collect::<BTreeMap<_, _>>(),
        "verdict": ended.end.word(),
        "detail": detail,
    })
}

/// How a work stands that the sender did not get.
pub(super) fn print_answered(answered: &Answered) -> Result<()> {
    output::line(format!("{}: {}", answered.readable_key, standing_text(&answered.standing)))?;
    output::line(format!("  work {}", answered.work.id))?;
    if let Standing::Done(Repeat::Original { output: result, .. }) = &answered.standing {
        output::line(format!("  first result: {result}"))?;
    }
    Ok(())
}

/// The same for programs.
pub(super) fn answered_json(answered: &Answered) -> Value {
    let (verdict, detail) = match &answered.standing {
        Standing::Done(Repeat::Original { output, needs_review }) => {
            ("replay", json!({ "output": output::nested(output), "needs_review": needs_review }))
        }
        Standing::Done(Repeat::Erased) => ("erased", json!({})),
        Standing::Done(Repeat::Acknowledgement) => ("acknowledged", json!({})),
        Standing::Done(Repeat::Error) => ("already-done", json!({})),
        Standing::InProgress { retry_after_ms, state } => {
            ("in-progress", json!({ "state": state.word(), "retry_after_ms": retry_after_ms }))
        }
        Standing::Mismatch { recorded, arrived } => {
            ("mismatch", json!({ "recorded": recorded, "arrived": arrived }))
        }
        Standing::Quarantined { id } => ("quarantined", json!({ "kept_as": id })),
        Standing::Dropped { id } => ("dropped", json!({ "kept_as": id })),
        Standing::InReview { cause } => ("in-review", json!({ "cause": cause })),
        Standing::InDoubt { cause } => ("in-doubt", json!({ "cause": cause })),
        Standing::Dead { cause } => ("dead", json!({ "cause": cause })),
        Standing::Rejected { cause } => ("rejected", json!({ "cause": cause })),
        Standing::Cancelled => ("cancelled", json!({})),
        Standing::Recorded => ("recorded", json!({})),
        Standing::Paused { cause } => ("paused", json!({ "cause": cause })),
        Standing::TooOld => ("too-old", json!({})),
    };
    json!({
        "work_id": answered.work.id,
        "key": answered.readable_key,
        "verdict": verdict,
        "detail": detail,
    })
}

fn standing_text(standing: &Standing) -> String {
    match standing {
        Standing::Done(Repeat::Original { .. } | Repeat::Acknowledgement) => "done before; nothing was run".to_owned(),
        Standing::Done(Repeat::Erased) => {
            "done before; nothing was run, and the first result was erased on request".to_owned()
        }
        Standing::Done(Repeat::Error) => "already done; the contract makes a repeat an error".to_owned(),
        Standing::InProgress { state, retry_after_ms } => {
            format!("in progress ({}); ask again in {retry_after_ms} ms", state.word())
        }
        Standing::Mismatch { .. } => {
            "mismatch: this identity is recorded with other content, which stands; send a correction as an event of its own"
                .to_owned()
        }
        Standing::Quarantined { id } => format!(
            "quarantined: this identity is recorded with other content, which stands; a person decides with `onceward quarantine show {}`",
            output::short(id)
        ),
        Standing::Dropped { id } => {
            format!("dropped: a person decided that this event shall never run (kept as {})", output::short(id))
        }
        Standing::InReview { cause } => format!("waits for a person: {cause}"),
        Standing::InDoubt { cause } => format!("in doubt: {cause}"),
        Standing::Dead { cause } => format!("dead: {cause}"),
        Standing::Rejected { cause } => format!("rejected: {cause}"),
        Standing::Cancelled => "cancelled by an operator".to_owned(),
        Standing::Recorded => "recorded; it is due".to_owned(),
        Standing::Paused { cause } => format!("recorded, and its step is paused: {cause}"),
        Standing::TooOld => {
            "too old: the event lies before the window, so that it can't be told from a repeat".to_owned()
        }
    }
}
