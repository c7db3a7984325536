//! `onceward claim`, `record`, `extend` and `settle`: for scripts and schedules that do their effects themselves.
//!
//! ```text
//!  TOKEN=$(onceward claim invoices 2026-07 --effect mail --json | jq .token) || exit 0
//!  send-the-mail && onceward settle invoices:v1:2026-07 --token $TOKEN --done '{}'
//! ```
//! The exit code says whether to act: 0 acquired or applied, 3 not, and the output says how it stands.

mod args;

pub(super) use crate::cli::caller::args::{ClaimArgs, ExtendArgs, RecordArgs, SettleArgs};

use crate::cli::Ending;
use crate::cli::caller::args::OutcomeArgs;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::find;
use crate::cli::input;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::run;
use crate::contract::fence::Token;
use crate::contract::window::Window;
use crate::dispatch::caller::{CallerClaim, CallerOutcome, Callers, done_before, may_act};
use crate::identity::event::EVENT_LIMIT_BYTES;
use crate::identity::time;
use crate::store::Store;
use crate::store::claim::{Acquired, Answered, Claim};
use crate::store::intent::{EffectRecord, Extended, Intent, Recorded};
use crate::store::work::{Settled, WorkRef};
use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

pub(super) async fn claim(config: &Config, args: ClaimArgs, format: Format) -> Result<Ending> {
    let content = args.content.as_deref().map(content).transpose()?;
    let occurred_at_ms = args.time.as_deref().map(time::parse).transpose().context("reading --time")?;
    let (_, callers) = open(config)?;
    let effect = args.effect.clone();
    let claimed = callers
        .claim(CallerClaim {
            scope: args.scope,
            key: args.key,
            content,
            occurred_at_ms,
            window: args.window.map_or(Window::ForEver, Window::Duration),
            response: args.response.into(),
            effect: args.effect,
            lease_ms: args.lease.saturating_mul(1_000),
            attempts_max: args.attempts,
            age_max_ms: args.give_up_after.saturating_mul(1_000),
        })
        .await?;
    match claimed {
        Claim::Acquired(held) => acquired(&held, effect.as_deref(), format),
        Claim::Answered(answered) => refused(&answered, format),
    }
}

fn acquired(held: &Acquired, effect: Option<&str>, format: Format) -> Result<Ending> {
    let may_act = may_act(held, effect);
    let verdict = if may_act { "acquired" } else { "effect-recorded" };
    if format == Format::Json {
        output::json(&json!({
            "verdict": verdict,
            "work_id": held.work.work_id,
            "key": held.work.readable_key,
            "token": held.token.number(),
            "attempt": held.work.attempt,
            "takeover": held.takeover,
            "lease_until_ms": held.work.lease_until_ms,
            "effects": held.intents,
        }))?;
        return Ok(Ending::when(may_act));
    }
    output::line(format!("{}: {verdict}", held.work.readable_key))?;
    output::line(format!("  work    {}", held.work.work_id))?;
    output::line(format!("  token   {}", held.token))?;
    output::line(format!("  attempt {}", held.work.attempt))?;
    output::line(format!("  until   {}", output::time(held.work.lease_until_ms.unwrap_or_default())))?;
    print_effects(&held.intents)?;
    if !may_act {
        output::line("  the effect has been done under this work; settle the work, and do not do it again")?;
    }
    Ok(Ending::when(may_act))
}

fn refused(answered: &Answered, format: Format) -> Result<Ending> {
    if format == Format::Json {
        output::json(&run::answered_json(answered))?;
    } else {
        run::print_answered(answered)?;
    }
    Ok(Ending::NotDone)
}

pub(super) async fn record(config: &Config, args: RecordArgs, format: Format) -> Result<Ending> {
    let (store, callers) = open(config)?;
    let work = find::work(&*store, &config.namespace, &args.holding.work, "recording an effect").await?;
    let effect = EffectRecord {
        token: Token::from_number(args.holding.token),
        slot: args.effect,
        external_reference: args.reference,
    };
    let asked = effect.external_reference.clone();
    let (verdict, said, done) = match callers.record(work.clone(), effect).await? {
        Recorded::Applied => ("recorded", "it is on record".to_owned(), true),
        Recorded::Already { external_reference: stands } if asked.is_none() || stands == asked => {
            ("recorded", "it was on record already".to_owned(), true)
        }
        Recorded::Already { external_reference } => (
            "already-recorded",
            format!("the first record stands: reference {}", external_reference.unwrap_or_default()),
            false,
        ),
        Recorded::Late { state } => (
            "lease-lost",
            format!("the claim had ended; it is kept as evidence, and the work is {}", state.word()),
            false,
        ),
        Recorded::Unknown => bail!(
            "recording an effect: {} is no work of an outside caller, or the token {} was never given out for it; take both from the answer of `onceward claim`",
            output::short(work.id),
            args.holding.token
        ),
    };
    told(&work, verdict, &said, &[], format)?;
    Ok(Ending::when(done))
}

