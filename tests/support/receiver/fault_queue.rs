//! The queues that ordered faults wait in.
//!
//! Owns the order in which they are used, and which door they wait at: a word such as
//! `lose-reply` waits for a write, `search:lose-reply` for a search. It refuses an order as a whole
//! where one word in it is none. It lives in memory alone, so a restarted receiver has no faults
//! left.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use anyhow::bail;

use crate::receiver::faults::Fault;
use crate::receiver::flaky::Flaky;

/// What stands before a fault that waits for a search.
const SEARCH: &str = "search:";

/// The ordered faults, first in, first used, and the dice for when none is ordered.
#[derive(Debug)]
pub(super) struct FaultQueue {
    ordered: Mutex<Ordered>,
    flaky: Option<Flaky>,
}

#[derive(Debug, Default)]
struct Ordered {
    writes: VecDeque<Fault>,
    searches: VecDeque<Fault>,
}

impl FaultQueue {
    pub(super) fn new(flaky: Option<Flaky>) -> Self {
        Self { ordered: Mutex::default(), flaky }
    }

    /// Adds faults at the ends and says how many wait now, at both doors. One bad word, and none is
    /// added.
    pub(super) fn order<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> anyhow::Result<usize> {
        let (mut writes, mut searches) = (Vec::new(), Vec::new());
        for word in words {
            match word.strip_prefix(SEARCH) {
                Some(fault) => searches.push(parse_search(fault)?),
                None => writes.push(word.parse()?),
            }
        }
        let mut ordered = self.lock();
        ordered.writes.extend(writes);
        ordered.searches.extend(searches);
        Ok(ordered.writes.len() + ordered.searches.len())
    }

    /// Takes the fault of the write request with this number: an ordered one, else the dice's.
    pub(super) fn take(&self, seq: i64) -> Option<Fault> {
        let ordered = self.lock().writes.pop_front();
        ordered.or_else(|| self.flaky.and_then(|flaky| flaky.fault(seq)))
    }

    /// Takes the fault of a search. The dice throw none for searches.
    pub(super) fn take_search(&self) -> Option<Fault> {
        self.lock().searches.pop_front()
    }

    /// A queue of faults is whole after every single step, so a panic elsewhere can't spoil it.
    fn lock(&self) -> MutexGuard<'_, Ordered> {
        self.ordered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse_search(word: &str) -> anyhow::Result<Fault> {
    let fault: Fault = word.parse()?;
    if !fault.meets_searches() {
        bail!(
            "`{SEARCH}{word}` is no fault of a search, which writes nothing; order a status, redirect, \
             lose-reply, cut-reply, refuse, hang or unreadable-receipt"
        );
    }
    Ok(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_fault_is_refused_and_the_queue_stays_as_it_was() {
        let queue = FaultQueue::new(None);
        for text in [
            "",
            "lose",
            "lose-reply:1",
            "status",
            "status:",
            "status:100",
            "status:600",
            "status:503:after=2",
            "hang:soon",
            "hang:-1",
            "redirect:",
            "big-receipt:99999999999",
            "search:",
            "search:lose",
            "search:search:refuse",
            "search:conflict",
            "search:in-progress",
            "search:slow:1",
            "search:crash-before-write",
            "search:crash-after-write",
            "search:applied-status:500",
            "search:big-receipt:10",
        ] {
            assert!(queue.order(["refuse", "search:refuse", text]).is_err(), "{text} was accepted");
        }
        assert_eq!((queue.take(1), queue.take_search()), (None, None));
    }

    #[test]
    fn ordered_faults_are_used_once_each_and_in_order() {
        let queue = FaultQueue::new(None);
        assert_eq!(queue.order(["refuse", "conflict"]).unwrap(), 2);
        assert_eq!(queue.order(["lose-reply"]).unwrap(), 3);
        let taken: Vec<_> = (1..=4).map(|seq| queue.take(seq)).collect();
        assert_eq!(taken, [Some(Fault::Refuse), Some(Fault::Conflict), Some(Fault::LoseReply), None]);
    }

    #[test]
    fn faults_of_searches_wait_apart_from_those_of_writes() {
        let queue = FaultQueue::new(Some(Flaky { percent: 100, seed: 1 }));
        let words = ["search:status:500", "conflict", "search:lose-reply"];
        assert_eq!(queue.order(words).unwrap(), 3);
        let taken: Vec<_> = (1..=3).map(|_| queue.take_search()).collect();
        assert_eq!(taken, [Some(Fault::status(500)), Some(Fault::LoseReply), None]);
        assert_eq!(queue.take(1), Some(Fault::Conflict));
    }
}
