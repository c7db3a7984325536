//! `claim`: may I act?

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, Success, success};
use crate::api::primitives::Primitive;
use crate::api::service::Service;
use crate::api::verdict::{Face, answer};
use crate::contract::response::Response as ContractResponse;
use crate::contract::window::Window;
use crate::dispatch::caller::claim::{CallerClaim, may_act};
use crate::identity::key::WorkId;
use crate::identity::time;
use crate::store::claim::{Acquired, Claim};
use crate::store::intent::Intent;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// What a caller asks for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRequest {
    /// What the key belongs to: lower-case letters, digits and hyphens.
    #[schema(example = "invoices")]
    pub scope: String,
    /// What makes it the same work, such as an order's number. Never the time of the run.
    #[schema(example = "2026-07")]
    pub key: String,
    /// Any JSON value that a repeat must agree in; with another one it is a `mismatch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub content: Option<Box<RawValue>>,
    /// When what it is about happened (RFC 3339, with its offset); the window counts from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurred_at: Option<String>,
    /// How long the key is remembered: `"for-ever"` (also where it is left out), `{"duration": <seconds>}`, or
    /// `{"until-marker": <name>}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// What a repeat of finished work is answered; the original result where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ContractResponse>,
    /// The effect that you are about to do. Should you go away before you record it, the work is in doubt and not done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// How long the claim holds, in milliseconds; 5 minutes where it is left out, a day at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// After so many attempts the work is dead; 5 where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts_max: Option<u32>,
    /// So long after its first attempt it is dead too, in milliseconds; a day where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub give_up_after_ms: Option<u64>,
}

/// Whether the caller may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimWord {
    /// It may.
    Acquired,
    /// It holds the work, and its effect has been done before: it settles the work, and does not do the effect again.
    EffectRecorded,
}

/// A claim that is held.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClaimAnswer {
    /// Whether to act.
    pub verdict: ClaimWord,
    /// The work, in 64 hexadecimal digits.
    pub work_id: WorkId,
    /// Its readable key.
    pub key: String,
    /// The proof of the claim, for all that is said under it.
    pub token: i64,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// Whether somebody held it before and went away.
    pub takeover: bool,
    /// When the claim ends, Unix milliseconds.
    pub lease_until_ms: i64,
    /// The work's effects so far, oldest first, with the one that is about to be done.
    pub effects: Vec<Intent>,
}

impl ClaimAnswer {
    fn new(held: Acquired, effect: Option<&str>) -> Self {
        let may_act = may_act(&held.intents, effect);
        Self {
            verdict: if may_act { ClaimWord::Acquired } else { ClaimWord::EffectRecorded },
            work_id: held.work.work_id,
            key: held.work.readable_key,
            token: held.token.number(),
            attempt: held.work.attempt,
            takeover: held.takeover,
            lease_until_ms: held.work.lease_until_ms.unwrap_or_default(),
            effects: held.intents,
        }
    }
}

impl ClaimRequest {
    fn claim(self) -> Result<CallerClaim, Problem> {
        let occurred_at_ms = self.occurred_at.as_deref().map(time::parse).transpose().map_err(|error| {
            let problem = Problem::of(Kind::Invalid, &error);
            problem.remedy("give `occurred_at` as in 2026-01-31T10:00:00+01:00")
        })?;
        let terms = CallerClaim::new(self.scope, self.key);
        Ok(CallerClaim {
            content: self.content.map(|content| content.get().to_owned()),
            occurred_at_ms,
            window: self.window.unwrap_or(terms.window),
            response: self.response.unwrap_or(terms.response),
            effect: self.effect,
            lease_ms: self.lease_ms.unwrap_or(terms.lease_ms),
            attempts_max: self.attempts_max.unwrap_or(terms.attempts_max),
            age_max_ms: self.give_up_after_ms.unwrap_or(terms.age_max_ms),
            ..terms
        })
    }
}

impl Primitive for ClaimRequest {
    async fn act(self, _: &Service, caller: &Caller) -> Result<Response, Problem> {
        let claim = self.claim()?;
        let effect = claim.effect.clone();
        match caller.namespace.callers.claim(claim).await? {
            Claim::Acquired(held) => Ok(success(Success::Done, ClaimAnswer::new(*held, effect.as_deref()))),
            Claim::Answered(answered) => answer(Face::Claim, answered),
        }
    }
}