pub(super) async fn extend(config: &Config, args: ExtendArgs, format: Format) -> Result<Ending> {
    let (store, callers) = open(config)?;
    let work = find::work(&*store, &config.namespace, &args.holding.work, "extending a lease").await?;
    let (token, lease_ms) = (Token::from_number(args.holding.token), args.lease.saturating_mul(1_000));
    match callers.extend(work.clone(), token, lease_ms, args.effect.clone()).await? {
        Extended::Applied { lease_until_ms, intents } => {
            let done = args.effect.as_deref().and_then(|slot| done_before(&intents, slot)).is_some();
            let verdict = if done { "effect-recorded" } else { "extended" };
            let said = format!("it holds until {}", output::time(lease_until_ms));
            told(&work, verdict, &said, &intents, format)?;
            Ok(Ending::when(!done))
        }
        Extended::LeaseLost => lost(&work, format),
    }
}

pub(super) async fn settle(config: &Config, args: SettleArgs, format: Format) -> Result<Ending> {
    let (store, callers) = open(config)?;
    let work = find::work(&*store, &config.namespace, &args.holding.work, "settling a work").await?;
    let due_in_ms = args.after_ms;
    let outcome = match args.outcome {
        OutcomeArgs { done: Some(output), .. } => CallerOutcome::Done { output },
        OutcomeArgs { retry: Some(cause), .. } => CallerOutcome::Retry { cause, due_in_ms },
        OutcomeArgs { reject: Some(cause), .. } => CallerOutcome::Reject { cause },
        OutcomeArgs { review: Some(cause), .. } => CallerOutcome::Review { cause },
        OutcomeArgs { doubt: Some(cause), .. } => CallerOutcome::Doubt { cause },
        OutcomeArgs { .. } => bail!("settling a work: no outcome was given; take one of --done, --retry ..."),
    };
    match callers.settle(work.clone(), Token::from_number(args.holding.token), outcome).await? {
        Settled::Applied => {
            told(&work, "applied", "it is settled", &[], format)?;
            Ok(Ending::Done)
        }
        Settled::Cancelled { cause } => {
            told(&work, "cancelled", &cause, &[], format)?;
            Ok(Ending::NotDone)
        }
        Settled::RowConflict { cause } => {
            told(&work, "dead", &cause, &[], format)?;
            Ok(Ending::NotDone)
        }
        Settled::LeaseLost => lost(&work, format),
    }
}

fn open(config: &Config) -> Result<(Arc<dyn Store>, Callers)> {
    let (store, _) = compose::owner(config)?;
    Ok((Arc::clone(&store), Callers::new(store, config.namespace.clone())))
}

fn lost(work: &WorkRef, format: Format) -> Result<Ending> {
    let said = "the claim is no longer yours, and nothing was changed; where the effect has happened, say so with `onceward record`";
    told(work, "lease-lost", said, &[], format)?;
    Ok(Ending::NotDone)
}

fn told(work: &WorkRef, verdict: &str, said: &str, effects: &[Intent], format: Format) -> Result<()> {
    if format == Format::Json {
        let mut told = json!({ "verdict": verdict, "work_id": work.id, "detail": said });
        if !effects.is_empty() {
            told["effects"] = json!(effects);
        }
        return output::json(&told);
    }
    output::line(format!("{verdict}: {said}"))?;
    output::line(format!("  work    {}", work.id))?;
    print_effects(effects)
}

/// What a caller has done under a work, or was about to do.
pub(super) fn print_effects(effects: &[Intent]) -> Result<()> {
    effects.iter().try_for_each(|effect| {
        let reference = effect.external_reference.as_deref().map(|id| format!(", reference {id}"));
        output::line(format!(
            "  effect  {:?}: {}{}, token {}, {}",
            effect.slot,
            effect.state.word(),
            reference.unwrap_or_default(),
            effect.token,
            output::time(effect.opened_ms)
        ))
    })
}

fn content(path: &Path) -> Result<String> {
    input::text("the content", path, EVENT_LIMIT_BYTES as u64)
}
