//! The transition function: what an action makes of a state, or why it can't happen.
//!
//! Owns the work's side (record, claim, settle, decide) and the witness. It refuses what the store refuses, with the reason;
//! a write with an old token is not refused but has no effect, as in the store.

use crate::action::{Action, Ending, NewRow};
use crate::host;
use crate::refusal::{Refusal, refused};
use crate::row;
use crate::rules::{Flaw, Rules};
use crate::state::{State, Work, WorkPhase};

/// What an action makes of a state.
///
/// # Errors
/// The action can't happen there; the refusal says why.
pub fn step(rules: &Rules, before: &State, action: &Action) -> Result<State, Refusal> {
    let mut after = before.clone();
    match action {
        Action::Record { phase } => record(&mut after, *phase)?,
        Action::Claim { host } => claim(rules, &mut after, *host)?,
        Action::Die => die(rules, &mut after)?,
        Action::LeaseEnds => lease_ends(&mut after)?,
        Action::Settle { host, ending } => settle(rules, &mut after, *host, ending)?,
        Action::SettleRest { host } => host::settle_rest(rules, &mut after, *host)?,
        Action::TakeRow { host, row } => row::take(rules, &mut after, *host, *row)?,
        Action::RowLeaseEnds { row } => row::lease_ends(&mut after, *row)?,
        Action::Arrive { host } => row::arrive(rules, &mut after, *host)?,
        Action::Answer { host, outcome } => row::answer(rules, &mut after, *host, *outcome)?,
        Action::Crash { host } => host::crash(&mut after, *host)?,
        Action::DecideWork { to } => decide(&mut after, *to)?,
        Action::DecideRow { row, to } => row::decide(&mut after, *row, *to)?,
        Action::Revise { row } => row::revise(&mut after, *row)?,
        Action::Elsewhere { sequence } => elsewhere(&mut after, *sequence)?,
    }
    witness(before, &mut after, action);
    Ok(after)
}

fn record(state: &mut State, phase: WorkPhase) -> Result<(), Refusal> {
    if state.work.is_some() {
        return refused("the work is on record already");
    }
    if !matches!(phase, WorkPhase::Waiting | WorkPhase::Review) {
        return refused(format!("a work can't begin as {phase:?}"));
    }
    state.work = Some(Work { phase, attempt: 0, token: 0, lease_ended: false });
    Ok(())
}

/// A new work is inserted already claimed; one that waits, or whose lease has ended, is taken.
fn claim(rules: &Rules, state: &mut State, host: usize) -> Result<(), Refusal> {
    if state.hosts[host].run.is_some() {
        return refused("the host runs it, or believes that it does");
    }
    let (attempt, taken_over) = match &state.work {
        None => (0, false),
        Some(work) => (work.attempt, due(work)?),
    };
    if !rules.left(attempt) {
        return refused(format!("its {attempt} attempts are used up"));
    }
    let token = state.next_token();
    let counted = if rules.has(Flaw::CountedAfter) { attempt } else { attempt + 1 };
    state.work = Some(Work { phase: WorkPhase::Running, attempt: counted, token, lease_ended: false });
    state.hosts[host].run = Some(token);
    state.witness.starts += 1;
    state.witness.taken_over |= taken_over;
    Ok(())
}

/// Whether a work that is free to be taken is so because a lease has ended.
fn due(work: &Work) -> Result<bool, Refusal> {
    match work.phase {
        WorkPhase::Waiting => Ok(false),
        WorkPhase::Running if work.lease_ended => Ok(true),
        WorkPhase::Running => refused(format!("the claim with token {} holds it", work.token)),
        phase => refused(format!("it is {phase:?}, which no claim changes")),
    }
}

fn die(rules: &Rules, state: &mut State) -> Result<(), Refusal> {
    let Some(work) = &mut state.work else { return refused("there is no work") };
    due(work)?;
    // Where the budget is not known, its time may be over as well.
    if rules.attempts_max.is_some() && !rules.used_up(work.attempt) {
        return refused("it has attempts left");
    }
    work.phase = WorkPhase::Dead;
    Ok(())
}

fn lease_ends(state: &mut State) -> Result<(), Refusal> {
    match &mut state.work {
        Some(work) if work.phase == WorkPhase::Running && !work.lease_ended => {
            work.lease_ended = true;
            Ok(())
        }
        _ => refused("no claim holds the work"),
    }
}

