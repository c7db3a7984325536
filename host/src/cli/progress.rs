//! `onceward progress`: how far handoffs have come, and which of them stand too long.

use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::clock::Clock as _;
use crate::clock::SystemClock;
use crate::store::Store;
use crate::store::progress::{Handoff, ProgressFilter, StageCount};
use anyhow::{Result, bail};
use serde_json::{Value, json};

/// Verbs of `progress`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Handoffs by stage, the one that stands longest first; with --late those that stand too long.
    List(Args),
}

/// Arguments of `progress list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this stage.
    #[arg(long)]
    stage: Option<String>,
    /// Only those that have stood in their stage for longer than so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    older_than: u32,
    /// Only those that stand longer than `progress.alarms` allows. Ends with 3 if there are any.
    #[arg(long, conflicts_with = "older_than")]
    late: bool,
    /// At most so many of a stage.
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

/// A handoff with how long it has stood, and how long it may.
struct Standing {
    handoff: Handoff,
    age_s: u64,
    alarm_s: Option<u64>,
}

pub(super) async fn progress(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    let Verb::List(args) = verb;
    let store = compose::read_only(config)?;
    let now_ms = SystemClock.now_ms();
    let mut counts = store.progress_counts(&config.namespace).await?;
    if let Some(stage) = &args.stage {
        refuse_unknown(config, &counts, stage)?;
        counts.retain(|count| count.stage == *stage);
    }
    let mut found = Vec::new();
    for count in &counts {
        found.extend(stage(&*store, config, &args, &count.stage, now_ms).await?);
    }
    found.sort_by_key(|standing| standing.handoff.reached_ms);
    print(&found, &counts, now_ms, &args, format)?;
    Ok(Ending::when(!args.late || found.is_empty()))
}

/// A stage that is neither in the list nor reached by anything is a slip of the hand.
fn refuse_unknown(config: &Config, counts: &[StageCount], stage: &str) -> Result<()> {
    let known = &config.progress.stages;
    if known.iter().any(|name| name == stage) || counts.iter().any(|count| count.stage == stage) {
        return Ok(());
    }
    bail!("listing progress: there is no stage {stage:?}; the stages are {}", known.join(", "))
}

/// The handoffs of one stage that are asked for.
async fn stage(
    store: &dyn Store,
    config: &Config,
    args: &Args,
    stage: &str,
    now_ms: i64,
) -> Result<Vec<Standing>> {
    let alarm_s = config.progress.alarms.get(stage).copied();
    let least_s = match (args.late, alarm_s) {
        (true, None) => return Ok(Vec::new()),
        (true, Some(alarm_s)) => alarm_s,
        (false, _) => args.older_than.into(),
    };
    let least_ms = i64::try_from(least_s.saturating_mul(1_000)).unwrap_or(i64::MAX);
    let filter = ProgressFilter {
        namespace: config.namespace.clone(),
        stage: stage.to_owned(),
        reached_until_ms: now_ms.saturating_sub(least_ms),
        open: args.late,
        limit: args.limit,
    };
    let handoffs = store.progress_list(filter).await?.into_iter();
    Ok(handoffs
        .map(|handoff| Standing { age_s: age_s(handoff.reached_ms, now_ms), handoff, alarm_s })
        .collect())
}

fn age_s(since_ms: i64, now_ms: i64) -> u64 {
    u64::try_from(now_ms.saturating_sub(since_ms) / 1_000).unwrap_or(0)
}

fn print(found: &[Standing], counts: &[StageCount], now_ms: i64, args: &Args, format: Format) -> Result<()> {
    if format == Format::Json {
        let handoffs: Vec<Value> = found.iter().map(standing_json).collect();
        return output::json(&json!({ "handoffs": handoffs, "stages": counts }));
    }
    if args.late {
        for standing in found {
            let (handoff, age) = (&standing.handoff, age_text(standing.age_s));
            let allowed = standing.alarm_s.map(age_text).unwrap_or_default();
            output::line(format!(
                "{} for {age} (late after {allowed}): {}",
                handoff.stage, handoff.readable_key
            ))?;
        }
        return if found.is_empty() { output::line("nothing is late") } else { Ok(()) };
    }
    let rows: Vec<[String; 5]> = found
        .iter()
        .map(|Standing { handoff, age_s, .. }| {
            [
                handoff.stage.clone(),
                age_text(*age_s),
                output::time(handoff.reached_ms),
                output::short(handoff.work_id),
                handoff.readable_key.clone(),
            ]
        })
        .collect();
    output::table(["STAGE", "FOR", "SINCE", "WORK", "KEY"], &rows)?;
    for StageCount { stage, handoffs, oldest_ms, newest_ms } in counts {
        let (oldest, newest) = (age_text(age_s(*oldest_ms, now_ms)), age_text(age_s(*newest_ms, now_ms)));
        output::line(format!("{stage}: {handoffs}, the oldest for {oldest}, the newest for {newest}"))?;
    }
    Ok(())
}

fn standing_json(Standing { handoff, age_s, alarm_s }: &Standing) -> Value {
    json!({
        "key": handoff.readable_key,
        "work_id": handoff.work_id,
        "root_key": handoff.root_key,
        "stage": handoff.stage,
        "reached_ms": handoff.reached_ms,
        "age_s": age_s,
        "late_after_s": alarm_s,
        "over": handoff.over,
    })
}

/// A time span as people say it: two hours are 120 min, two days 48 h.
fn age_text(seconds: u64) -> String {
    const MINUTE_S: u64 = 60;
    const HOUR_S: u64 = 60 * MINUTE_S;
    const DAY_S: u64 = 24 * HOUR_S;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / MINUTE_S),
        7_200..=172_799 => format!("{} h", seconds / HOUR_S),
        _ => format!("{} d", seconds / DAY_S),
    }
}

#[cfg(test)]
mod tests {
    use super::age_text;

    #[test]
    fn an_age_is_said_in_the_unit_that_people_use() {
        let check = |seconds: u64, expected: &str| assert_eq!(age_text(seconds), expected);
        check(0, "0 s");
        check(119, "119 s");
        check(120, "2 min");
        check(61 * 60, "61 min");
        check(7_200, "2 h");
        check(3 * 24 * 3_600, "3 d");
        check(u64::MAX, "213503982334601 d");
    }
}
