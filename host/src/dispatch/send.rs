//! One row's attempt: whether it may be sent again, the request, and what its answer means by the receiver's tier.
//!
//! Everything here goes by what was frozen at the row's first attempt, so that a later configuration does not change what
//! was begun.

use crate::clock::Clock;
use crate::connectors::{Answer, Delivery, Fault, Found, Query, Receipt};
use crate::contract::tier::AfterAmbiguous;
use crate::contract::tier::Tier;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::dispatch::setup::{DestinationSetup, Frozen};
use crate::store::outbox::{RowOutcome, Sending};
use crate::store::pace::Health;

/// One attempt, with all it goes by.
pub(super) struct Send<'a> {
    clock: &'a dyn Clock,
    destination: &'a DestinationSetup,
    row: &'a Sending,
    frozen: Frozen,
    key: String,
}

/// Send the row if that is safe; what came of it.
pub(super) async fn send(clock: &dyn Clock, destination: &DestinationSetup, row: &Sending) -> RowOutcome {
    match serde_json::from_str::<Frozen>(&row.envelope) {
        Ok(frozen) => {
            let key = row.row.id.to_string();
            Send { clock, destination, row, frozen, key }.outcome().await
        }
        Err(error) => withheld(format!("what was frozen at the first attempt can't be read: {error}"), false),
    }
}

