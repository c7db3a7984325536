//! `onceward run`: an event through the flow, or through one step.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::compose::Host;
use crate::cli::config::Config;
use crate::cli::deliver;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::resume;
use crate::dispatch::step::{Claimed, End, Ended};
use crate::identity::event::Event;
use crate::store::work::{Answered, Standing};
use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The event: a JSON file with `source`, `id`, `time` and `data`. `-` is standard input.
    event: PathBuf,
    /// Begin at this step, and not at the flow's first.
    #[arg(long)]
    step: Option<String>,
    /// Send what is due in the outbox as well.
    #[arg(long)]
    deliver: bool,
    /// Go on with retries that become due within so many seconds.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    wait: u64,
}

pub(super) async fn run(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    let event = read(&args.event)?;
    let host = compose::host(config).await?;
    let step = match args.step.as_deref().or(config.flow.first().map(String::as_str)) {
        Some(step) => step,
        None => match host.dispatcher.steps().collect::<Vec<_>>()[..] {
            [only] => only,
            [] => {
                return Err(anyhow!(
                    "running an event: no step is configured; add a [[step]] to onceward.toml"
                ));
            }
            ref several => {
                return Err(anyhow!(
                    "running an event: there is no flow, and several steps ({}); name one with --step, or set `flow`",
                    several.join(", ")
                ));
            }
        },
    };
    let (first, answered) = match host.dispatcher.claim(step, &event).await? {
        Claimed::Held(held) => (vec![held.run(&host.dispatcher).await.settle(&host.dispatcher).await?], None),
        Claimed::Answered(answered) => (Vec::new(), Some(answered)),
    };
    let rest = resume::until_quiet(&host, args.wait, args.deliver).await?;
    let ended: Vec<&Ended> = first.iter().chain(&rest.ended).collect();
    let own_done = answered.as_ref().map_or_else(
        || first.iter().all(|ended| is_done(&ended.end)),
        |answered| matches!(answered.standing, Standing::Done { .. }),
    );
    report(&host, &ended, answered.as_ref(), &rest, format).await?;
    Ok(Ending::when(own_done && rest.is_done()))
}

fn read(path: &PathBuf) -> Result<Event> {
    let mut bytes = Vec::new();
    let name = if path.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes).context("reading the event from standard input")?;
        "standard input".to_owned()
    } else {
        bytes = std::fs::read(path)
            .with_context(|| format!("reading the event {}: the file can't be read", path.display()))?;
        path.display().to_string()
    };
    Event::parse(&bytes).with_context(|| format!("reading the event from {name}"))
}

/// Whether the work needs no further attempt.
pub(super) const fn is_done(end: &End) -> bool {
    matches!(end, End::Done { .. } | End::Continued)
}

async fn report(
    host: &Host,
    ended: &[&Ended],
    answered: Option<&Answered>,
    rest: &resume::Quiet,
    format: Format,
) -> Result<()> {
    let counts = host.dispatcher.store().outbox_counts(host.dispatcher.namespace()).await?;
    if format == Format::Json {
        return output::json(&json!({
            "answered": answered.map(answered_json),
            "runs": ended.iter().map(|ended| ended_json(ended)).collect::<Vec<_>>(),
            "deliveries": rest.attempts.iter().map(deliver::attempt_json).collect::<Vec<_>>(),
            "outbox": counts.by_state,
        }));
    }
    if let Some(answered) = answered {
        output::line(format!("{}: {}", answered.readable_key, standing_text(&answered.standing)));
        output::line(format!("  work {}", answered.work.id));
        if let Standing::Done { output: result, .. } = &answered.standing {
            output::line(format!("  first result: {result}"));
        }
    }
    resume::print_runs(ended);
    deliver::print_attempts(&rest.attempts);
    deliver::print_counts(&counts);
    Ok(())
}

/// One run for programs.
pub(super) fn ended_json(ended: &Ended) -> Value {
    let (verdict, detail) = match &ended.end {
        End::Done { output, needs_review } => {
            ("done", json!({ "output": output::nested(output), "needs_review": needs_review }))
        }
        End::Continued => ("continued", json!({})),
        End::Retried { cause, due_in_ms } => ("retried", json!({ "cause": cause, "due_in_ms": due_in_ms })),
        End::Review(cause) => ("review", json!({ "cause": cause })),
        End::Rejected(cause) => ("rejected", json!({ "cause": cause })),
        End::Dead(cause) => ("dead", json!({ "cause": cause })),
        End::LeaseLost => ("lease-lost", json!({})),
    };
    json!({
        "work_id": ended.work.work_id,
        "key": ended.work.readable_key,
        "step": ended.work.step,
        "attempt": ended.work.attempt,
        "takeover": ended.takeover,
        "verdict": verdict,
        "detail": detail,
    })
}

fn answered_json(answered: &Answered) -> Value {
    let (verdict, detail) = match &answered.standing {
        Standing::Done { output, needs_review, .. } => {
            ("replay", json!({ "output": output::nested(output), "needs_review": needs_review }))
        }
        Standing::InProgress { retry_after_ms, state } => {
            ("in-progress", json!({ "state": state.word(), "retry_after_ms": retry_after_ms }))
        }
        Standing::Mismatch { recorded, arrived } => {
            ("mismatch", json!({ "recorded": recorded, "arrived": arrived }))
        }
        Standing::InReview { cause } => ("in-review", json!({ "cause": cause })),
        Standing::InDoubt { cause } => ("in-doubt", json!({ "cause": cause })),
        Standing::Dead { cause } => ("dead", json!({ "cause": cause })),
        Standing::Rejected { cause } => ("rejected", json!({ "cause": cause })),
        Standing::Cancelled => ("cancelled", json!({})),
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
        Standing::Done { .. } => "done before; nothing was run".to_owned(),
        Standing::InProgress { state, retry_after_ms } => {
            format!("in progress ({}); ask again in {retry_after_ms} ms", state.word())
        }
        Standing::Mismatch { .. } => {
            "mismatch: this identity is recorded with other content, which stands; send a correction as an event of its own"
                .to_owned()
        }
        Standing::InReview { cause } => format!("waits for a person: {cause}"),
        Standing::InDoubt { cause } => format!("in doubt: {cause}"),
        Standing::Dead { cause } => format!("dead: {cause}"),
        Standing::Rejected { cause } => format!("rejected: {cause}"),
        Standing::Cancelled => "cancelled by an operator".to_owned(),
        Standing::TooOld => {
            "too old: the event lies before the window, so that it can't be told from a repeat".to_owned()
        }
    }
}
