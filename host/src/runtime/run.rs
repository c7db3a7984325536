//! One run of a step: a fresh instance, the call, and why it ended.

use crate::identity::json_text;
use crate::runtime::decide::{DecisionDesk, Origin};
use crate::runtime::job::Job;
use crate::runtime::limits::{Limits, Refused, TABLE_ENTRIES_MAX};
use crate::runtime::plugin::Plugin;
use crate::runtime::probe::Probe;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::trap;
use crate::runtime::wall::Wall;
use crate::runtime::wit::since_v0_1_0::bindings::exports::onceward::step::guest;
use crate::store::work::Collected;
use std::collections::BTreeMap;
use std::str::Utf8Error;
use std::sync::Arc;
use wasmtime::{Engine, Store, UpdateDeadline};

/// How the engine words a call that was too large. It has no type of its own; a test of the limit holds the words.
const CALL_BYTES_WORDS: &str = "fuel allocated for hostcalls has been exhausted";

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub ended: Ended,
    /// What commits with a finished or continued run, and with no other.
    pub collected: Collected,
    /// Notes for people.
    pub notes: Vec<String>,
    /// Slots that the step got an answer to, and where that came from first.
    pub decided: BTreeMap<String, Origin>,
}

impl Run {
    /// A run that was ended from outside. What it had collected is gone.
    pub(super) fn stopped(stop: Stop) -> Self {
        let (collected, notes, decided) = (Collected::default(), Vec::new(), BTreeMap::new());
        Self { ended: Ended::Stopped(stop), collected, notes, decided }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// The step has finished.
    Finished {
        /// JSON text.
        output: String,
        /// Why a person is asked to look.
        needs_review: Option<String>,
    },
    /// A chunk is done.
    Continue {
        /// For the next run.
        cursor: String,
    },
    /// The step asks for another attempt.
    Retry {
        /// Why.
        reason: String,
        /// Not before, in milliseconds from now.
        after_ms: Option<u64>,
    },
    /// The step asks for a person.
    Review(String),
    /// The step says it can never succeed.
    Reject(String),
    /// The host or a trap ended it.
    Stopped(Stop),
}

/// Run the step once.
pub(super) async fn run(
    engine: &Engine,
    plugin: &Plugin,
    job: Arc<Job>,
    desk: Arc<DecisionDesk>,
    limits: Arc<Limits>,
    probe: Option<Arc<dyn Probe>>,
) -> Run {
    let wall = Arc::new(Wall::start(limits.wall_ms));
    let state = RunState::new(Arc::clone(&job), desk, Arc::clone(&limits), Arc::clone(&wall), probe);
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.sandbox.memory);
    store.set_hostcall_fuel(usize::try_from(limits.call_bytes).unwrap_or(usize::MAX));
    give_way(&mut store);
    let handled = tokio::select! {
        handled = handle(&mut store, plugin, &job) => Some(handled),
        () = wall.expired() => None,
    };
    let mut state = store.into_data();
    state.sandbox.end_lines();
    let ended = match handled {
        None => Ended::Stopped(Stop::WallTime { limit_ms: limits.wall_ms }),
        Some(Err(error)) => Ended::Stopped(reason(&error, &state)),
        Some(Ok(answer)) => ended(answer, &mut state),
    };
    Run { ended, collected: state.collected, notes: state.sandbox.notes.into_lines(), decided: state.decided }
}

/// Let a guest that computes give way to others at every epoch.
pub(super) fn give_way<T: 'static>(store: &mut Store<T>) {
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|_| Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))));
}

async fn handle(
    store: &mut Store<RunState>,
    plugin: &Plugin,
    job: &Job,
) -> wasmtime::Result<Result<guest::Outcome, guest::Failure>> {
    let step = plugin.pre.instantiate_async(&mut *store).await?;
    let work = guest::Work {
        id: job.work.work_id.to_string(),
        key: job.work.readable_key.clone(),
        namespace: job.work.namespace.clone(),
        attempt: job.work.attempt,
        source: job.work.source.clone(),
        event_id: job.work.event_id.clone(),
        payload: job.work.payload.clone(),
    };
    step.onceward_step_guest().call_handle(store, &work).await
}

/// The first reason: what the host said, else memory that was refused, else the trap.
fn reason(error: &wasmtime::Error, state: &RunState) -> Stop {
    if let Some(stop) = error.downcast_ref::<Stop>() {
        return stop.clone();
    }
    match state.sandbox.memory.refused() {
        Some(Refused::Memory) => return Stop::Memory { limit_bytes: state.limits.memory_bytes },
        Some(Refused::Table) => return Stop::Table { limit: TABLE_ENTRIES_MAX },
        None => {}
    }
    if let Some(fault) = error.downcast_ref::<Utf8Error>() {
        return Stop::NotUtf8 { fault: *fault };
    }
    if error.root_cause().to_string().contains(CALL_BYTES_WORDS) {
        return Stop::CallBytes { limit_bytes: state.limits.call_bytes };
    }
    Stop::Trap(trap::words(error, state.sandbox.notes.lines()))
}

fn ended(answer: Result<guest::Outcome, guest::Failure>, state: &mut RunState) -> Ended {
    match answer {
        Ok(guest::Outcome::Done(finished)) => match json_text::parse(&finished.output) {
            Ok(_) => Ended::Finished { output: finished.output, needs_review: finished.needs_review },
            Err(error) => Ended::Stopped(Stop::BadOutput(error.to_string())),
        },
        Ok(guest::Outcome::Continue(cursor)) => match useless(&cursor, state) {
            Some(stop) => Ended::Stopped(stop),
            None => Ended::Continue { cursor },
        },
        Err(guest::Failure::Retry(later)) => Ended::Retry { reason: later.reason, after_ms: later.after_ms },
        Err(guest::Failure::Review(reason)) => Ended::Review(reason),
        Err(guest::Failure::Reject(reason)) => Ended::Reject(reason),
    }
}

/// Why a run can't go on from this cursor. A chunk restarts the count of attempts, so one that leads nowhere would never
/// come to an end.
fn useless(cursor: &str, state: &mut RunState) -> Option<Stop> {
    if cursor.is_empty() {
        return Some(Stop::BadOutput("the cursor is empty; give what the next run begins with".to_owned()));
    }
    let limit_bytes = state.limits.call_bytes;
    if cursor.len() as u64 > limit_bytes {
        return Some(Stop::CallBytes { limit_bytes });
    }
    if state.job.work.cursor.as_deref() == Some(cursor) && is_empty(&state.collected) {
        return Some(Stop::NoProgress);
    }
    state.collect(cursor.len()).err().map(Stop::BadOutput)
}

fn is_empty(collected: &Collected) -> bool {
    let Collected { rows, mark, pins, effects, released } = collected;
    rows.is_empty() && mark.is_none() && pins.is_empty() && effects.is_empty() && released.is_empty()
}
