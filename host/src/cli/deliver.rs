//! `onceward deliver`: send what is due in the outbox.

use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::hosted;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::standing::LedgerStanding;
use crate::cli::wait::Wait;
use crate::dispatch::outbox::Attempt;
use crate::store::outbox::{RowOutcome, RowSettled};
use anyhow::Result;
use serde_json::{Value, json};
use std::sync::Arc;

/// Arguments of `deliver`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    wait: Wait,
}

pub(super) async fn deliver(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    if let Some(client) = Client::of_host(config).await? {
        let standing = hosted::stand(&client, &args.wait, format).await?;
        return Ok(Ending::when(standing.rows_are_done()));
    }
    let (store, clock) = compose::owner(config)?;
    let deliverer = compose::deliverer(config, Arc::clone(&store), &clock)?;
    let patience = args.wait.begin();
    let mut attempts = Vec::new();
    loop {
        let report = deliverer.run_once().await?;
        // A pass ends after so many rows; what it left is due at once.
        let progressed = !report.attempts.is_empty();
        attempts.extend(report.attempts);
        let Some(due_ms) = report.next_due_ms else { break };
        if patience.is_over() && !progressed && report.paced_until_ms.is_none() {
            break;
        }
        patience.nap(due_ms, report.paced_until_ms, clock.now_ms()).await;
    }
    let standing = LedgerStanding::of(&*store, &*clock, config).await?;
    if format == Format::Json {
        output::json(&json!({
            "deliveries": attempts.iter().map(attempt_json).collect::<Vec<_>>(),
            "outbox": standing.status.rows,
            "unconfigured": standing.status.unconfigured,
        }))?;
    } else {
        print_attempts(&attempts)?;
        standing.print_rows()?;
    }
    Ok(Ending::when(standing.rows_are_done()))
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
        RowOutcome::Again { cause, due_in_ms, maybe_applied, .. } => {
            let doubt = if *maybe_applied { ", may have been applied" } else { "" };
            ("again", format!("in {due_in_ms} ms{doubt}: {cause}"))
        }
        RowOutcome::Blocked { cause, .. } | RowOutcome::Withheld { cause, in_doubt: false } => {
            ("blocked", cause.clone())
        }
        RowOutcome::InDoubt { cause, .. } | RowOutcome::Withheld { cause, in_doubt: true } => {
            ("in doubt", cause.clone())
        }
        RowOutcome::Paused { cause } => {
            ("paused", format!("{cause}; let it go on with `onceward unpause destination`"))
        }
    }
}

/// The attempts as a table.
pub(super) fn print_attempts(attempts: &[Attempt]) -> Result<()> {
    if attempts.is_empty() {
        return Ok(());
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
    output::table(["ROW", "DESTINATION", "ATTEMPT", "OUTCOME", "REMARK"], &rows)
}
