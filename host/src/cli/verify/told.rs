//! What `verify` prints: what was tried, and the story of a run that failed.

use crate::cli::output;
use crate::cli::output::Format;
use crate::cli::verify::bar;
use crate::verify::fault::Door;
use crate::verify::reached::StatesOf;
use crate::verify::search::{Failure, Report};
use crate::verify::trace::Step;
use anyhow::Result;
use serde_json::{Value, json};

/// How much of a part of an outcome is shown, in characters.
const TEXT_CHARS: usize = 120;

/// Print what a search came to.
pub(super) fn report(report: &Report, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&json!({
            "points": report.points,
            "clean": report.clean,
            "phases": report.phases,
            "faults": report.faults,
            "states": states_json(&report.states),
            "outcomes": report.outcomes,
            "troubles": report.troubles,
            "failure": report.failure.as_ref().map(failure_json),
        }));
    }
    output::line("without faults:")?;
    for (part, text) in &report.clean {
        output::line(format!("  {part}: {}", cut(text)))?;
    }
    output::line("")?;
    let phases: Vec<[String; 4]> = report
        .phases
        .iter()
        .map(|phase| {
            let seconds = phase.took_ms as f64 / 1_000.0;
            [
                bar::name(phase.phase).to_owned(),
                phase.schedules.to_string(),
                phase.tried.to_string(),
                format!("{seconds:.1} s"),
            ]
        })
        .collect();
    output::table(["PHASE", "RUNS", "TRIED", "TIME"], &phases)?;
    output::line("")?;
    let faults: Vec<[String; 3]> = report
        .faults
        .iter()
        .map(|(fault, times)| [fault.word().to_owned(), times.to_string(), fault.story().to_owned()])
        .collect();
    output::table(["FAULT", "TIMES", "WHAT HAPPENS"], &faults)?;
    output::line("")?;
    states(&report.states)?;
    output::line("")?;
    for trouble in &report.troubles {
        output::progress(format!("the simulated model does not answer: {trouble}"));
    }
    match &report.failure {
        None => output::line(format!(
            "nothing found: {} points, {} distinct outcomes, each as without faults",
            report.points, report.outcomes
        )),
        Some(failure) => story(failure, Format::Text),
    }
}

/// Which states were reached, and which were not.
fn states(states: &[StatesOf]) -> Result<()> {
    let rows: Vec<[String; 3]> = states
        .iter()
        .filter(|of| !of.states.is_empty())
        .map(|of| {
            let (never, reached): (Vec<_>, Vec<_>) = of.states.iter().partition(|(_, times)| *times == 0);
            let reached = reached.iter().map(|(state, times)| format!("{state} {times}"));
            let never = never.iter().map(|(state, _)| state.as_str()).collect::<Vec<_>>();
            [of.noun.to_owned(), reached.collect::<Vec<_>>().join(", "), never.join(", ")]
        })
        .collect();
    output::table(["STATES OF", "REACHED (TIMES)", "NEVER REACHED"], &rows)
}

fn states_json(states: &[StatesOf]) -> Value {
    let of = |of: &StatesOf| {
        let times = of.states.iter().map(|(state, times)| (state.clone(), Value::from(*times)));
        (of.noun.to_owned(), Value::Object(times.collect()))
    };
    Value::Object(states.iter().map(of).collect())
}

/// Print the story of one run.
pub(super) fn story(failure: &Failure, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&failure_json(failure));
    }
    match failure.schedule.is_empty() {
        true => output::line("a run without any fault:")?,
        false => output::line(format!(
            "a run with these faults (make it again with --schedule \"{}\"):",
            failure.schedule
        ))?,
    }
    for step in &failure.observed.trace {
        output::line(line(step))?;
    }
    output::line("")?;
    if failure.findings.is_empty() {
        return output::line("it came to the same as without faults");
    }
    output::line(format!("{} found:", failure.findings.len()))?;
    failure.findings.iter().try_for_each(|finding| output::line(format!("  - {finding}")))
}

/// A text as long as a person reads in passing.
fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn line(step: &Step) -> String {
    let door = match step.door {
        Door::Step => "step",
        Door::Ledger => "ledger",
        Door::Destination(_) => "destination",
        Door::LookUp => "look-up",
        Door::Model => "model",
    };
    let aside = "    ".repeat(step.depth as usize);
    let said = format!("{:>5}  {aside}host {}  {door}: {}", step.number, step.host, step.what);
    match step.fault {
        Some(fault) => format!("{said}   <== {}: {}", fault.word(), fault.story()),
        None => said,
    }
}

fn failure_json(failure: &Failure) -> Value {
    let findings = failure.findings.iter().map(|finding| {
        let mut told = serde_json::to_value(finding).unwrap_or(Value::Null);
        told["text"] = Value::from(finding.to_string());
        told
    });
    json!({
        "schedule": failure.schedule.to_string(),
        "findings": findings.collect::<Vec<_>>(),
        "trace": failure.observed.trace,
    })
}
