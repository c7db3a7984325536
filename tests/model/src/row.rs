//! The row's side of the protocol: insert, take, arrive, answer, decide.
//!
//! Owns what a sender may do and say by the tier. It refuses what no sender would say: that a request was accepted which
//! never arrived, or that one was not applied which was.

use crate::action::{NewRow, Outcome};
use crate::refusal::{Refusal, refused};
use crate::rules::{Flaw, Rules, Tier};
use crate::state::{Receiver, Row, RowPhase, Sending, State};

/// The rows of a settle, as they are inserted.
pub(crate) fn insert(state: &mut State, rows: &[NewRow]) {
    state.rows.extend(rows.iter().map(|new| Row {
        phase: new.phase,
        tier: new.tier,
        attempt: 0,
        token: 0,
        lease_ended: false,
        maybe_applied: false,
        by_word: false,
        receiver: Receiver::default(),
    }));
}

/// What each settle of the walk inserts: one row that waits.
pub(crate) fn usual(rules: &Rules) -> Vec<NewRow> {
    vec![NewRow { phase: RowPhase::Pending, tier: rules.tier }]
}

/// The attempt is counted, and a takeover marked, before anything is sent.
pub(crate) fn take(rules: &Rules, state: &mut State, host: usize, place: usize) -> Result<(), Refusal> {
    if state.hosts[host].sending.is_some() {
        return refused("the host sends already");
    }
    let found = find(state, place)?;
    let lapsed = match found.phase {
        RowPhase::Pending => false,
        RowPhase::Sending if found.lease_ended => true,
        RowPhase::Sending => return refused(format!("the sender with token {} holds it", found.token)),
        phase => return refused(format!("it is {phase:?}, and nobody sends such a row")),
    };
    if rules.has(Flaw::CountedAfter) {
        let sending = Sending {
            row: place,
            token: found.token,
            attempt: found.attempt + 1,
            maybe_applied: found.maybe_applied,
            by_word: found.by_word,
            arrived: false,
        };
        state.hosts[host].sending = Some(sending);
        return Ok(());
    }
    let token = state.next_token();
    let row = find(state, place)?;
    let by_word = row.by_word && !lapsed;
    row.maybe_applied |= lapsed && !rules.has(Flaw::UnmarkedTakeover);
    row.phase = RowPhase::Sending;
    row.attempt += 1;
    row.token = token;
    row.lease_ended = false;
    row.by_word = false;
    let (attempt, maybe_applied) = (row.attempt, row.maybe_applied);
    state.hosts[host].sending =
        Some(Sending { row: place, token, attempt, maybe_applied, by_word, arrived: false });
    Ok(())
}

pub(crate) fn lease_ends(state: &mut State, place: usize) -> Result<(), Refusal> {
    let row = find(state, place)?;
    if row.phase != RowPhase::Sending || row.lease_ended {
        return refused("no sender holds the row");
    }
    row.lease_ended = true;
    Ok(())
}

/// The request arrives, however long ago its sender's lease has ended.
pub(crate) fn arrive(rules: &Rules, state: &mut State, host: usize) -> Result<(), Refusal> {
    let Some(sending) = &mut state.hosts[host].sending else { return refused("the host sends nothing") };
    if sending.arrived {
        return refused("one attempt is one request");
    }
    let (place, attempt, known) = (sending.row, sending.attempt, sending.clone());
    sending.arrived = true;
    let row = find(state, place)?;
    if !may_repeat(row.tier, &known) {
        return refused("it may have been applied, and the receiver can't tell a repeat");
    }
    if rules.used_up(attempt - 1) {
        return refused("its attempts were used up by senders that went away");
    }
    // The bytes and the key are frozen at the first attempt.
    let key = if rules.has(Flaw::FreshKey) { attempt } else { 0 };
    let repeated = !row.receiver.keys.insert(key) && row.tier == Tier::Key;
    row.receiver.arrivals += 1;
    if !repeated {
        row.receiver.effects += 1;
    }
    Ok(())
}

/// Whether a sender may send by what it knew when it took the row.
fn may_repeat(tier: Tier, sending: &Sending) -> bool {
    tier == Tier::Key || !sending.maybe_applied || sending.by_word
}

