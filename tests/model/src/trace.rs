//! A trace check: the evidence of a real run, replayed on the rules that the checker walks.
//!
//! It refuses a log that the protocol does not allow, and names the first line that can't have happened.

use crate::refusal::Refusal;
use crate::replay::Replay;
use crate::rules::Tier;

/// One line of a work's evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// What happened, in the evidence's word.
    pub kind: String,
    /// The rest.
    pub detail: String,
}

impl TraceEvent {
    /// A line of this kind with this detail.
    pub fn new(kind: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { kind: kind.into(), detail: detail.into() }
    }
}

/// A line that can't have happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the protocol does not allow line {at} of the evidence ({kind}: {detail}): {why}")]
pub struct Rejection {
    /// Which line, from 0.
    pub at: usize,
    /// Its kind.
    pub kind: String,
    /// Its detail.
    pub detail: String,
    /// Why it can't have happened after the lines before it.
    pub why: String,
}

/// Replay a work's evidence, in its order, with receivers that can do whatever the log says of them.
///
/// # Errors
/// The first line that the protocol does not allow.
pub fn accept(events: &[TraceEvent]) -> Result<(), Rejection> {
    // What a receiver with keys allows holds all that a blind one does.
    accept_with(Tier::Key, events)
}

/// Replay a work's evidence, where all its rows go to receivers of one tier.
///
/// # Errors
/// The first line that the protocol does not allow.
pub fn accept_with(tier: Tier, events: &[TraceEvent]) -> Result<(), Rejection> {
    let mut replay = Replay::new(tier);
    for (at, event) in events.iter().enumerate() {
        replay.take_in(&event.kind, &event.detail).map_err(|why| rejection(at, event, why))?;
    }
    match events.last() {
        Some(last) => replay.finish().map_err(|why| rejection(events.len() - 1, last, why)),
        None => Ok(()),
    }
}

fn rejection(at: usize, event: &TraceEvent, why: Refusal) -> Rejection {
    Rejection { at, kind: event.kind.clone(), detail: event.detail.clone(), why: why.0 }
}

#[cfg(test)]
mod tests {
    use super::{Rejection, TraceEvent, accept, accept_with};
    use crate::rules::Tier;

    /// One line of evidence a line: its kind, a space, and its detail.
    fn log(text: &str) -> Vec<TraceEvent> {
        let line = |line: &str| {
            let (kind, detail) = line.trim().split_once(' ').expect("a kind and a detail");
            TraceEvent::new(kind, detail)
        };
        text.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
    }

    const DONE: &str = "claimed new, attempt 1, token 3
        note the branch taken
        enqueued row aa for \"crm\", slot \"deal\"
        settled done";

    fn after_done(tier: Tier, rest: &str) -> Result<(), Rejection> {
        accept_with(tier, &log(&format!("{DONE}\n{rest}")))
    }

    #[test]
    fn logs_that_the_protocol_allows_are_accepted() {
        for text in [
            "",
            "recorded waits to be taken",
            "claimed new, attempt 1, token 1
             settled waiting: the model is busy
             claimed due, attempt 2, token 5
             claimed taken over, the last lease ended without a settle, attempt 3, token 9
             dead attempts used up (3): the host ended during the last attempt
             decided-by dead to waiting: by somebody: try again
             claimed due, attempt 1, token 10
             settled given back, the attempt is not counted: the host stops
             claimed due, attempt 1, token 12
             settled continue, from the cursor
             claimed due, attempt 1, token 13
             settled done, needs review: no answer",
            "claimed new, attempt 1, token 1
             decided-by running to cancelled: by somebody: not wanted",
            "recorded goes on from the receipt of the row aa; it waits for a person: no reference
             decided-by review to rejected: by somebody: no",
            "claimed new, attempt 1, token 2
             enqueued row aa for \"mail\", slot \"reply\", held for an approval: to a customer
             enqueued row that was there already, bb for \"crm\", slot \"deal\"
             settled done
             superseded row aa: edited by somebody (row cc, revision 2): a typo
             enqueued row cc for \"mail\", slot \"reply\", held for an approval: to a customer
             decided-by reprocessed under version 2 as 1f: by somebody: a new version
             approved row cc, revision 2, payload ff, by somebody: fine
             sending row cc to \"mail\", attempt 1
             paused row cc: \"mail\" refuses us: 401
             sending row cc to \"mail\", attempt 1
             blocked row cc, not applied: 400
             decided-by row cc from blocked to cancelled: by somebody: no",
        ] {
            assert_eq!(accept(&log(text)), Ok(()), "{text}");
        }
    }

