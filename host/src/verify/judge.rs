//! Whether a run is as good as one without faults.
//!
//! A fault may change *which* answer of a model is recorded: one that was lost before it was recorded is asked for again. So
//! a run is compared with the run without faults in which the model gives the very answers that were recorded, and fails as
//! it did last where none was.

use crate::verify::answers::Fixed;
use crate::verify::fault::{Door, Fault};
use crate::verify::finding::Finding;
use crate::verify::outside::MODEL_CALLS;
use crate::verify::run::{Observed, RunError, Stage};
use crate::verify::schedule::Schedule;
use crate::verify::subject::Subject;
use crate::verify::trace::Step;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The operation that records an answer.
const RECORD: &str = "decision_record";

/// Judges runs of one subject.
pub struct Judge {
    stage: Stage,
    clean: Observed,
    /// Clean runs with other answers.
    others: Mutex<HashMap<Fixed, Arc<Observed>>>,
}

/// Calls of a model whose answers may have been lost at a point, and which may be made again: those that were under way, or
/// whose answer was not on record yet.
fn lost(step: &Step) -> u64 {
    match (step.fault, step.door) {
        (Some(Fault::ModelDown), _) => u64::from(MODEL_CALLS),
        (Some(_), Door::Model) => 1,
        (Some(Fault::DiesAfter), Door::Ledger) | (None, _) => 0,
        (Some(_), Door::Ledger) if step.what == RECORD => 1,
        (Some(_), _) => 0,
    }
}

impl Judge {
    /// Run once without faults; everything is compared with that.
    ///
    /// # Errors
    /// [`RunError`], where the machine does not allow it.
    pub fn new(subject: &Arc<Subject>) -> Result<Self, RunError> {
        let stage = Stage::new(subject)?;
        let clean = stage.run(&Schedule::clean(), Fixed::new())?;
        Ok(Self { stage, clean, others: Mutex::default() })
    }

    /// The run without faults.
    #[must_use]
    pub fn clean(&self) -> &Observed {
        &self.clean
    }

    /// Make a run, and say what is wrong with it.
    ///
    /// # Errors
    /// [`RunError`], where the machine does not allow it.
    pub fn try_out(&self, schedule: &Schedule) -> Result<(Observed, Vec<Finding>), RunError> {
        let observed = self.stage.run(schedule, Fixed::new())?;
        let findings = self.findings(schedule, &observed)?;
        Ok((observed, findings))
    }

    /// What is wrong with a run that was made under this schedule.
    ///
    /// # Errors
    /// [`RunError`], where the machine does not allow the run that it is compared with.
    pub fn findings(&self, schedule: &Schedule, observed: &Observed) -> Result<Vec<Finding>, RunError> {
        let mut findings = observed.findings.clone();
        findings.extend(observed.outcome.findings.iter().cloned());
        if schedule.is_empty() && !self.stage.subject().unfinished {
            findings.extend(observed.outcome.unfinished.iter().cloned());
        }
        let clean = self.clean_with(observed)?;
        findings.extend(observed.outcome.differences(&clean.outcome));
        let allowed = self.clean.calls.max(clean.calls) + observed.trace.iter().map(lost).sum::<u64>();
        if observed.calls > allowed {
            findings.push(Finding::Calls { calls: observed.calls, allowed });
        }
        Ok(findings)
    }

    /// The clean run in which the model gives what was recorded in this one.
    fn clean_with(&self, observed: &Observed) -> Result<Arc<Observed>, RunError> {
        let is_recorded = |answer: &&String| {
            serde_json::from_str(answer).is_ok_and(|answer| observed.outcome.answers.contains(&answer))
        };
        let recorded = |question| observed.given.get(question)?.iter().find(is_recorded);
        let last = observed.last.iter();
        let fixed: Fixed = last
            .map(|(question, last)| {
                (question.clone(), recorded(question).map_or(last.clone(), |known| Ok(known.clone())))
            })
            .collect();
        if let Some(known) = self.lock().get(&fixed) {
            return Ok(Arc::clone(known));
        }
        let clean = Arc::new(self.stage.run(&Schedule::clean(), fixed.clone())?);
        self.lock().insert(fixed, Arc::clone(&clean));
        Ok(clean)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Fixed, Arc<Observed>>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
