//! `run`, `resume` and `deliver` beside a running host. It alone owns the ledger and works by itself, so that these ask it,
//! wait for it, and say how things stand.

use crate::api::destinations::DestinationList;
use crate::api::error::ProblemBody;
use crate::api::status::Status;
use crate::api::steps_list::StepList;
use crate::api::work_show::{WholeFamily, WorkParts};
use crate::cli::Ending;
use crate::cli::client::{Answer, Client, said};
use crate::cli::config::Config;
use crate::cli::family::Family;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::run::{Args, OWN_WORKS, default_step};
use crate::cli::standing::LedgerStanding;
use crate::cli::wait::Wait;
use crate::clock::Clock as _;
use crate::clock::SystemClock;
use crate::contract::capability::Mode;
use crate::store::outbox::{OutboxRow, RowState};
use crate::store::pause::{PauseScope, stopping};
use crate::store::work::WorkState;
use anyhow::{Context as _, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// How often it is asked how things stand, in milliseconds.
const LOOK_EVERY_MS: i64 = 100;

/// How long the answer to an event may take, in milliseconds; after it the work is looked at.
const ANSWER_MS: u64 = 30_000;

/// Verdicts of problems that say how the event's work stands. The others say that it was not taken.
const STANDINGS: [&str; 8] =
    ["already-done", "mismatch", "too-old", "in-review", "in-doubt", "dead", "rejected", "cancelled"];

/// Say how the ledger stands that a host is at work on, as soon as it is idle, or the time is over.
pub(super) async fn stand(client: &Client, wait: &Wait, format: Format) -> Result<LedgerStanding> {
    let patience = wait.begin();
    let mut status = look(client).await?;
    while !status.idle && !patience.is_over() {
        let now_ms = SystemClock.now_ms();
        patience.nap(now_ms.saturating_add(LOOK_EVERY_MS), None, now_ms).await;
        status = look(client).await?;
    }
    let standing = LedgerStanding::hosted(status);
    let works = &standing.status.works;
    if format == Format::Json {
        output::json(&standing.json(works, json!({ "hosted": true })))?;
    } else {
        output::line("a host is running, which does this by itself; so it stands:")?;
        standing.print("works", works)?;
    }
    Ok(standing)
}

async fn look(client: &Client) -> Result<Status> {
    client.get(&["v1", "status"], &[]).await?.read()
}

/// Have the host run an event, and wait until nothing of it is due.
pub(super) async fn run(
    config: &Config,
    client: &Client,
    args: &Args,
    event: Vec<u8>,
    format: Format,
) -> Result<Ending> {
    let text = String::from_utf8(event).context("sending the event: it is not UTF-8")?;
    let event = RawValue::from_string(text).context("sending the event: it is no JSON")?;
    let StepList { steps } = client.get(&["v1", "steps"], &[]).await?.read()?;
    let names: Vec<&str> = steps.iter().map(|step| step.step.as_str()).collect();
    let step = default_step(config, args, &names)?;
    let wait_s = ANSWER_MS.min(config.serve.limits().wait_max_ms) / 1_000;
    let query = [("wait", wait_s.to_string()), ("quarantine", args.quarantine.to_string())];
    let path = ["v1", "steps", step, "invoke"];
    let answer = match client.try_post_with(&path, &query, &event).await? {
        Err(problem) if !STANDINGS.contains(&problem.verdict.as_str()) => return Err(said(&problem)),
        answer => answer,
    };
    if steps.iter().any(|info| info.step == step && info.mode == Mode::ReadOnly) {
        return read_only(step, &answer, format);
    }
    let work = match &answer {
        Ok(answer) => answer.body["work_id"].as_str().map(str::to_owned),
        Err(problem) => problem.work_id.clone(),
    };
    let family = match &work {
        Some(work) => until_quiet(client, work, args).await?,
        None => Vec::new(),
    };
    let rows = family.iter().flat_map(|parts| &parts.rows).map(|row| row.state);
    let own = Family::new(family.iter().map(|parts| parts.work.clone()).collect(), rows);
    let standing = LedgerStanding::hosted(look(client).await?);
    let works = own.counts().by_state;
    if format == Format::Json {
        let told = json!({ "hosted": true, "answered": body(&answer)? });
        output::json(&standing.json(&works, told))?;
    } else {
        print_answer(&answer)?;
        print_family(&family)?;
        standing.print(OWN_WORKS, &works)?;
    }
    Ok(Ending::when(answer.is_ok() && own.is_done(args.deliver)))
}

type Answered = Result<Answer, Box<ProblemBody>>;

fn body(answer: &Answered) -> Result<Value> {
    match answer {
        Ok(answer) => Ok(answer.body.clone()),
        Err(problem) => serde_json::to_value(problem).context("writing the host's answer"),
    }
}

/// The result of a step that only reads. There is no ledger to look it up in afterwards.
fn read_only(step: &str, answer: &Answered, format: Format) -> Result<Ending> {
    if format == Format::Json {
        output::json(&json!({ "hosted": true, "read": body(answer)? }))?;
        return Ok(Ending::when(answer.is_ok()));
    }
    match answer {
        Ok(answer) => {
            output::line(answer.body["output"].to_string())?;
            if let Some(reason) = answer.body["needs_review"].as_str() {
                output::progress(format!("{step}: for review: {reason}"));
            }
        }
        Err(problem) => output::progress(format!("{step}: {}: {}", problem.verdict, problem.detail)),
    }
    Ok(Ending::when(answer.is_ok()))
}

/// Look at all that comes of a work until nothing of it is due any more, and while there is patience until nothing of it moves.
async fn until_quiet(client: &Client, work: &str, args: &Args) -> Result<Vec<WorkParts>> {
    let patience = args.wait.begin();
    loop {
        let family: WholeFamily =
            client.get(&["v1", "works", work], &[("family", true.to_string())]).await?.read()?;
        let due_ms = next_due_ms(client, &family.works, args.deliver).await?;
        let now_ms = SystemClock.now_ms();
        match due_ms {
            Some(due_ms) if due_ms <= now_ms || !patience.is_over() => {
                let look_ms = now_ms.saturating_add(LOOK_EVERY_MS);
                patience.nap(look_ms, Some(look_ms), now_ms).await;
            }
            _ => return Ok(family.works),
        }
    }
}

/// When the next work or row goes on by itself, Unix milliseconds; none where none does. What runs goes on now.
async fn next_due_ms(client: &Client, family: &[WorkParts], rows_too: bool) -> Result<Option<i64>> {
    let Status { paused, .. } = look(client).await?;
    let works = family.iter().map(|parts| &parts.work).filter_map(|work| match work.state {
        WorkState::Running => Some(0),
        WorkState::Waiting if stopping(&paused, &PauseScope::Step(work.step.clone())).is_none() => {
            Some(work.due_ms.unwrap_or(0))
        }
        _ => None,
    });
    let works_due_ms = works.min();
    if !rows_too || works_due_ms == Some(0) {
        return Ok(works_due_ms);
    }
    let DestinationList { destinations, .. } = client.get(&["v1", "destinations"], &[]).await?.read()?;
    let row_due_ms = |row: &OutboxRow| {
        let to = destinations.iter().find(|to| to.destination == row.destination && to.paused.is_none())?;
        match row.state {
            RowState::Sending => Some(0),
            // Whoever is ahead of it may be another event's, and take any time.
            RowState::Pending if row.behind.is_some() => Some(i64::MAX),
            RowState::Pending => Some(row.due_ms.unwrap_or(0).max(to.waits_until_ms.unwrap_or(0))),
            _ => None,
        }
    };
    Ok(family.iter().flat_map(|parts| &parts.rows).filter_map(row_due_ms).chain(works_due_ms).min())
}

fn print_answer(answer: &Answered) -> Result<()> {
    let body = match answer {
        Ok(answer) => &answer.body,
        Err(problem) => {
            output::line(&problem.detail)?;
            return problem.remedy.iter().try_for_each(|remedy| output::line(format!("  {remedy}")));
        }
    };
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let (key, verdict) = (text("key"), text("verdict"));
    output::line(match verdict {
        "replay" | "acknowledged" | "erased" => format!("{key}: done before; nothing was run"),
        "in-review" | "in-doubt" => format!("{key}: {verdict}: {}", text("cause")),
        _ => format!("{key}: {verdict}"),
    })?;
    output::line(format!("  work {}", text("work_id")))?;
    match &body["output"] {
        Value::Null => Ok(()),
        result => output::line(format!("  first result: {result}")),
    }
}

fn print_family(family: &[WorkParts]) -> Result<()> {
    if family.is_empty() {
        return Ok(());
    }
    let rows: Vec<[String; 5]> = family
        .iter()
        .map(|WorkParts { work, .. }| {
            let why = work.cause.as_deref().or(work.needs_review.as_deref()).unwrap_or_default();
            [
                work.step.clone(),
                work.state.word().to_owned(),
                work.attempt.to_string(),
                output::short(work.work_id),
                output::cut(why),
            ]
        })
        .collect();
    output::table(["STEP", "STATE", "ATTEMPT", "WORK", "REMARK"], &rows)
}
