//! What a host does by itself: it ends, and it goes on where it was.

use crate::refusal::{Refusal, refused};
use crate::row;
use crate::rules::Rules;
use crate::state::{Host, State};

/// Everything in its memory is gone. The store learns nothing of it.
pub(crate) fn crash(state: &mut State, host: usize) -> Result<(), Refusal> {
    if state.hosts[host] == Host::default() {
        return refused("it has nothing to lose");
    }
    state.hosts[host] = Host::default();
    Ok(())
}

/// The second half of a split settle.
pub(crate) fn settle_rest(rules: &Rules, state: &mut State, host: usize) -> Result<(), Refusal> {
    if !std::mem::take(&mut state.hosts[host].half_settled) {
        return refused("nothing is left to be written");
    }
    row::insert(state, &row::usual(rules));
    Ok(())
}
