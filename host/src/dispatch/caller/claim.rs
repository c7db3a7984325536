//! Claims of outside callers: taken, and held for longer.

use crate::contract::fence::Token;
use crate::contract::response::Response;
use crate::contract::step::is_usable_name;
use crate::contract::window::Window;
use crate::dispatch::caller::error::CallerError;
use crate::dispatch::caller::{Callers, check_name, usable};
use crate::dispatch::retry::RetryPolicy;
use crate::identity::caller_key::CALLER_KEY_VERSION;
use crate::identity::caller_key::identify_key;
use crate::store::claim::{Arrival, Candidate, Claim, Taking, Terms};
use crate::store::intent::{Extended, Extension, Intent, IntentState};
use crate::store::quarantine::OnMismatch;
use crate::store::work::{Holder, WorkRef};

/// The longest lease of a caller, in milliseconds (a day): a caller that went away must be noticed before it is forgotten.
pub const CALLER_LEASE_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

/// A caller's lease where it asks for none, in milliseconds: longer than a slow request, and short enough to wait for.
pub const CALLER_LEASE_DEFAULT_MS: u64 = 5 * 60 * 1_000;

/// Where the works of callers come from, in the place of an event's source.
const SOURCE: &str = "caller";

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct CallerClaim {
    /// What the key belongs to, in the place of a step's name.
    pub scope: String,
    /// What makes it the same work.
    pub key: String,
    /// JSON text that a repeat must agree in.
    pub content: Option<String>,
    /// When what it is about happened, Unix milliseconds; the window counts from there.
    pub occurred_at_ms: Option<i64>,
    /// How long the key is remembered.
    pub window: Window,
    /// What a duplicate of finished work is answered.
    pub response: Response,
    /// The effect that the caller is about to do.
    pub effect: Option<String>,
    /// How long the claim holds, in milliseconds.
    pub lease_ms: u64,
    /// After so many attempts the work dies instead of being claimed again.
    pub attempts_max: u32,
    /// So long after its first attempt it dies too, in milliseconds.
    pub age_max_ms: u64,
}

impl CallerClaim {
    /// A claim that asks for nothing but the key.
    #[must_use]
    pub fn new(scope: impl Into<String>, key: impl Into<String>) -> Self {
        let RetryPolicy { attempts_max, age_max_ms, .. } = RetryPolicy::default();
        Self {
            scope: scope.into(),
            key: key.into(),
            content: None,
            occurred_at_ms: None,
            window: Window::ForEver,
            response: Response::Original,
            effect: None,
            lease_ms: CALLER_LEASE_DEFAULT_MS,
            attempts_max,
            age_max_ms,
        }
    }
}

/// A lease that was extended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// When it ends now, Unix milliseconds.
    pub until_ms: i64,
    /// The work's effects, oldest first. One that has been recorded must not be done again.
    pub intents: Vec<Intent>,
}

impl Callers {
    /// Claim the work of a key. The answer is on disk, since the caller acts on it outside.
    ///
    /// # Errors
    /// [`CallerError`], where the claim can't be taken as it is, or the store fails.
    pub async fn claim(&self, claim: CallerClaim) -> Result<Claim, CallerError> {
        let terms = terms(&claim)?;
        let identified = identify_key(&self.namespace, &claim.scope, &claim.key, claim.content.as_deref())?;
        let arrival = Arrival {
            namespace: self.namespace.clone(),
            step: claim.scope,
            current: Candidate {
                version: CALLER_KEY_VERSION,
                work_id: identified.work_id,
                root_key: identified.root_key,
                readable_key: identified.readable_key,
                content_hash: identified.content_hash,
            },
            earlier: Vec::new(),
            source: SOURCE.to_owned(),
            event_id: Some(claim.key),
            occurred_at_ms: claim.occurred_at_ms,
            payload: claim.content.unwrap_or_else(|| "null".to_owned()),
            raw: None,
            window: claim.window,
            response: claim.response,
            taking: Taking::Claim,
            on_mismatch: OnMismatch::Refuse,
            holder: Holder::Caller,
            intent: claim.effect,
        };
        let claimed = self.store.work_claim(arrival, terms).await?;
        if let Claim::Acquired(held) = &claimed {
            held.durable.wait().await?;
        }
        Ok(claimed)
    }

    /// Hold a claim for longer, and say which effect comes next.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, the lease or a name is not usable, or the store fails.
    pub async fn extend(
        &self,
        work: WorkRef,
        token: Token,
        lease_ms: u64,
        effect: Option<String>,
    ) -> Result<Lease, CallerError> {
        effect.as_deref().map_or(Ok(()), |slot| check_name("an effect", slot))?;
        let extension =
            Extension { token, holder: Holder::Caller, lease_ms: lease(lease_ms)?, intent: effect };
        match self.store.lease_extend(work, extension).await? {
            Extended::Applied { lease_until_ms, intents } => Ok(Lease { until_ms: lease_until_ms, intents }),
            Extended::LeaseLost => Err(CallerError::LeaseLost),
        }
    }
}

/// The conditions of a claim that can be taken.
fn terms(claim: &CallerClaim) -> Result<Terms, CallerError> {
    if !is_usable_name(&claim.scope) {
        return Err(CallerError::Scope(claim.scope.clone()));
    }
    claim.effect.as_deref().map_or(Ok(()), |slot| check_name("an effect", slot))?;
    let lasts = match &claim.window {
        Window::ForEver => true,
        Window::Duration(seconds) => *seconds > 0,
        Window::UntilMarker(name) => usable(name),
    };
    if !lasts {
        return Err(CallerError::Window);
    }
    if claim.attempts_max == 0 {
        return Err(CallerError::Attempts);
    }
    Ok(Terms {
        lease_ms: lease(claim.lease_ms)?,
        attempts_max: claim.attempts_max,
        age_max_ms: i64::try_from(claim.age_max_ms).unwrap_or(i64::MAX),
    })
}

fn lease(lease_ms: u64) -> Result<i64, CallerError> {
    match i64::try_from(lease_ms) {
        Ok(lease) if (1..=CALLER_LEASE_MAX_MS).contains(&lease_ms) => Ok(lease),
        _ => Err(CallerError::Lease(lease_ms)),
    }
}

/// Whether a claim lets its caller do the effect that it is about to do: one that has been done already must not be done
/// again.
#[must_use]
pub fn may_act(intents: &[Intent], slot: Option<&str>) -> bool {
    let done =
        |slot| intents.iter().any(|intent| intent.slot == slot && intent.state == IntentState::Recorded);
    !slot.is_some_and(done)
}
