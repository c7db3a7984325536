//! How much slower other steps are while hostile guests run: one that loops, one that calls the host without end, and one that
//! takes all the memory it can get.
//!
//! Owns the hostile callers. The well-behaved step is called alone and beside them in turns.

use crate::bench::Bench;
use crate::figure::{Figure, Table};
use crate::sample::{Sample, Subject, in_turns};
use crate::served::{PLAIN, Setting, config, invoke_new, start_without_delivery, token_head, workspace};
use crate::unit::{Decision, Events};
use anyhow::bail;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use support::keep_alive::{Connection, post};
use support::paths;
use support::service::Service;

/// Callers of the step that behaves.
const CALLERS: usize = 4;

/// How many times as long its slowest calls may take beside hostile guests.
const AIM: f64 = 2.0;

/// How long a hostile run may take, in milliseconds: it ends with the turn.
const WALL_MS: u64 = 100;

/// Hostile steps: what they do, their files, their contracts' names, their payloads.
const HOSTILE: [(&str, &str, &str, &str); 3] = [
    ("an endless loop", "endless_loop", "endless-loop", "{}"),
    ("endless calls into the host", "notes_much", "notes-much", r#"{"notes":1000000000}"#),
    ("memory without end", "grows_memory", "grows-memory", "{}"),
];

/// Measure.
pub(crate) fn measure(bench: &Bench) -> anyhow::Result<Table> {
    let title = "A step's slowest calls beside hostile guests, against the same calls without them";
    let mut table = Table::new("hostile", title);
    let mut more = String::new();
    for (_, file, _, _) in HOSTILE {
        let plugin = paths::step(file).display().to_string();
        more.push_str(&format!(
            "[[step]]\nplugin = {plugin:?}\nlimits = {{ wall_ms = {WALL_MS}, host_calls = 4_000_000_000 }}\nretry = {{ attempts_max = 1 }}\n"
        ));
    }
    let dir = bench.dir()?;
    let config = config(&Setting { more: &more, ..PLAIN });
    let host = start_without_delivery(&workspace(dir.path(), &config)?)?;
    let (events, number) = (Events::named("beside"), AtomicU64::new(0));
    let alone = || invoke_new(&host, &events, Decision::Rule, CALLERS, bench.length());
    let mut subjects: Vec<Subject<'_>> = vec![Box::new(alone)];
    for (_, _, step, payload) in HOSTILE {
        let (host, number) = (&host, &number);
        subjects.push(Box::new(move || beside(host, step, payload, number, &alone)));
    }
    let series = in_turns(bench.rounds(), &mut subjects)?;
    drop(subjects);
    let [alone, beside @ ..] = &series[..] else { bail!("there is no series") };
    let floor = alone.micros_at(0.99);
    table.figures.push(Figure::new("p99 alone", floor, "µs").times(alone));
    for ((what, ..), series) in HOSTILE.iter().zip(beside) {
        let figure = Figure::new(format!("p99 beside {what}"), series.micros_at(0.99), "µs");
        table.figures.push(figure.beside(floor).times(series).at_most_of_floor(AIM));
    }
    Ok(table)
}

/// The well-behaved calls, while one caller invokes a hostile step again and again.
fn beside(
    host: &Service,
    step: &str,
    payload: &str,
    number: &AtomicU64,
    calls: &(impl Fn() -> anyhow::Result<Sample> + Sync),
) -> anyhow::Result<Sample> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hostile = scope.spawn(|| hostile(host, step, payload, number, &over));
        let sample = calls();
        over.store(true, Ordering::Relaxed);
        hostile.join().map_err(|_| anyhow::anyhow!("the hostile caller has panicked"))??;
        sample
    })
}

fn hostile(
    host: &Service,
    step: &str,
    payload: &str,
    number: &AtomicU64,
    over: &AtomicBool,
) -> anyhow::Result<()> {
    let (path, heads) = (format!("/v1/steps/{step}/invoke"), token_head(host));
    let mut connection = Connection::open(host.address())?;
    while !over.load(Ordering::Relaxed) {
        let id = number.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"source":"hostile","id":"{id}","data":{payload}}}"#);
        let answer = connection.send(&post(&path, &heads, &body))?;
        // It dies of its only attempt.
        if answer.status != 409 {
            bail!("a hostile invocation was answered {}: {}", answer.status, answer.body);
        }
    }
    Ok(())
}