impl Send<'_> {
    async fn outcome(&self) -> RowOutcome {
        if self.row.maybe_applied
            && !self.row.by_word
            && let Some(outcome) = self.before_a_repeat().await
        {
            return outcome;
        }
        if self.row.attempt > self.destination.retry.attempts_max {
            let made = self.row.attempt - 1;
            let cause = format!("attempts used up ({made}): the sender went away during the last one");
            return withheld(cause, self.row.maybe_applied && self.frozen.tier == Tier::Blind);
        }
        let delivery = Delivery {
            envelope: &self.frozen.envelope,
            key: &self.key,
            body: self.row.payload.as_bytes(),
            maybe_applied: self.row.maybe_applied,
        };
        let answer = self.destination.connector.deliver(delivery).await;
        crash_point::reach(CrashPoint::DestinationAnswered);
        match answer {
            Answer::Accepted(receipt) if self.row.maybe_applied => self.after_a_repeat(receipt).await,
            answer => self.rule(answer),
        }
    }

    /// What must be known before a row that may have been applied goes out again; an outcome where it does not go out.
    /// A row can wait longer than a key is kept, where the host was stopped or the destination paused.
    async fn before_a_repeat(&self) -> Option<RowOutcome> {
        // The request may reach the receiver as late as the sender may take.
        let arrives_ms =
            self.age_ms().saturating_add(i64::try_from(self.destination.lease_ms).unwrap_or(i64::MAX));
        match self.after_ambiguous(arrives_ms) {
            AfterAmbiguous::SendAgain => None,
            AfterAmbiguous::InDoubt => Some(withheld(
                "an earlier attempt may have been applied, and the destination can no longer tell a repeat; \
                 nothing was sent again"
                    .to_owned(),
                true,
            )),
            AfterAmbiguous::LookUp => self.look_up().await,
        }
    }

    /// Ask the receiver; none where it does not have the record, so that the row may go out again.
    async fn look_up(&self) -> Option<RowOutcome> {
        match self.ask().await {
            None => Some(withheld("the destination was frozen without a look-up".to_owned(), true)),
            Some(Found::Yes(receipt)) => Some(self.flagged(receipt, None)),
            Some(Found::No) => None,
            Some(Found::Unknown(fault)) => Some(self.again(&fault, true, unwell(&fault))),
            Some(Found::Unauthorised(fault)) => Some(RowOutcome::Paused { cause: cause(&fault) }),
        }
    }

    /// What the receiver says about the record, where it can be asked.
    async fn ask(&self) -> Option<Found> {
        let query = Query {
            look_up: self.frozen.envelope.look_up.as_ref()?,
            account: self.frozen.envelope.account.as_deref(),
            key: &self.key,
            body: self.row.payload.as_bytes(),
        };
        Some(self.destination.connector.look_up(query).await)
    }

    /// A repeat was accepted: look at the record itself. What the receiver shows never sends anything again; it only
    /// tells a person to look.
    async fn after_a_repeat(&self, receipt: Receipt) -> RowOutcome {
        let found = self.ask().await;
        let remark = match (&found, &receipt.reference) {
            (Some(Found::Yes(Receipt { reference: Some(there), .. })), Some(told)) if there != told => {
                Some(format!(
                    "after the repeat the destination shows the record {there:?}, and its answer names {told:?}: there may be two"
                ))
            }
            // A receiver that needs time to settle may not show it yet.
            (Some(Found::No), _) if self.frozen.settling_ms == 0 => {
                Some("the repeat was accepted, and the destination does not show the record".to_owned())
            }
            _ => None,
        };
        let shown = match found {
            Some(Found::Yes(shown)) => shown.reference,
            _ => None,
        };
        let reference = receipt.reference.or(shown);
        self.flagged(Receipt { reference, ..receipt }, remark)
    }

    /// What an answer means for the row.
    fn rule(&self, answer: Answer) -> RowOutcome {
        match answer {
            Answer::Accepted(receipt) => self.flagged(receipt, None),
            Answer::NotApplied(fault) => self.again(&fault, false, unwell(&fault)),
            // An earlier attempt is being worked on over there, so it may well be applied.
            Answer::InProgress(fault) => self.again(&fault, true, Health::Well),
            Answer::Ambiguous(fault) => match self.after_ambiguous(self.age_ms()) {
                AfterAmbiguous::SendAgain | AfterAmbiguous::LookUp => {
                    self.again(&fault, true, unwell(&fault))
                }
                AfterAmbiguous::InDoubt => {
                    RowOutcome::InDoubt { cause: cause(&fault), health: unwell(&fault) }
                }
            },
            Answer::Permanent(fault) | Answer::Conflict(fault) => {
                RowOutcome::Blocked { cause: cause(&fault), maybe_applied: false, health: Health::Well }
            }
            Answer::Unauthorised(fault) | Answer::Misconfigured(fault) => {
                RowOutcome::Paused { cause: cause(&fault) }
            }
        }
    }

    /// Another attempt, or the end of the budget.
    fn again(&self, fault: &Fault, maybe_applied: bool, health: Health) -> RowOutcome {
        let (policy, attempt) = (&self.destination.retry, self.row.attempt);
        if let Some(exhausted) = policy.exhausted(attempt, self.age_ms()) {
            let cause = format!("{exhausted}: {}", cause(fault));
            return RowOutcome::Blocked { cause, maybe_applied, health };
        }
        let delay_ms = policy.delay_ms(self.clock, attempt, fault.retry_after_ms);
        // A receiver that is asked too early has not settled yet, and its "no" would be wrong.
        let asked = self.after_ambiguous(self.age_ms()) == AfterAmbiguous::LookUp;
        let settling_ms = if maybe_applied && asked { self.frozen.settling_ms } else { 0 };
        RowOutcome::Again {
            due_in_ms: delay_ms.max(i64::try_from(settling_ms).unwrap_or(i64::MAX)),
            cause: cause(fault),
            maybe_applied,
            health,
        }
    }

    /// Sent, with what a person should look at.
    fn flagged(&self, receipt: Receipt, remark: Option<String>) -> RowOutcome {
        let flag = match &self.frozen.envelope.reference {
            _ if !receipt.readable => {
                Some("the receipt can't be read; the destination accepted the row".to_owned())
            }
            Some(pointer) if receipt.reference.is_none() => Some(format!(
                "the receipt holds no reference at {pointer:?}; the destination accepted the row"
            )),
            _ => None,
        };
        RowOutcome::Sent {
            receipt: receipt.body,
            truncated: receipt.truncated,
            external_reference: receipt.reference,
            flag: flag.or(remark),
        }
    }

    /// The tier's rule; where that leaves it to a person and the receiver can be asked, it is asked first.
    fn after_ambiguous(&self, age_ms: i64) -> AfterAmbiguous {
        let retention_ms = i64::try_from(self.frozen.retention_ms).unwrap_or(i64::MAX);
        match self.frozen.tier.after_ambiguous(age_ms, retention_ms) {
            AfterAmbiguous::InDoubt if self.frozen.envelope.look_up.is_some() => AfterAmbiguous::LookUp,
            rule => rule,
        }
    }

    fn age_ms(&self) -> i64 {
        self.row.taken_ms.saturating_sub(self.row.first_attempt_ms)
    }
}

/// A destination that failed, with the wait that a `Retry-After` asks of everyone: with 429 and 503 it speaks of the
/// destination and not of this row (RFC 6585, section 4; RFC 9110, section 10.2.3). The others would be refused as well, and
/// lose an attempt each.
fn unwell(fault: &Fault) -> Health {
    let waits_ms = fault.retry_after_ms.filter(|_| matches!(fault.status, Some(429 | 503)));
    Health::Unwell { waits_ms }
}

const fn withheld(cause: String, in_doubt: bool) -> RowOutcome {
    RowOutcome::Withheld { cause, in_doubt }
}

/// What went wrong, with the status and the receiver's own words where there are any.
fn cause(fault: &Fault) -> String {
    let status = fault.status.map(|status| format!("{status}: ")).unwrap_or_default();
    let words = fault.body_excerpt.as_ref().filter(|words| !words.trim().is_empty());
    let words = words.map(|words| format!(" (it says: {})", words.trim())).unwrap_or_default();
    format!("{status}{}{words}", fault.cause)
}
