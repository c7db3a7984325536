//! `onceward progress`: how far handoffs have come, and which of them stand too long.

use crate::api::progress::ProgressList;
use crate::cli::Ending;
use crate::cli::client::Client;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::pages::query;
use crate::store::progress::StageCount;
use anyhow::Result;

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

pub(super) async fn progress(config: &Config, verb: Verb, format: Format) -> Result<Ending> {
    let Verb::List(args) = verb;
    let mut filter = query([("stage", args.stage), ("limit", Some(args.limit.to_string()))]);
    if args.late {
        filter.push(("late", true.to_string()));
    } else {
        filter.push(("older_than_s", args.older_than.to_string()));
    }
    let answer = Client::reading(config).await?.get(&["v1", "progress"], &filter).await?;
    let found: ProgressList = answer.read()?;
    match format {
        Format::Json => output::json(&answer.body)?,
        Format::Text if args.late => print_late(&found)?,
        Format::Text => print(&found)?,
    }
    Ok(Ending::when(!args.late || found.handoffs.is_empty()))
}

fn print_late(found: &ProgressList) -> Result<()> {
    for handoff in &found.handoffs {
        let allowed = handoff.late_after_s.map(age_text).unwrap_or_default();
        let (stage, age, key) = (&handoff.stage, age_text(handoff.age_s), &handoff.key);
        output::line(format!("{stage} for {age} (late after {allowed}): {key}"))?;
    }
    if found.handoffs.is_empty() { output::line("nothing is late") } else { Ok(()) }
}

fn print(found: &ProgressList) -> Result<()> {
    let rows: Vec<[String; 5]> = found
        .handoffs
        .iter()
        .map(|handoff| {
            [
                handoff.stage.clone(),
                age_text(handoff.age_s),
                output::time(handoff.reached_ms),
                output::short(handoff.work_id),
                handoff.key.clone(),
            ]
        })
        .collect();
    output::table(["STAGE", "FOR", "SINCE", "WORK", "KEY"], &rows)?;
    let age = |since_ms| {
        let ms = found.at_ms.saturating_sub(since_ms);
        age_text(u64::try_from(ms / 1_000).unwrap_or(0))
    };
    for StageCount { stage, handoffs, oldest_ms, newest_ms } in &found.stages {
        let (oldest, newest) = (age(*oldest_ms), age(*newest_ms));
        output::line(format!("{stage}: {handoffs}, the oldest for {oldest}, the newest for {newest}"))?;
    }
    Ok(())
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