/// The fence once more: an outcome holds only while its token is the latest. The sender forgets the row either way.
pub(crate) fn answer(rules: &Rules, state: &mut State, host: usize, outcome: Outcome) -> Result<(), Refusal> {
    let Some(sending) = state.hosts[host].sending.take() else { return refused("the host sends nothing") };
    let row = find(state, sending.row)?;
    if let Some(why) = unsayable(rules, row, &sending, outcome) {
        return refused(why);
    }
    let counted_after = rules.has(Flaw::CountedAfter);
    let held = row.phase == if counted_after { RowPhase::Pending } else { RowPhase::Sending };
    if !held || (row.token != sending.token && !rules.has(Flaw::NoFence)) {
        return Ok(());
    }
    if counted_after {
        row.attempt += 1;
    }
    let maybe_applied = match outcome {
        Outcome::Again { maybe_applied } | Outcome::Blocked { maybe_applied } => maybe_applied,
        Outcome::InDoubt => true,
        Outcome::Sent | Outcome::Withheld { .. } | Outcome::Paused => false,
    };
    row.maybe_applied |= maybe_applied;
    if matches!(outcome, Outcome::Withheld { .. } | Outcome::Paused) {
        row.attempt = row.attempt.saturating_sub(1);
    }
    row.phase = match outcome {
        Outcome::Sent => RowPhase::Sent,
        Outcome::Again { .. } | Outcome::Paused => RowPhase::Pending,
        Outcome::Blocked { .. } | Outcome::Withheld { in_doubt: false } => RowPhase::Blocked,
        Outcome::InDoubt | Outcome::Withheld { in_doubt: true } => RowPhase::InDoubt,
    };
    Ok(())
}

/// Why no honest sender says this, where none does.
fn unsayable(rules: &Rules, row: &Row, sending: &Sending, outcome: Outcome) -> Option<&'static str> {
    let ambiguous_again = row.tier == Tier::Key;
    match outcome {
        Outcome::Sent if !sending.arrived => Some("it was accepted and never arrived"),
        Outcome::Again { maybe_applied: false } | Outcome::Blocked { maybe_applied: false }
            if sending.arrived =>
        {
            Some("it arrived, and nobody can say that it was not applied")
        }
        Outcome::Paused if sending.arrived => Some("it arrived, so the receiver does not refuse us"),
        Outcome::Again { maybe_applied: true } if !ambiguous_again => {
            Some("it may have been applied, and the receiver can't tell a repeat")
        }
        Outcome::Again { .. } if !rules.left(sending.attempt) => Some("its attempts are used up"),
        Outcome::Blocked { maybe_applied: true } if !ambiguous_again => {
            Some("what may have been applied at a receiver that can't tell a repeat is in doubt")
        }
        // A receiver that keeps keys forgets them some day, which the budget of the walk never reaches.
        Outcome::InDoubt if ambiguous_again && rules.attempts_max.is_some() => {
            Some("the receiver can tell a repeat")
        }
        Outcome::Withheld { .. } if sending.arrived => Some("it arrived, so it was not withheld"),
        Outcome::Withheld { in_doubt: true } if !sending.maybe_applied => {
            Some("no earlier attempt may have been applied")
        }
        // A trace does not tell what else stood against it.
        Outcome::Withheld { in_doubt } if rules.attempts_max.is_some() => {
            let used_up = rules.used_up(sending.attempt - 1);
            let free = may_repeat(row.tier, sending) && !used_up;
            let should_be = sending.maybe_applied && row.tier == Tier::Blind;
            (free || in_doubt != should_be)
                .then_some("nothing stood against sending it, or something else did")
        }
        _ => None,
    }
}

/// What a person may make of a row, or a rule in a person's stead.
pub(crate) fn decide(state: &mut State, place: usize, to: RowPhase) -> Result<(), Refusal> {
    let row = find(state, place)?;
    let allowed = match row.phase {
        RowPhase::Held => matches!(to, RowPhase::Pending | RowPhase::Cancelled),
        RowPhase::Suppressed => matches!(to, RowPhase::Pending | RowPhase::Held | RowPhase::Cancelled),
        RowPhase::Pending => to == RowPhase::Cancelled,
        RowPhase::Blocked | RowPhase::InDoubt => {
            matches!(to, RowPhase::Pending | RowPhase::Sent | RowPhase::Cancelled)
        }
        RowPhase::Sending | RowPhase::Sent | RowPhase::Cancelled | RowPhase::Superseded => false,
    };
    if !allowed {
        return refused(format!("nobody can move the row from {:?} to {to:?}", row.phase));
    }
    if to == RowPhase::Pending && matches!(row.phase, RowPhase::Blocked | RowPhase::InDoubt) {
        row.by_word = true;
        row.attempt = 0;
    }
    row.phase = to;
    state.witness.words += 1;
    Ok(())
}

/// An edit: both revisions stand there afterwards, and none of them goes out without an approval.
pub(crate) fn revise(state: &mut State, place: usize) -> Result<(), Refusal> {
    let row = find(state, place)?;
    if row.phase != RowPhase::Held {
        return refused(format!("it is {:?}, and only a held row is edited", row.phase));
    }
    row.phase = RowPhase::Superseded;
    let revision = NewRow { phase: RowPhase::Held, tier: row.tier };
    insert(state, &[revision]);
    Ok(())
}

fn find(state: &mut State, place: usize) -> Result<&mut Row, Refusal> {
    state.rows.get_mut(place).ok_or_else(|| Refusal("there is no such row".to_owned()))
}
