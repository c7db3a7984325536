//! `onceward deliver`: send what is due in the outbox.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::dispatch::outbox::Attempt;
use crate::store::outbox::{OutboxCounts, RowOutcome, RowSettled, RowState};
use anyhow::Result;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The longest sleep between two passes, in milliseconds.
const NAP_MAX_MS: u64 = 1_000;

/// Arguments of `deliver`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Go on with retries that become due within so many seconds.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    wait: u64,
}

pub(super) async fn deliver(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    let (store, clock) = compose::owner(config)?;
    let deliverer = compose::deliverer(config, store, &clock)?;
    let until = Instant::now() + Duration::from_secs(args.wait);
    let mut attempts = Vec::new();
    let counts = loop {
        let report = deliverer.run_once().await?;
        attempts.extend(report.attempts);
        let left = until.saturating_duration_since(Instant::now());
        let Some(due_ms) = report.next_due_ms.filter(|_| !left.is_zero()) else { break report.counts };
        let nap_ms = u64::try_from(due_ms.saturating_sub(clock.now_ms())).unwrap_or(0).min(NAP_MAX_MS);
        tokio::time::sleep(Duration::from_millis(nap_ms).min(left)).await;
    };
    if format == Format::Json {
        output::json(&json!({
            "deliveries": attempts.iter().map(attempt_json).collect::<Vec<_>>(),
            "outbox": counts.by_state,
        }))?;
    } else {
        print_attempts(&attempts);
        print_counts(&counts);
    }
    let open =
        RowState::ALL.into_iter().filter(|state| *state != RowState::Sent).map(|state| counts.of(state));
    Ok(Ending::when(open.sum::<u64>() == 0))
}

/// One attempt for programs.
pub(super) fn attempt_json(attempt: &Attempt) -> Value {
    let (state, detail) = outcome(&attempt.outcome);
    json!({
        "row_id": attempt.row,
        "work_id": attempt.work,
        "destination": attempt.destination,
        "attempt": attempt.attempt,
        "outcome": state,
        "detail": detail,
        "recorded": attempt.settled == RowSettled::Applied,
    })
}

fn outcome(outcome: &RowOutcome) -> (&'static str, String) {
    match outcome {
        RowOutcome::Sent { external_reference, flag, .. } => {
            let reference = external_reference.as_ref().map(|reference| format!("reference {reference}"));
            ("sent", reference.into_iter().chain(flag.clone()).collect::<Vec<_>>().join("; "))
        }
        RowOutcome::Again { cause, due_in_ms, maybe_applied } => {
            let doubt = if *maybe_applied { ", may have been applied" } else { "" };
            ("again", format!("in {due_in_ms} ms{doubt}: {cause}"))
        }
        RowOutcome::Blocked { cause, .. } => ("blocked", cause.clone()),
        RowOutcome::InDoubt { cause } => ("in doubt", cause.clone()),
        RowOutcome::Paused { cause } => {
            ("paused", format!("{cause}; resume with `onceward destination resume`"))
        }
    }
}

/// The attempts as a table.
pub(super) fn print_attempts(attempts: &[Attempt]) {
    if attempts.is_empty() {
        return;
    }
    let rows: Vec<[String; 5]> = attempts
        .iter()
        .map(|attempt| {
            let (state, mut detail) = outcome(&attempt.outcome);
            if attempt.settled == RowSettled::LeaseLost {
                detail.push_str(" (not recorded: another sender has the row)");
            }
            let tried = attempt.attempt.to_string();
            [output::short(attempt.row), attempt.destination.clone(), tried, state.to_owned(), detail]
        })
        .collect();
    output::table(["ROW", "DESTINATION", "ATTEMPT", "OUTCOME", "REMARK"], &rows);
}

/// Idle is never "all done": what is blocked or in doubt stands beside it.
pub(super) fn print_counts(counts: &OutboxCounts) {
    if counts.by_state.is_empty() {
        return;
    }
    let list: Vec<String> = RowState::ALL
        .into_iter()
        .filter(|state| counts.of(*state) > 0)
        .map(|state| format!("{} {}", counts.of(state), state.word()))
        .collect();
    output::line(format!("outbox: {}", list.join(", ")));
    if counts.of(RowState::Pending) > 0 {
        output::line("  send what is due with `onceward deliver`");
    }
    if counts.of(RowState::Blocked) + counts.of(RowState::InDoubt) > 0 {
        output::line(
            "  look at what needs a person with `onceward outbox list --state blocked` (or in-doubt)",
        );
    }
}
