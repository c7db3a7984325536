//! Outside callers: programs that do their effects themselves and want to do them once.
//!
//! ```text
//!  claim(key, effect) ──► Held ──the caller acts──► record(effect) ──► settle
//! ```
//! Owns what a caller may say, and with which proof. A caller that goes away between claim and record leaves its work in
//! doubt: the lease ends, and nobody runs it again unasked. It refuses names and leases that can't work, and a
//! token that is not the work's; works of steps in this host are none of a caller's business.

use crate::contract::fence::Token;
use crate::contract::response::Response;
use crate::contract::step::is_usable_name;
use crate::contract::window::Window;
use crate::identity::caller_key::CALLER_KEY_VERSION;
use crate::identity::caller_key::CallerKeyError;
use crate::identity::caller_key::identify_key;
use crate::identity::json_text::JsonError;
use crate::identity::json_text::parse;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::store::Store;
use crate::store::claim::{Acquired, Arrival, Candidate, Claim, Taking, Terms};
use crate::store::error::StoreError;
use crate::store::intent::{EffectRecord, Extended, Extension, Intent, IntentState, Recorded};
use crate::store::quarantine::OnMismatch;
use crate::store::work::{Collected, Holder, Outcome, Settled, Settlement, WorkRef};
use std::sync::Arc;

/// The longest lease of a caller, in milliseconds (a day): a caller that went away must be noticed before it is forgotten.
pub const CALLER_LEASE_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

/// A caller's lease where it asks for none, in milliseconds: longer than a slow request, and short enough to wait for.
pub const CALLER_LEASE_DEFAULT_MS: u64 = 5 * 60 * 1_000;

/// Where the works of callers come from, in the place of an event's source.
const SOURCE: &str = "caller";

/// What a caller said that can't be taken.
#[derive(Debug, thiserror::Error)]
pub enum CallerError {
    /// The scope is no usable name.
    #[error(
        "claiming for a caller: the scope {0:?} is not usable; take lower-case letters, digits and hyphens, as for a step's name"
    )]
    Scope(String),
    /// The effect is no usable name.
    #[error(
        "naming an effect: {0:?} is blank, longer than {NAME_LIMIT_BYTES} bytes or holds U+0000; give the same short name at each attempt, such as \"crm\""
    )]
    Slot(String),
    /// The external reference is too long.
    #[error(
        "recording an effect: the reference is blank, longer than {NAME_LIMIT_BYTES} bytes or holds U+0000; give the id that the third party gave"
    )]
    Reference,
    /// The lease is nothing, or too long.
    #[error("taking a lease of {0} ms: a caller's lease is 1 ms to a day; extend it while the work goes on")]
    Lease(u64),
    /// The key or the content is no identity.
    #[error("claiming for a caller: the key is not usable")]
    Key(#[from] CallerKeyError),
    /// The result is no JSON.
    #[error("settling a caller's work: the result is not acceptable JSON; correct it")]
    Output(#[source] JsonError),
    /// The work is run by a step in this host, or is not there.
    #[error("{0}: the work is not one of an outside caller; its step in this host settles it")]
    NotACallers(&'static str),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

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

/// The door for outside callers.
pub struct Callers {
    store: Arc<dyn Store>,
    namespace: String,
}

impl Callers {
    /// A door to this store, for a namespace.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, namespace: String) -> Self {
        Self { store, namespace }
    }

    /// Claim the work of a key. The answer is on disk, since the caller acts on it outside.
    ///
    /// # Errors
    /// [`CallerError`], where the claim can't be taken as it is, or the store fails.
    pub async fn claim(&self, claim: CallerClaim) -> Result<Claim, CallerError> {
        if !is_usable_name(&claim.scope) {
            return Err(CallerError::Scope(claim.scope));
        }
        claim.effect.as_deref().map_or(Ok(()), usable_slot)?;
        let terms = Terms {
            lease_ms: lease(claim.lease_ms)?,
            attempts_max: claim.attempts_max,
            age_max_ms: i64::try_from(claim.age_max_ms).unwrap_or(i64::MAX),
        };
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

    /// Record that an effect has happened, also where the claim has been lost meanwhile.
    ///
    /// # Errors
    /// [`CallerError`], where a name is not usable, or the store fails.
    pub async fn record(&self, work: WorkRef, effect: EffectRecord) -> Result<Recorded, CallerError> {
        usable_slot(&effect.slot)?;
        if effect.external_reference.as_deref().is_some_and(|reference| !usable(reference)) {
            return Err(CallerError::Reference);
        }
        Ok(self.store.effect_record(work, effect).await?)
    }

    /// Hold a claim for longer, and say which effect comes next.
    ///
    /// # Errors
    /// [`CallerError`], where the lease or a name is not usable, or the store fails.
    pub async fn extend(
        &self,
        work: WorkRef,
        token: Token,
        lease_ms: u64,
        effect: Option<String>,
    ) -> Result<Extended, CallerError> {
        effect.as_deref().map_or(Ok(()), usable_slot)?;
        let extension =
            Extension { token, holder: Holder::Caller, lease_ms: lease(lease_ms)?, intent: effect };
        Ok(self.store.lease_extend(work, extension).await?)
    }

    /// End a claim.
    ///
    /// # Errors
    /// [`CallerError`], where the result is no JSON, the work is none of a caller, or the store fails.
    pub async fn settle(
        &self,
        work: WorkRef,
        token: Token,
        outcome: CallerOutcome,
    ) -> Result<Settled, CallerError> {
        let found = self.store.work_show(work.clone()).await?;
        if found.is_none_or(|found| found.holder != Holder::Caller) {
            return Err(CallerError::NotACallers("settling"));
        }
        let outcome = match outcome {
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
        };
        Ok(self
            .store
            .work_settle(Settlement { work, token, outcome, notes: Vec::new(), replays: Vec::new() })
            .await?)
    }
}

/// The record of an effect that has been done already, so that a holder must not do it again.
#[must_use]
pub fn done_before<'a>(intents: &'a [Intent], slot: &str) -> Option<&'a Intent> {
    intents.iter().find(|intent| intent.slot == slot && intent.state == IntentState::Recorded)
}

/// Whether a claim lets its caller do the effect it asked for.
#[must_use]
pub fn may_act(held: &Acquired, slot: Option<&str>) -> bool {
    slot.is_none_or(|slot| done_before(&held.intents, slot).is_none())
}

fn usable(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= NAME_LIMIT_BYTES && !name.contains('\0')
}

fn usable_slot(slot: &str) -> Result<(), CallerError> {
    if usable(slot) { Ok(()) } else { Err(CallerError::Slot(slot.to_owned())) }
}

fn lease(lease_ms: u64) -> Result<i64, CallerError> {
    match i64::try_from(lease_ms) {
        Ok(lease) if (1..=CALLER_LEASE_MAX_MS).contains(&lease_ms) => Ok(lease),
        _ => Err(CallerError::Lease(lease_ms)),
    }
}
