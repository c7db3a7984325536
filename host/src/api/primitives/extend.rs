//! `extend`: I am still at it.

use crate::api::auth::Caller;
use crate::api::error::{Problem, Success, success};
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::dispatch::caller::claim::{CALLER_LEASE_DEFAULT_MS, may_act};
use crate::identity::key::WorkId;
use crate::store::intent::Intent;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A claim that shall hold for longer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendRequest {
    /// The work's id, its beginning, or the readable key.
    pub work: String,
    /// The token that `claim` gave.
    pub token: i64,
    /// How long the claim holds from now, in milliseconds; 5 minutes where it is left out. It is never shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// The next effect that you are about to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
}

/// Whether the caller may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExtendWord {
    /// It may.
    Extended,
    /// The claim holds, and the effect has been done before: it must not be done again.
    EffectRecorded,
}

/// A claim that holds for longer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ExtendAnswer {
    /// Whether to go on.
    pub verdict: ExtendWord,
    /// The work, in 64 hexadecimal digits.
    pub work_id: WorkId,
    /// When the claim ends now, Unix milliseconds.
    pub lease_until_ms: i64,
    /// The work's effects so far, oldest first.
    pub effects: Vec<Intent>,
}

impl Primitive for ExtendRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let (work_id, lease_ms) = (work.id, self.lease_ms.unwrap_or(CALLER_LEASE_DEFAULT_MS));
        let extended = caller.namespace.callers.extend(work, token, lease_ms, self.effect.clone()).await;
        let lease = extended.map_err(|error| problem(error, work_id))?;
        let may_act = may_act(&lease.intents, self.effect.as_deref());
        let verdict = if may_act { ExtendWord::Extended } else { ExtendWord::EffectRecorded };
        let (lease_until_ms, effects) = (lease.until_ms, lease.intents);
        Ok(success(Success::Done, ExtendAnswer { verdict, work_id, lease_until_ms, effects }))
    }
}
