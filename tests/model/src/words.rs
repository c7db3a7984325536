//! The words of the evidence, read.
//!
//! Owns the kinds that the host writes and the beginning of each detail. What says nothing about the protocol is passed over;
//! what belongs to a part that is not modelled, or can't be read, is an error that says so.

use crate::action::Outcome;
use crate::state::{RowPhase, WorkPhase};

/// What a line of evidence says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Nothing about the protocol.
    Other,
    Recorded(WorkPhase),
    Claimed {
        how: How,
        attempt: u64,
        token: u64,
    },
    Settled(Settled),
    Dead,
    Cancelled,
    WorkDecided {
        from: WorkPhase,
        to: WorkPhase,
    },
    Enqueued {
        row: String,
        phase: RowPhase,
    },
    Sending {
        row: String,
        attempt: u64,
    },
    Answered {
        row: String,
        outcome: Outcome,
    },
    RowDecided {
        row: String,
        to: RowPhase,
    },
    /// The line of the new revision comes next.
    Revised {
        row: String,
    },
}

/// Why a work was free to be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    New,
    Due,
    TakenOver,
}

/// The words of a settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    Done,
    Continue,
    Retry,
    GiveBack,
    Rest(WorkPhase),
}

/// Kinds that tell people more, and change neither a work nor a row.
const OTHER: [&str; 13] = [
    "decided",
    "erased",
    "followed",
    "held",
    "item-recorded",
    "items",
    "mismatch",
    "note",
    "progress",
    "quarantined",
    "renewed",
    "replayed",
    "undecided",
];

/// Read a line.
pub(crate) fn read(kind: &str, detail: &str) -> Result<Line, String> {
    let line = match kind {
        _ if OTHER.contains(&kind) => Some(Line::Other),
        "recorded" => {
            let person = detail.contains("; it waits for a person: ");
            Some(Line::Recorded(if person { WorkPhase::Review } else { WorkPhase::Waiting }))
        }
        "claimed" => claimed(detail),
        "settled" => settled(detail).map(Line::Settled),
        "dead" => Some(Line::Dead),
        "cancelled" => Some(Line::Cancelled),
        "decided-by" => decided(detail),
        // Of an answer to a model's question, where it is none of a row.
        "approved" | "rejected" if !detail.starts_with("row ") => Some(Line::Other),
        _ => of_row(kind, detail),
    };
    line.ok_or_else(|| "these are no words of the part of the protocol that is modelled".to_owned())
}

/// `taken over, .., attempt 2, token 9`
fn claimed(detail: &str) -> Option<Line> {
    let (how, numbers) = detail.rsplit_once(", attempt ")?;
    let (attempt, token) = numbers.split_once(", token ")?;
    let how = match how.split(',').next()? {
        "new" => How::New,
        "due" => How::Due,
        "taken over" => How::TakenOver,
        _ => return None,
    };
    Some(Line::Claimed { how, attempt: attempt.parse().ok()?, token: token.parse().ok()? })
}

/// `done`, `waiting: why`, `continue, from the cursor`
fn settled(detail: &str) -> Option<Settled> {
    match head(detail) {
        "done" => Some(Settled::Done),
        "continue" => Some(Settled::Continue),
        "waiting" => Some(Settled::Retry),
        "given back" => Some(Settled::GiveBack),
        word => work_phase(word).filter(|phase| *phase != WorkPhase::Running).map(Settled::Rest),
    }
}

/// `row .. from blocked to pending: ..`, `dead to waiting: ..`, or about something else.
fn decided(detail: &str) -> Option<Line> {
    // Of another work, or of what comes later.
    let others = ["kept event ", "reprocessed under version ", "cancel when the run ends"];
    if others.iter().any(|other| detail.starts_with(other)) {
        return Some(Line::Other);
    }
    if let Some(rest) = detail.strip_prefix("row ") {
        let (row, words) = rest.split_once(" from ")?;
        let (_, to) = words.split_once(" to ")?;
        return Some(Line::RowDecided { row: row.to_owned(), to: row_phase(head(to))? });
    }
    let (from, to) = detail.split_once(" to ")?;
    Some(Line::WorkDecided { from: work_phase(from)?, to: work_phase(head(to))? })
}

/// `row 1f.., not applied: why`
fn of_row(kind: &str, detail: &str) -> Option<Line> {
    let rest = detail.strip_prefix("row ")?;
    if kind == "enqueued" && rest.starts_with("that was there already") {
        return Some(Line::Other);
    }
    let (row, said) = rest.split_at(rest.find([' ', ',', ':']).unwrap_or(rest.len()));
    let row = row.to_owned();
    let outcome = match kind {
        "enqueued" => return Some(Line::Enqueued { row, phase: first_phase(said) }),
        "sending" => {
            let (_, attempt) = said.rsplit_once(", attempt ")?;
            return Some(Line::Sending { row, attempt: attempt.parse().ok()? });
        }
        "approved" => return Some(Line::RowDecided { row, to: RowPhase::Pending }),
        "superseded" => return Some(Line::Revised { row }),
        "expired" => return Some(Line::RowDecided { row, to: RowPhase::Cancelled }),
        "released" => {
            let to = row_phase(head(said.strip_prefix(" is ")?))?;
            return Some(Line::RowDecided { row, to });
        }
        "sent" => Outcome::Sent,
        "again" => Outcome::Again { maybe_applied: class(said)? },
        // Nothing was sent, where it is not said whether it was applied.
        "blocked" => class(said).map_or(Outcome::Withheld { in_doubt: false }, |maybe_applied| {
            Outcome::Blocked { maybe_applied }
        }),
        "in-doubt" => Outcome::InDoubt,
        "paused" => Outcome::Paused,
        _ => return None,
    };
    Some(Line::Answered { row, outcome })
}

/// How a row stands at first. Names are quoted before it, so that none of them can look like this.
fn first_phase(said: &str) -> RowPhase {
    if said.contains("\", held for an approval: ") {
        RowPhase::Held
    } else if said.contains("\", suppressed: ") {
        RowPhase::Suppressed
    } else {
        RowPhase::Pending
    }
}

fn class(said: &str) -> Option<bool> {
    if said.starts_with(", may have been applied: ") {
        Some(true)
    } else {
        said.starts_with(", not applied: ").then_some(false)
    }
}

/// The words before the first remark.
fn head(text: &str) -> &str {
    text.split([',', ':']).next().unwrap_or_default()
}

fn work_phase(word: &str) -> Option<WorkPhase> {
    match word {
        "waiting" => Some(WorkPhase::Waiting),
        "running" => Some(WorkPhase::Running),
        "done" => Some(WorkPhase::Done),
        "review" => Some(WorkPhase::Review),
        "rejected" => Some(WorkPhase::Rejected),
        "dead" => Some(WorkPhase::Dead),
        "cancelled" => Some(WorkPhase::Cancelled),
        _ => None,
    }
}

fn row_phase(word: &str) -> Option<RowPhase> {
    match word {
        "held" => Some(RowPhase::Held),
        "suppressed" => Some(RowPhase::Suppressed),
        "pending" => Some(RowPhase::Pending),
        "sending" => Some(RowPhase::Sending),
        "sent" => Some(RowPhase::Sent),
        "blocked" => Some(RowPhase::Blocked),
        "in-doubt" => Some(RowPhase::InDoubt),
        "cancelled" => Some(RowPhase::Cancelled),
        "superseded" => Some(RowPhase::Superseded),
        _ => None,
    }
}
