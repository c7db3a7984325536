//! How what a caller said that can't be taken is told to it.

use crate::api::error::{Kind, Problem};
use crate::dispatch::caller::error::CallerError;
use crate::identity::caller_key::CallerKeyError;
use crate::identity::key::WorkId;
use crate::models::ModelError;
use crate::runtime::decide::DecideError;
use crate::runtime::stop::Stop;

/// The problem of a caller, about a work where it is one of its claim and not of its words.
pub(super) fn problem(error: CallerError, work: WorkId) -> Problem {
    let ours = matches!(error, CallerError::LeaseLost | CallerError::Decide(_));
    let problem = Problem::from(error);
    if ours { problem.work(work) } else { problem }
}

impl From<CallerError> for Problem {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::LeaseLost => lease_lost(),
            CallerError::Store(source) => source.into(),
            CallerError::Decide(source) => undecided(source),
            CallerError::Key(CallerKeyError::Blank) => Self::of(Kind::NoIdentity, &error),
            error => Self::of(Kind::Invalid, &error),
        }
    }
}

fn lease_lost() -> Problem {
    Problem::of(Kind::LeaseLost, &CallerError::LeaseLost)
        .remedy("claim the key again, and go by what that says")
}

/// Why there is no answer.
fn undecided(error: DecideError) -> Problem {
    let kind = match &error {
        DecideError::Stop(Stop::LeaseLost) => return lease_lost(),
        DecideError::Stop(Stop::Store(source)) => return source.clone().into(),
        DecideError::NotGranted { .. } => Kind::Forbidden,
        DecideError::InvalidQuestion(_)
        | DecideError::Model { error: ModelError::UnknownModel { .. }, .. } => Kind::Invalid,
        DecideError::Model { error: ModelError::Slow { .. }, .. } | DecideError::InvalidAnswer { .. } => {
            Kind::ModelFailed
        }
        DecideError::Model { error, .. } if error.may_pass() => Kind::ModelFailed,
        DecideError::Model { .. } => Kind::ModelRefused,
        DecideError::Rejected(_) => Kind::WrongState,
        DecideError::Stop(_) => Kind::Internal,
    };
    let problem = Problem::new(kind, format!("deciding: {error}"));
    let asked_ms = match &error {
        DecideError::Model { error, .. } => error.retry_after_ms().and_then(|ms| i64::try_from(ms).ok()),
        _ => None,
    };
    match asked_ms {
        Some(ms) => problem.retry_after(ms),
        None => problem,
    }
}
