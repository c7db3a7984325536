//! `onceward claim`, `record`, `extend` and `settle`: for scripts and schedules that do their effects themselves.
//!
//! ```text
//!  TOKEN=$(onceward claim invoices 2026-07 --effect mail --json | jq .token) || exit 0
//!  send-the-mail && onceward settle invoices:v1:2026-07 --token $TOKEN --done '{}'
//! ```
//! The exit code says whether to act: 0 acquired or applied, 3 not, and the output says how it stands.

mod args;

pub(super) use crate::cli::caller::args::{ClaimArgs, ExtendArgs, RecordArgs, SettleArgs};

use crate::api::error::ProblemBody;
use crate::api::primitives::claim::{ClaimAnswer, ClaimRequest, ClaimWord};
use crate::api::primitives::effect::{RecordEffectAnswer, RecordEffectRequest, RecordEffectWord};
use crate::api::primitives::extend::{ExtendAnswer, ExtendRequest, ExtendWord};
use crate::api::primitives::release::{ReleaseAnswer, ReleaseOutcome, ReleaseRequest};
use crate::cli::Ending;
use crate::cli::caller::args::OutcomeArgs;
use crate::cli::client::{Answer, Client, said};
use crate::cli::config::Config;
use crate::cli::input;
use crate::cli::output;
use crate::cli::output::Format;
use crate::contract::window::Window;
use crate::identity::event::EVENT_LIMIT_BYTES;
use crate::identity::key::WorkId;
use crate::identity::time;
use crate::store::intent::Intent;
use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use serde_json::value::RawValue;

pub(super) async fn claim(config: &Config, args: ClaimArgs, format: Format) -> Result<Ending> {
    args.time.as_deref().map(time::parse).transpose().context("reading --time")?;
    let content = match &args.content {
        Some(path) => {
            Some(raw(input::text("the content", path, EVENT_LIMIT_BYTES as u64)?, "reading --content")?)
        }
        None => None,
    };
    let request = ClaimRequest {
        scope: args.scope,
        key: args.key,
        content,
        occurred_at: args.time,
        window: args.window.map(Window::Duration),
        response: Some(args.response.into()),
        effect: args.effect,
        lease_ms: Some(args.lease.saturating_mul(1_000)),
        attempts_max: Some(args.attempts),
        give_up_after_ms: Some(args.give_up_after.saturating_mul(1_000)),
    };
    let answer = match ask(config, "claim", &request).await? {
        Ok(answer) => answer,
        Err(problem) => return refused(&problem, format),
    };
    if answer.replayed {
        return repeated(&answer, format);
    }
    let held: ClaimAnswer = answer.read()?;
    let may_act = held.verdict == ClaimWord::Acquired;
    if format == Format::Json {
        output::json(&answer.body)?;
        return Ok(Ending::when(may_act));
    }
    output::line(format!("{}: {}", held.key, if may_act { "acquired" } else { "effect-recorded" }))?;
    output::line(format!("  work    {}", held.work_id))?;
    output::line(format!("  token   {}", held.token))?;
    output::line(format!("  attempt {}", held.attempt))?;
    output::line(format!("  until   {}", output::time(held.lease_until_ms)))?;
    print_effects(&held.effects)?;
    if !may_act {
        output::line("  the effect has been done under this work; settle the work, and do not do it again")?;
    }
    Ok(Ending::when(may_act))
}

/// Work that was finished before.
fn repeated(answer: &Answer, format: Format) -> Result<Ending> {
    if format == Format::Json {
        output::json(&answer.body)?;
    } else {
        let text = |member: &str| answer.body[member].as_str().unwrap_or_default();
        output::line(format!("{}: {}; it was done before", text("key"), text("verdict")))?;
        output::line(format!("  work {}", text("work_id")))?;
        if let Some(result) = answer.body.get("output") {
            output::line(format!("  first result: {result}"))?;
        }
    }
    Ok(Ending::NotDone)
}

pub(super) async fn record(config: &Config, args: RecordArgs, format: Format) -> Result<Ending> {
    let request = RecordEffectRequest {
        work: args.holding.work,
        token: args.holding.token,
        effect: args.effect,
        reference: args.reference,
    };
    let answer = match ask(config, "record-effect", &request).await? {
        Ok(answer) => answer,
        Err(problem) => return refused(&problem, format),
    };
    let recorded: RecordEffectAnswer = answer.read()?;
    let late = recorded.verdict == RecordEffectWord::Late;
    let (verdict, said) = match recorded.state {
        Some(state) => {
            ("late", format!("the claim had ended; it is kept as evidence, and the work is {}", state.word()))
        }
        None => ("recorded", "it is on record".to_owned()),
    };
    told(&answer, format, verdict, &said, recorded.work_id, &[])?;
    Ok(Ending::when(!late))
}

