//! `onceward resume`: take over unfinished work and run what is due.

use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::compose;
use crate::cli::compose::Host;
use crate::cli::config::Config;
use crate::cli::deliver;
use crate::cli::family::Family;
use crate::cli::hosted;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::run;
use crate::cli::standing::LedgerStanding;
use crate::cli::wait::{Patience, Wait};
use crate::dispatch::end::{End, Ended};
use crate::dispatch::outbox::Attempt;
use crate::identity::key::RootKey;
use crate::runtime::decide::Origin;
use anyhow::Result;
use serde_json::json;

/// Arguments of `resume`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Send what is due in the outbox as well.
    #[arg(long)]
    deliver: bool,
    #[command(flatten)]
    wait: Wait,
}

/// What was done until nothing was due.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    pub(super) ended: Vec<Ended>,
    pub(super) attempts: Vec<Attempt>,
}

pub(super) async fn resume(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    if let Some(client) = Client::of_host(config).await? {
        let standing = hosted::stand(&client, &args.wait, format).await?;
        let quiet = standing.works_are_done() && (!args.deliver || standing.rows_are_done());
        return Ok(Ending::when(quiet));
    }
    let host = compose::host(config).await?;
    let quiet = until_quiet(&host, &args.wait.begin(), args.deliver, None).await?;
    let standing = LedgerStanding::of(&**host.dispatcher.store(), &*host.clock, config).await?;
    let works = &standing.status.works;
    let ended: Vec<&Ended> = quiet.ended.iter().collect();
    if format == Format::Json {
        let more = json!({
            "runs": ended.iter().map(|ended| run::ended_json(ended)).collect::<Vec<_>>(),
            "deliveries": quiet.attempts.iter().map(deliver::attempt_json).collect::<Vec<_>>(),
        });
        output::json(&standing.json(works, more))?;
    } else {
        if ended.is_empty() {
            output::line("no work was due")?;
        }
        print_runs(&ended)?;
        deliver::print_attempts(&quiet.attempts)?;
        standing.print("works", works)?;
    }
    Ok(Ending::when(standing.works_are_done() && (!args.deliver || standing.rows_are_done())))
}

/// Run and deliver until nothing is due, and while there is patience also what becomes due. With a root, patience ends
/// as soon as all that descends from it has come to its end.
pub(super) async fn until_quiet(
    host: &Host,
    patience: &Patience,
    deliver: bool,
    root: Option<RootKey>,
) -> Result<Quiet> {
    let mut quiet = Quiet::default();
    loop {
        let works = host.dispatcher.run_once().await?;
        let (mut next_due_ms, mut paced_until_ms) = (works.next_due_ms, None);
        let progressed = !works.ended.is_empty();
        quiet.ended.extend(works.ended);
        if deliver {
            let rows = host.deliverer.run_once().await?;
            next_due_ms = next_due_ms.into_iter().chain(rows.next_due_ms).min();
            paced_until_ms = rows.paced_until_ms;
            if !rows.attempts.is_empty() {
                quiet.attempts.extend(rows.attempts);
                // What was sent may have a step that goes on from the receipt, and that is due now.
                continue;
            }
        }
        let Some(due_ms) = next_due_ms else { return Ok(quiet) };
        if patience.is_over() && !progressed && paced_until_ms.is_none() {
            return Ok(quiet);
        }
        if let Some(root) = root {
            let family = Family::of(&**host.dispatcher.store(), host.dispatcher.namespace(), root).await?;
            if !family.is_moving(deliver) {
                return Ok(quiet);
            }
        }
        patience.nap(due_ms, paced_until_ms, host.clock.now_ms()).await;
    }
}

/// The runs as a table.
pub(super) fn print_runs(ended: &[&Ended]) -> Result<()> {
    if ended.is_empty() {
        return Ok(());
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
    output::table(["STEP", "VERDICT", "ATTEMPT", "WORK", "REMARK"], &rows)?;
    for (ended, (slot, origin)) in ended.iter().flat_map(|it| it.decided.iter().map(move |of| (it, of))) {
        let how = match origin {
            Origin::Asked => "asked",
            Origin::Cached => "from the cache, without a call",
            Origin::Pinned => "as decided before, without a call",
        };
        output::line(format!("  decision {slot:?} of {}: {how}", output::short(ended.work.work_id)))?;
    }
    Ok(())
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
        End::Cancelled(cause) => ("cancelled", cause.clone()),
        End::GivenBack => ("given back", "the host shut down".to_owned()),
        End::LeaseLost => ("lease lost", "another run has the work; this one changed nothing".to_owned()),
    };
    (verdict.to_owned(), why)
}