    #[test]
    fn deliveries_that_the_protocol_allows_are_accepted() {
        for (tier, rest) in [
            (
                Tier::Key,
                "sending row aa to \"crm\", attempt 1
                 again row aa, may have been applied: the reply was lost
                 sending row aa to \"crm\", attempt 2
                 sending row aa to \"crm\", attempt 3
                 sent row aa (reference 7)",
            ),
            (
                Tier::Blind,
                "sending row aa to \"crm\", attempt 1
                 again row aa, not applied: refused
                 sending row aa to \"crm\", attempt 2
                 in-doubt row aa: the reply was lost
                 decided-by row aa from in-doubt to pending: by somebody: again
                 sending row aa to \"crm\", attempt 1
                 sent row aa",
            ),
            (
                Tier::Blind,
                "sending row aa to \"crm\", attempt 1
                 sending row aa to \"crm\", attempt 2
                 in-doubt row aa: an earlier attempt may have been applied",
            ),
        ] {
            assert_eq!(after_done(tier, rest), Ok(()), "{rest}");
        }
    }

    #[track_caller]
    fn check_rejected(result: Result<(), Rejection>, at: usize, why: &str) {
        let rejection = result.expect_err("the log is not allowed");
        assert_eq!(rejection.at, at, "{rejection}");
        assert!(rejection.why.contains(why), "{rejection}");
    }

    #[test]
    fn a_work_that_does_what_it_must_not_is_rejected_at_its_line() {
        for (text, at, why) in [
            ("settled done", 0, "no run holds it"),
            ("recorded x\nrecorded x", 1, "on record already"),
            ("claimed new, attempt 1, token 3\nsettled done\nsettled done", 2, "no run holds it"),
            (
                "claimed new, attempt 1, token 3\nsettled done\nclaimed due, attempt 2, token 4",
                2,
                "stands at Some(Done)",
            ),
            (
                "claimed new, attempt 1, token 3\nclaimed taken over, x, attempt 2, token 3",
                1,
                "never goes back",
            ),
            (
                "claimed new, attempt 1, token 3\nclaimed taken over, x, attempt 1, token 4",
                1,
                "attempt 2, and not 1",
            ),
            (
                "claimed new, attempt 1, token 3\nsettled rejected: no\ndecided-by rejected to waiting: again",
                2,
                "nobody",
            ),
            (
                "claimed new, attempt 1, token 3\nenqueued row aa for \"crm\", slot \"deal\"\nsettled waiting: x",
                2,
                "no settle",
            ),
            ("claimed new, attempt 1, token 3\nenqueued row aa for \"crm\", slot \"deal\"", 1, "no settle"),
            ("claimed new, attempt 1, token 3\neffect-open \"deal\" is about to be done", 1, "no words"),
        ] {
            check_rejected(accept(&log(text)), at, why);
        }
    }

    #[test]
    fn a_row_that_does_what_it_must_not_is_rejected_at_its_line() {
        let sending = "sending row aa to \"crm\", attempt 1";
        for (tier, rest, at, why) in [
            (Tier::Key, "sent row aa", 4, "no sender holds the row"),
            (Tier::Key, "sending row bb to \"crm\", attempt 1", 4, "no settle has inserted"),
            (Tier::Key, "sending row aa to \"crm\", attempt 2", 4, "attempt 1 at the row"),
            (Tier::Key, "SENDING\nsent row aa\nsent row aa", 6, "no sender holds the row"),
            (Tier::Key, "SENDING\nsent row aa\nsending row aa to \"crm\", attempt 2", 6, "nobody sends"),
            (
                Tier::Key,
                "SENDING\nin-doubt row aa: x\nsending row aa to \"crm\", attempt 2",
                6,
                "nobody sends",
            ),
            (Tier::Blind, "SENDING\nagain row aa, may have been applied: x", 5, "can't tell a repeat"),
            (
                Tier::Blind,
                "SENDING\nsending row aa to \"crm\", attempt 2\nsent row aa",
                6,
                "can't tell a repeat",
            ),
            (Tier::Key, "SENDING\ndecided-by row aa from sending to cancelled: x", 5, "nobody can move"),
        ] {
            check_rejected(after_done(tier, &rest.replace("SENDING", sending)), at, why);
        }
    }
}