pub(super) async fn extend(config: &Config, args: ExtendArgs, format: Format) -> Result<Ending> {
    let request = ExtendRequest {
        work: args.holding.work,
        token: args.holding.token,
        lease_ms: Some(args.lease.saturating_mul(1_000)),
        effect: args.effect,
    };
    let answer = match ask(config, "extend", &request).await? {
        Ok(answer) => answer,
        Err(problem) => return refused(&problem, format),
    };
    let extended: ExtendAnswer = answer.read()?;
    let may_act = extended.verdict == ExtendWord::Extended;
    let verdict = if may_act { "extended" } else { "effect-recorded" };
    let said = format!("it holds until {}", output::time(extended.lease_until_ms));
    told(&answer, format, verdict, &said, extended.work_id, &extended.effects)?;
    Ok(Ending::when(may_act))
}

pub(super) async fn settle(config: &Config, args: SettleArgs, format: Format) -> Result<Ending> {
    let outcome = match args.outcome {
        OutcomeArgs { done: Some(output), .. } => ReleaseOutcome::Done {
            output: raw(output, "settling a work: the result is not acceptable JSON; correct it")?,
        },
        OutcomeArgs { retry: Some(cause), .. } => ReleaseOutcome::Retry { cause, due_in_ms: args.after_ms },
        OutcomeArgs { reject: Some(cause), .. } => ReleaseOutcome::Reject { cause },
        OutcomeArgs { review: Some(cause), .. } => ReleaseOutcome::Review { cause },
        OutcomeArgs { doubt: Some(cause), .. } => ReleaseOutcome::Doubt { cause },
        OutcomeArgs { .. } => bail!("settling a work: no outcome was given; take one of --done, --retry ..."),
    };
    let request = ReleaseRequest { work: args.holding.work, token: args.holding.token, outcome };
    match ask(config, "release", &request).await? {
        Ok(answer) => {
            let released: ReleaseAnswer = answer.read()?;
            told(&answer, format, "applied", "it is settled", released.work_id, &[])?;
            Ok(Ending::Done)
        }
        Err(problem) => refused(&problem, format),
    }
}

async fn ask(
    config: &Config,
    primitive: &str,
    request: &impl Serialize,
) -> Result<Result<Answer, Box<ProblemBody>>> {
    Client::acting(config).await?.try_post(&["v1", "primitives", primitive], request, None).await
}

/// JSON text as it stands. `doing` says what it is for, where it is none.
fn raw(text: String, doing: &'static str) -> Result<Box<RawValue>> {
    RawValue::from_string(text).context(doing)
}

/// A problem about a work says how it stands; any other is an error of what was asked.
fn refused(problem: &ProblemBody, format: Format) -> Result<Ending> {
    let Some(work) = &problem.work_id else { return Err(said(problem)) };
    if format == Format::Json {
        output::json(&serde_json::to_value(problem)?)?;
    } else {
        output::line(format!("{}: {}", problem.verdict, problem.detail))?;
        output::line(format!("  work    {work}"))?;
        if let Some(remedy) = &problem.remedy {
            output::line(format!("  {remedy}"))?;
        }
    }
    Ok(Ending::NotDone)
}

fn told(
    answer: &Answer,
    format: Format,
    verdict: &str,
    said: &str,
    work: WorkId,
    effects: &[Intent],
) -> Result<()> {
    if format == Format::Json {
        return output::json(&answer.body);
    }
    output::line(format!("{verdict}: {said}"))?;
    output::line(format!("  work    {work}"))?;
    print_effects(effects)
}

/// What a caller has done under a work, or was about to do.
pub(super) fn print_effects(effects: &[Intent]) -> Result<()> {
    effects.iter().try_for_each(|effect| {
        let reference = effect.external_reference.as_deref().map(|id| format!(", reference {id}"));
        output::line(format!(
            "  effect  {:?}: {}{}{}, token {}, {}",
            effect.slot,
            effect.state.word(),
            if effect.late { " late" } else { "" },
            reference.unwrap_or_default(),
            effect.token,
            output::time(effect.opened_ms)
        ))
    })
}
