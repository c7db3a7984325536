//! `release`: the end of a claim.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, Success, success};
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::dispatch::caller::settle::CallerOutcome;
use crate::identity::key::WorkId;
use crate::store::work::Settled;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A claim that ends.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseRequest {
    /// The work's id, its beginning, or the readable key.
    pub work: String,
    /// The token that `claim` gave.
    pub token: i64,
    /// How it ended.
    pub outcome: ReleaseOutcome,
}

/// How a claim ends: an object with one of these members.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReleaseOutcome {
    /// It is done. Effects that are still open have happened.
    #[serde(rename_all = "snake_case")]
    Done {
        /// The result, which a repeat is answered with: any JSON value.
        #[schema(value_type = Object)]
        output: Box<RawValue>,
    },
    /// Again, at your next claim. Effects that are still open have not happened.
    #[serde(rename_all = "snake_case")]
    Retry {
        /// Why.
        cause: String,
        /// No sooner than in so many milliseconds.
        #[serde(default)]
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

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseWord {
    /// It is settled, by this request or by the same one before.
    Applied,
}

/// A claim that has ended.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReleaseAnswer {
    /// What became of it.
    pub verdict: ReleaseWord,
    /// The work, in 64 hexadecimal digits.
    pub work_id: WorkId,
}

impl From<ReleaseOutcome> for CallerOutcome {
    fn from(outcome: ReleaseOutcome) -> Self {
        match outcome {
            ReleaseOutcome::Done { output } => Self::Done { output: output.get().to_owned() },
            ReleaseOutcome::Retry { cause, due_in_ms } => Self::Retry { cause, due_in_ms },
            ReleaseOutcome::Reject { cause } => Self::Reject { cause },
            ReleaseOutcome::Review { cause } => Self::Review { cause },
            ReleaseOutcome::Doubt { cause } => Self::Doubt { cause },
        }
    }
}

impl Primitive for ReleaseRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let work_id = work.id;
        let settled = caller.namespace.callers.settle(work, token, self.outcome.into()).await;
        let ended = |kind, cause: String| Err(Problem::new(kind, format!("settling: {cause}")).work(work_id));
        match settled.map_err(|error| problem(error, work_id))? {
            Settled::Applied => {
                Ok(success(Success::Done, ReleaseAnswer { verdict: ReleaseWord::Applied, work_id }))
            }
            Settled::Cancelled { cause } => ended(Kind::Cancelled, cause),
            Settled::RowConflict { cause } => ended(Kind::Dead, cause),
            Settled::LeaseLost => ended(Kind::LeaseLost, "the claim is no longer yours".to_owned()),
        }
    }
}
