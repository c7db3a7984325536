//! The protocol as a model whose every interleaving the checker walks through.
//!
//! Owns which actions the walk tries. It decides nothing: what an action makes of a state is [`crate::protocol`]'s alone.

use crate::action::{Action, Ending, Outcome};
use crate::properties;
use crate::protocol;
use crate::row;
use crate::rules::Rules;
use crate::state::{Host, RowPhase, State, WorkPhase};
use stateright::{Model, Property};

impl Model for Rules {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State { hosts: vec![Host::default(); self.hosts], ..State::default() }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend([Action::Record { phase: WorkPhase::Waiting }, Action::Die, Action::LeaseEnds]);
        for host in 0..state.hosts.len() {
            actions.extend([Action::Claim { host }, Action::Crash { host }, Action::SettleRest { host }]);
            let endings = [Ending::Done(row::usual(self)), Ending::Retry, Ending::Rest(WorkPhase::Rejected)];
            actions.extend(endings.map(|ending| Action::Settle { host, ending }));
            actions.push(Action::Arrive { host });
            actions.extend(ANSWERS.map(|outcome| Action::Answer { host, outcome }));
            actions.extend((0..state.rows.len()).map(|row| Action::TakeRow { host, row }));
        }
        for row in 0..state.rows.len() {
            actions.push(Action::RowLeaseEnds { row });
            if state.witness.words < self.words_max {
                actions.extend(SAID.map(|to| Action::DecideRow { row, to }));
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        protocol::step(self, state, &action).ok()
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self.tier)
    }

    fn within_boundary(&self, state: &State) -> bool {
        state.sequence <= self.sequence_max
    }
}

/// What a sender may say. A pause gives the attempt back, so that a walk with it would have no end.
const ANSWERS: [Outcome; 8] = [
    Outcome::Sent,
    Outcome::Again { maybe_applied: false },
    Outcome::Again { maybe_applied: true },
    Outcome::Blocked { maybe_applied: false },
    Outcome::Blocked { maybe_applied: true },
    Outcome::InDoubt,
    Outcome::Withheld { in_doubt: false },
    Outcome::Withheld { in_doubt: true },
];

/// What a person may say about a row.
const SAID: [RowPhase; 3] = [RowPhase::Pending, RowPhase::Sent, RowPhase::Cancelled];

#[cfg(test)]
mod tests {
    use crate::action::Action;
    use crate::properties::{
        APPLIED_IS_KNOWN, BLIND_ONCE, FINISHED_STAYS, KEY_ONCE, LOOP_ENDS, NO_STALE_WRITE, ONE_SETTLE,
        ROW_TO_COME, ROWS_WITH_DONE, SENDING_ENDS,
    };
    use crate::rules::{Flaw, Rules, Tier};
    use crate::state::State;
    use stateright::{Checker, HasDiscoveries, Model};
    use std::collections::BTreeSet;

    /// More states than a walk of these sizes has; one that grows beyond it is to be made smaller.
    const STATES_MAX: usize = 1_000_000;

    /// Walk through everything, and hold that every property stands.
    #[track_caller]
    fn check(rules: Rules) {
        let checker =
            rules.checker().target_state_count(STATES_MAX).symmetry_fn(hosts_in_order).spawn_dfs().join();
        assert!(checker.state_count() < STATES_MAX, "the walk of {rules:?} has no end");
        assert!(checker.unique_state_count() > 1000, "the walk of {rules:?} did not get anywhere");
        checker.assert_properties();
    }

    /// Hosts are alike: a state in which two have changed places is the same.
    fn hosts_in_order(state: &State) -> State {
        let mut state = state.clone();
        state.hosts.sort();
        state
    }

    /// The actions of a counterexample to this property.
    #[track_caller]
    fn counterexample(rules: Rules, property: &'static str) -> Vec<Action> {
        let checker = rules
            .checker()
            .target_state_count(STATES_MAX)
            .finish_when(HasDiscoveries::AllOf(BTreeSet::from([property])))
            .spawn_bfs()
            .join();
        checker.assert_any_discovery(property).into_actions()
    }

    #[test]
    fn every_interleaving_with_a_receiver_with_keys_keeps_the_promises() {
        check(Rules::sound(Tier::Key));
    }

    #[test]
    fn every_interleaving_with_a_blind_receiver_keeps_the_promises() {
        check(Rules::sound(Tier::Blind));
    }

    #[test]
    fn a_person_who_says_again_makes_it_twice_at_most() {
        check(Rules { words_max: 1, ..Rules::sound(Tier::Blind) });
    }

    #[test]
    fn a_third_host_changes_nothing() {
        check(Rules { hosts: 3, ..Rules::sound(Tier::Key) });
    }

    #[test]
    fn without_the_fence_a_slow_host_changes_what_another_holds() {
        let actions = counterexample(Rules::flawed(Tier::Key, Flaw::NoFence), NO_STALE_WRITE);
        let ended = |action: &Action| matches!(action, Action::LeaseEnds | Action::RowLeaseEnds { .. });
        assert!(actions.iter().any(ended), "nobody was slow: {actions:?}");
    }

    #[test]
    fn a_settle_that_looks_at_no_state_makes_finished_work_something_else() {
        let rules = Rules::flawed(Tier::Key, Flaw::AnyState);
        counterexample(rules, FINISHED_STAYS);
        counterexample(rules, ONE_SETTLE);
    }

    #[test]
    fn a_takeover_without_a_mark_forgets_what_was_applied() {
        let rules = Rules::flawed(Tier::Blind, Flaw::UnmarkedTakeover);
        counterexample(rules, APPLIED_IS_KNOWN);
        counterexample(rules, BLIND_ONCE);
    }

    #[test]
    fn a_settle_in_two_transactions_shows_done_work_without_its_row() {
        counterexample(Rules::flawed(Tier::Key, Flaw::SplitSettle), ROWS_WITH_DONE);
    }

    #[test]
    fn a_crash_within_a_settle_in_two_transactions_loses_the_row() {
        let actions = counterexample(Rules::flawed(Tier::Key, Flaw::SplitSettle), ROW_TO_COME);
        assert!(matches!(actions.last(), Some(Action::Crash { .. })), "{actions:?}");
    }

    #[test]
    fn a_run_that_is_counted_when_it_has_ended_kills_hosts_for_ever() {
        let actions = counterexample(Rules::flawed(Tier::Key, Flaw::CountedAfter), LOOP_ENDS);
        let claims = actions.iter().filter(|action| matches!(action, Action::Claim { .. })).count();
        assert!(claims > 2, "two attempts are allowed: {actions:?}");
    }

    #[test]
    fn a_delivery_that_is_counted_when_it_has_ended_is_sent_for_ever() {
        counterexample(Rules::flawed(Tier::Key, Flaw::CountedAfter), SENDING_ENDS);
    }

    #[test]
    fn a_delivery_that_is_counted_when_it_has_ended_is_blindly_sent_twice() {
        counterexample(Rules::flawed(Tier::Blind, Flaw::CountedAfter), BLIND_ONCE);
    }

    #[test]
    fn a_key_of_its_own_for_each_attempt_makes_a_second_effect() {
        counterexample(Rules::flawed(Tier::Key, Flaw::FreshKey), KEY_ONCE);
    }
}
