//! What must hold at every moment, and what must be reachable, each by its name.

use crate::rules::{Rules, Tier};
use crate::state::{Row, RowPhase, State, Work, WorkPhase};
use stateright::Property;

/// At most one settle makes the work done.
pub const ONE_SETTLE: &str = "at most one settle takes effect";
/// What is done, rejected or cancelled stays as it is.
pub const FINISHED_STAYS: &str = "finished work never changes";
/// They come with one transaction.
pub const ROWS_WITH_DONE: &str = "the row exists if and only if the work is done";
/// Where they come with two, a host may still be about to write the second one. A crash takes that hope away.
pub const ROW_TO_COME: &str = "done work has its row, or a host that is about to insert it";
/// However often it is sent.
pub const KEY_ONCE: &str = "a receiver with keys does it at most once";
/// Only a person who says "again" of a row that is listed as in doubt makes it twice.
pub const BLIND_ONCE: &str = "a blind receiver does it at most once, and once more for each word of a person";
/// Neither of a work nor of a row.
pub const NO_STALE_WRITE: &str = "no stale token changes anything";
/// Nobody throws away that something has happened.
pub const APPLIED_IS_KNOWN: &str = "what was applied is sent, on its way, in doubt or marked";
/// Also where each run kills its host.
pub const LOOP_ENDS: &str = "a work is begun no oftener than it has attempts";
/// Also where each sender goes away after its request.
pub const SENDING_ENDS: &str =
    "a row is sent no oftener than it has attempts, and as often again for each word of a person";
/// The good end.
pub const DONE_REACHED: &str = "done is reached";
/// The end of a loop of crashes.
pub const DEAD_REACHED: &str = "dead is reached";
/// It is listed, and nobody sends it.
pub const DOUBT_REACHED: &str = "in doubt is reached";
/// From a host that is slow or gone.
pub const TAKEOVER_REACHED: &str = "a takeover is reached";
/// From end to end.
pub const SENT_REACHED: &str = "sent is reached";

/// All properties of a walk.
pub(crate) fn all(tier: Tier) -> Vec<Property<Rules>> {
    let mut properties = vec![
        Property::always(ONE_SETTLE, |_, state: &State| state.witness.dones <= 1),
        Property::always(FINISHED_STAYS, |_, state: &State| !state.witness.finished_changed),
        Property::always(ROWS_WITH_DONE, |_, state: &State| {
            is(state, WorkPhase::Done) != state.rows.is_empty()
        }),
        Property::always(ROW_TO_COME, |_, state: &State| {
            let to_come = state.hosts.iter().any(|host| host.half_settled);
            !is(state, WorkPhase::Done) || to_come || !state.rows.is_empty()
        }),
        Property::always(KEY_ONCE, |_, state: &State| {
            rows(state, Tier::Key).all(|row| row.receiver.effects <= 1)
        }),
        Property::always(BLIND_ONCE, |_, state: &State| {
            rows(state, Tier::Blind).all(|row| row.receiver.effects <= 1 + state.witness.words)
        }),
        Property::always(NO_STALE_WRITE, |_, state: &State| !state.witness.stale_changed),
        Property::always(APPLIED_IS_KNOWN, |_, state: &State| state.rows.iter().all(is_known)),
        Property::always(LOOP_ENDS, |rules: &Rules, state: &State| {
            rules.attempts_max.is_none_or(|max| state.witness.starts <= max)
        }),
        Property::always(SENDING_ENDS, |rules: &Rules, state: &State| {
            let max = rules.attempts_max.map(|max| max * (1 + state.witness.words));
            max.is_none_or(|max| state.rows.iter().all(|row| row.receiver.arrivals <= max))
        }),
        Property::sometimes(DONE_REACHED, |_, state: &State| is(state, WorkPhase::Done)),
        Property::sometimes(DEAD_REACHED, |_, state: &State| is(state, WorkPhase::Dead)),
        Property::sometimes(TAKEOVER_REACHED, |_, state: &State| state.witness.taken_over),
        Property::sometimes(SENT_REACHED, |_, state: &State| reached(state, RowPhase::Sent)),
    ];
    // A receiver with keys leaves nothing in doubt, as long as it keeps them.
    if tier == Tier::Blind {
        let reached = |_: &Rules, state: &State| reached(state, RowPhase::InDoubt);
        properties.push(Property::sometimes(DOUBT_REACHED, reached));
    }
    properties
}

fn is(state: &State, phase: WorkPhase) -> bool {
    state.work.as_ref().is_some_and(|work: &Work| work.phase == phase)
}

fn reached(state: &State, phase: RowPhase) -> bool {
    state.rows.iter().any(|row| row.phase == phase)
}

fn rows(state: &State, tier: Tier) -> impl Iterator<Item = &Row> {
    state.rows.iter().filter(move |row| row.tier == tier)
}

fn is_known(row: &Row) -> bool {
    row.receiver.effects == 0
        || row.maybe_applied
        || matches!(row.phase, RowPhase::Sending | RowPhase::Sent | RowPhase::InDoubt)
}
