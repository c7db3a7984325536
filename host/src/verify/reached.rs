//! Which states works, rows, decisions and handoffs have been in: what a search has shown, and what it has not.

use crate::store::outbox::RowState;
use crate::store::work::WorkState;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is in states, with them in the order of the lifecycle; the stages of a handoff are the operator's.
const WORK: &str = "work";
const ROW: &str = "row";
const DECISION: &str = "decision";
const STAGE: &str = "stage";

/// The states of a decision: an answer is on record, a person is asked, and says yes or no; or there is no answer.
const DECISIONS: [&str; 5] = ["recorded", "held", "approved", "rejected", "failed"];

/// How often each state was entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached(BTreeMap<(String, String), u64>);

/// The states of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatesOf {
    /// `work`, `row`, `decision`, or the `stage` of a handoff.
    pub noun: &'static str,
    /// All its states in the order of the lifecycle, and how often each was entered; those with 0 were never reached.
    pub states: Vec<(String, u64)>,
}

impl Reached {
    /// Of a ledger's counts.
    pub(super) fn new(counts: Vec<(String, String, u64)>) -> Self {
        Self(counts.into_iter().map(|(noun, state, times)| ((noun, state), times)).collect())
    }

    /// Count those of another run as well.
    pub(super) fn add(&mut self, other: &Self) {
        for (state, times) in &other.0 {
            *self.0.entry(state.clone()).or_default() += times;
        }
    }

    /// Every state there is, with these stages of a handoff.
    #[must_use]
    pub fn all(&self, stages: &[String]) -> Vec<StatesOf> {
        let of = |noun: &'static str, states: Vec<String>| StatesOf {
            noun,
            states: states.into_iter().map(|state| self.times(noun, state)).collect(),
        };
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        vec![
            of(WORK, words(&WorkState::ALL.map(WorkState::word))),
            of(ROW, words(&RowState::ALL.map(RowState::word))),
            of(DECISION, words(&DECISIONS)),
            of(STAGE, stages.to_vec()),
        ]
    }

    fn times(&self, noun: &str, state: String) -> (String, u64) {
        let key = (noun.to_owned(), state);
        let times = self.0.get(&key).copied().unwrap_or_default();
        (key.1, times)
    }
}
