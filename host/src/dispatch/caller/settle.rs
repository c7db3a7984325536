//! What an outside caller says at the end: that its effect has happened, and how its claim ends.

use crate::contract::fence::Token;
use crate::dispatch::caller::error::CallerError;
use crate::dispatch::caller::{Callers, check_name, usable};
use crate::identity::json_text::parse;
use crate::store::intent::{EffectRecord, Recorded};
use crate::store::work::{Collected, Holder, Outcome, Settled, Settlement, WorkRef};

/// How a caller ends its claim.
#[derive(Clone, Debug)]
pub enum CallerOutcome {
    /// It is done. Effects that are still open have happened.
    Done {
        /// JSON text.
        output: String,
    },
    /// Again, at the caller's next claim. Effects that are still open have not happened.
    Retry {
        /// Why.
        cause: String,
        /// No sooner than in so many milliseconds.
        due_in_ms: u64,
    },
    /// It can never succeed. Effects that are still open have not happened.
    Reject {
        /// Why.
        cause: String,
    },
    /// A person must decide.
    Review {
        /// Why.
        cause: String,
    },
    /// An effect may or may not have happened; a person must find out.
    Doubt {
        /// Why.
        cause: String,
    },
}

impl Callers {
    /// Record that an effect has happened, also where the claim has been lost meanwhile.
    ///
    /// # Errors
    /// [`CallerError`], where a name is not usable, or the store fails.
    pub async fn record(&self, work: WorkRef, effect: EffectRecord) -> Result<Recorded, CallerError> {
        check_name("an effect", &effect.slot)?;
        check_reference(effect.external_reference.as_deref())?;
        Ok(self.store.effect_record(work, effect).await?)
    }

    /// End a claim. Saying it again in the same words is the same act.
    ///
    /// # Errors
    /// [`CallerError`], where the result is no JSON, the claim is not the caller's or no more, or the store fails.
    pub async fn settle(
        &self,
        work: WorkRef,
        token: Token,
        outcome: CallerOutcome,
    ) -> Result<Settled, CallerError> {
        let found = self.store.work_show(work.clone()).await?;
        if found.is_none_or(|found| found.holder != Holder::Caller) {
            return Err(CallerError::LeaseLost);
        }
        let outcome = outcome_of(outcome)?;
        let settlement = Settlement { work, token, outcome, notes: Vec::new(), replays: Vec::new() };
        match self.store.work_settle(settlement).await? {
            Settled::LeaseLost => Err(CallerError::LeaseLost),
            settled => Ok(settled),
        }
    }
}

fn outcome_of(outcome: CallerOutcome) -> Result<Outcome, CallerError> {
    Ok(match outcome {
        CallerOutcome::Done { output } => {
            parse(&output).map_err(CallerError::Output)?;
            let collected = Collected::default();
            Outcome::Done { output, needs_review: None, follow_up: None, collected }
        }
        CallerOutcome::Retry { cause, due_in_ms } => {
            let due_in_ms = i64::try_from(due_in_ms).unwrap_or(i64::MAX);
            Outcome::Retry { cause, due_in_ms }
        }
        CallerOutcome::Reject { cause } => Outcome::Reject { cause },
        CallerOutcome::Review { cause } => Outcome::Review { cause },
        CallerOutcome::Doubt { cause } => Outcome::InDoubt { cause },
    })
}

/// Whether a third party's id can be kept.
pub(super) fn check_reference(reference: Option<&str>) -> Result<(), CallerError> {
    match reference {
        Some(reference) if !usable(reference) => Err(CallerError::Reference),
        _ => Ok(()),
    }
}
