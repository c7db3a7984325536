//! `onceward resume`: take over unfinished work and run what is due.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::compose::Host;
use crate::cli::config::Config;
use crate::cli::deliver;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::run;
use crate::dispatch::outbox::Attempt;
use crate::dispatch::step::{End, Ended};
use anyhow::Result;
use serde_json::json;
use std::time::{Duration, Instant};

/// The longest sleep between two passes, in milliseconds, so that a moved clock is noticed.
const NAP_MAX_MS: u64 = 1_000;

/// Arguments of `resume`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Send what is due in the outbox as well.
    #[arg(long)]
    deliver: bool,
    /// Go on with retries that become due within so many seconds.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    wait: u64,
}

/// What was done until nothing was due.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    pub(super) ended: Vec<Ended>,
    pub(super) attempts: Vec<Attempt>,
    /// Work, or a row, that waits for a later time.
    pub(super) waiting: bool,
}

impl Quiet {
    pub(super) fn is_done(&self) -> bool {
        !self.waiting && self.ended.iter().all(|ended| run::is_done(&ended.end))
    }
}

pub(super) async fn resume(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    let host = compose::host(config).await?;
    let quiet = until_quiet(&host, args.wait, args.deliver).await?;
    let counts = host.dispatcher.store().outbox_counts(host.dispatcher.namespace()).await?;
    let ended: Vec<&Ended> = quiet.ended.iter().collect();
    if format == Format::Json {
        output::json(&json!({
            "runs": ended.iter().map(|ended| run::ended_json(ended)).collect::<Vec<_>>(),
            "deliveries": quiet.attempts.iter().map(deliver::attempt_json).collect::<Vec<_>>(),
            "outbox": counts.by_state,
        }))?;
    } else {
        if ended.is_empty() {
            output::line("no work is due");
        }
        print_runs(&ended);
        deliver::print_attempts(&quiet.attempts);
        deliver::print_counts(&counts);
    }
    Ok(Ending::when(quiet.is_done()))
}

/// Run and deliver until nothing is due, and for `wait_s` seconds also what becomes due.
pub(super) async fn until_quiet(host: &Host, wait_s: u64, deliver: bool) -> Result<Quiet> {
    let until = Instant::now() + Duration::from_secs(wait_s);
    let mut quiet = Quiet::default();
    loop {
        let works = host.dispatcher.run_once().await?;
        let mut next_due_ms = works.next_due_ms;
        let progressed = !works.ended.is_empty();
        quiet.ended.extend(works.ended);
        if deliver {
            let rows = host.deliverer.run_once().await?;
            next_due_ms = next_due_ms.into_iter().chain(rows.next_due_ms).min();
            quiet.attempts.extend(rows.attempts);
        }
        quiet.waiting = next_due_ms.is_some();
        let Some(due_ms) = next_due_ms else { return Ok(quiet) };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() && !progressed {
            return Ok(quiet);
        }
        let nap_ms = u64::try_from(due_ms.saturating_sub(host.clock.now_ms())).unwrap_or(0).min(NAP_MAX_MS);
        tokio::time::sleep(Duration::from_millis(nap_ms).min(left)).await;
    }
}

/// The runs as a table.
pub(super) fn print_runs(ended: &[&Ended]) {
    if ended.is_empty() {
        return;
    }
    let rows: Vec<[String; 5]> = ended
        .iter()
        .map(|ended| {
            let work = &ended.work;
            let attempt = format!("{}{}", work.attempt, if ended.takeover { ", taken over" } else { "" });
            let (verdict, why) = words(&ended.end);
            [work.step.clone(), verdict, attempt, output::short(work.work_id), output::cut(&why)]
        })
        .collect();
    output::table(["STEP", "VERDICT", "ATTEMPT", "WORK", "REMARK"], &rows);
}

fn words(end: &End) -> (String, String) {
    let (verdict, why) = match end {
        End::Done { needs_review: Some(reason), .. } => ("done, flagged", format!("for review: {reason}")),
        End::Done { .. } => ("done", String::new()),
        End::Continued => ("continues", String::new()),
        End::Retried { cause, due_in_ms } => ("retry", format!("in {due_in_ms} ms: {cause}")),
        End::Review(cause) => ("review", cause.clone()),
        End::Rejected(cause) => ("rejected", cause.clone()),
        End::Dead(cause) => ("dead", cause.clone()),
        End::LeaseLost => ("lease lost", "another run has the work; this one changed nothing".to_owned()),
    };
    (verdict.to_owned(), why)
}