/// The fence: a settle holds only while its token is the latest. The host forgets its run either way.
fn settle(rules: &Rules, state: &mut State, host: usize, ending: &Ending) -> Result<(), Refusal> {
    let Some(token) = state.hosts[host].run.take() else { return refused("the host runs nothing") };
    let Some(work) = &mut state.work else { return refused("there is no work") };
    let holds = work.phase == WorkPhase::Running && (work.token == token || rules.has(Flaw::NoFence));
    if !holds && !rules.has(Flaw::AnyState) {
        return Ok(());
    }
    if rules.has(Flaw::CountedAfter) {
        work.attempt += 1;
    }
    (work.phase, work.attempt) = match ending {
        Ending::Done(_) => (WorkPhase::Done, work.attempt),
        Ending::Continue(_) => (WorkPhase::Waiting, 0),
        Ending::Retry => (WorkPhase::Waiting, work.attempt),
        Ending::GiveBack => (WorkPhase::Waiting, work.attempt.saturating_sub(1)),
        Ending::Rest(phase) => (*phase, work.attempt),
    };
    let Some(rows) = rows_of(ending) else { return Ok(()) };
    if rules.has(Flaw::SplitSettle) {
        state.hosts[host].half_settled = true;
    } else {
        row::insert(state, rows);
    }
    Ok(())
}

/// What an ending commits; evidence alone, where it is none that gets on.
fn rows_of(ending: &Ending) -> Option<&[NewRow]> {
    match ending {
        Ending::Done(rows) | Ending::Continue(rows) => Some(rows),
        Ending::Retry | Ending::GiveBack | Ending::Rest(_) => None,
    }
}

fn decide(state: &mut State, to: WorkPhase) -> Result<(), Refusal> {
    let Some(work) = &mut state.work else { return refused("there is no work") };
    let allowed = match work.phase {
        WorkPhase::Review => matches!(to, WorkPhase::Waiting | WorkPhase::Rejected | WorkPhase::Cancelled),
        WorkPhase::Dead => matches!(to, WorkPhase::Waiting | WorkPhase::Rejected),
        WorkPhase::Waiting => to == WorkPhase::Cancelled,
        WorkPhase::Running => to == WorkPhase::Cancelled && work.lease_ended,
        WorkPhase::Done | WorkPhase::Rejected | WorkPhase::Cancelled => false,
    };
    if !allowed {
        return refused(format!("nobody can move it from {:?} to {to:?}", work.phase));
    }
    work.phase = to;
    if to == WorkPhase::Waiting {
        work.attempt = 0;
    }
    Ok(())
}

fn elsewhere(state: &mut State, sequence: u64) -> Result<(), Refusal> {
    if sequence < state.sequence {
        let latest = state.sequence;
        return refused(format!(
            "the sequence of tokens stands at {latest}, and never goes back to {sequence}"
        ));
    }
    state.sequence = sequence;
    Ok(())
}

/// Compare before and after, whatever the rules were that led there.
fn witness(before: &State, after: &mut State, action: &Action) {
    let work_changed = before.work != after.work;
    let (was, is) = (phase(before), phase(after));
    after.witness.finished_changed |= work_changed && was.is_some_and(WorkPhase::is_final);
    if is == Some(WorkPhase::Done) && (work_changed || before.rows.len() != after.rows.len()) {
        after.witness.dones += 1;
    }
    match action {
        Action::Settle { host, .. } => {
            let stale = before.work.as_ref().map(|work| work.token) != before.hosts[*host].run;
            after.witness.stale_changed |= stale && (work_changed || before.rows != after.rows);
        }
        Action::Answer { host, .. } => {
            let stale = before.hosts[*host].sending.as_ref().is_some_and(|sending| {
                before.rows.get(sending.row).is_some_and(|row| row.token != sending.token)
            });
            after.witness.stale_changed |= stale && before.rows != after.rows;
        }
        _ => {}
    }
    let gets_on = matches!(
        action,
        Action::DecideWork { .. } | Action::Settle { ending: Ending::Continue(_) | Ending::GiveBack, .. }
    );
    if gets_on && work_changed {
        after.witness.starts = 0;
    }
}

fn phase(state: &State) -> Option<WorkPhase> {
    state.work.as_ref().map(|work| work.phase)
}
