//! The decision desk: an answer is looked for, asked once, recorded, and pinned.
//!
//! The order is what makes an answer one answer: pinned to the slot, whatever has become of the question or the grants;
//! else, for a question that is granted and in order, cached for an equal one; else asked, in a call that belongs to the
//! host, so that two at once pay once and a run that ends does not lose a paid answer. A question is refused before
//! anything is paid, its schema included, and only an answer that passed the schema is recorded. Where the operator wants
//! a person's approval, a recorded answer ends the run, and is given to one after that.

mod call;
mod error;

pub use crate::runtime::decide::error::DecideError;

use crate::clock::Clock;
use crate::identity::canonical_json;
use crate::identity::json_text;
use crate::identity::key::CacheKey;
use crate::identity::work_id::cache_key;
use crate::identity::work_id::slot_key;
use crate::models::Model;
use crate::models::ModelError;
use crate::models::ModelRequest;
use crate::models::patience::Patience;
use crate::models::schema::Schema;
use crate::models::schema::Schemas;
use crate::models::single_flight::SingleFlight;
use crate::runtime::decide::call::{Call, Flown, Landed};
use crate::runtime::job::Job;
use crate::runtime::stop::Stop;
use crate::runtime::wall::Wall;
use crate::store::Store;
use crate::store::decision::{DecisionQuery, Found, Lookup, Pin, Pinned, PinnedAnswer};
use crate::store::slot::SlotApproval;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Where an answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The model was asked for this work.
    Asked,
    /// An equal question had been answered before.
    Cached,
    /// The work had its answer already.
    Pinned,
}

impl Origin {
    /// The word that is shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Cached => "cached",
            Self::Pinned => "pinned",
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// JSON text.
    pub answer: String,
    /// Where it came from.
    pub origin: Origin,
}

/// A model as the operator set it up.
#[derive(Clone)]
pub struct ModelSetup {
    /// The way to it.
    pub model: Arc<dyn Model>,
    /// How patient to be with it.
    pub patience: Patience,
}

/// The models by the operator's names, and the one place where they are asked.
pub struct DecisionDesk {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    models: BTreeMap<String, ModelSetup>,
    schemas: Schemas,
    flights: SingleFlight<(String, CacheKey), Flown>,
}

impl DecisionDesk {
    /// A desk over a store and models. The clock gives the chance in the waits between calls.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, models: BTreeMap<String, ModelSetup>) -> Self {
        Self { store, clock, models, schemas: Schemas::new(), flights: SingleFlight::new() }
    }

    /// The longest that a run waits for one answer of these models, in milliseconds.
    #[must_use]
    pub fn longest_wait_ms(&self, models: &BTreeSet<String>) -> u64 {
        let waits = models.iter().filter_map(|name| self.models.get(name));
        waits.map(|setup| setup.patience.timeout_ms).max().unwrap_or(0)
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The slot's answer of an earlier attempt, where there is one.
    pub(super) async fn pinned(&self, job: &Job, slot: &str) -> Result<Option<Decision>, DecideError> {
        let query = DecisionQuery { work: job.work_ref(), slot: slot.to_owned(), cache_key: None };
        match self.store.decision_find(query).await?.found {
            Some(Found::Pinned(pinned)) => again(job, slot, pinned).map(Some),
            Some(Found::Cached(_)) | None => Ok(None),
        }
    }

    /// The one answer of the work's slot. Only the wait for the model is excused from the wall.
    pub(super) async fn decide(
        &self,
        job: &Job,
        wall: &Wall,
        slot: &str,
        request: ModelRequest,
    ) -> Result<Decision, DecideError> {
        let identity = key(&job.work.namespace, &request);
        let cache_key = identity.as_ref().ok().copied();
        let query = DecisionQuery { work: job.work_ref(), slot: slot.to_owned(), cache_key };
        let Lookup { revision, found } = self.store.decision_find(query).await?;
        let found = match found {
            Some(Found::Pinned(pinned)) => return again(job, slot, pinned),
            Some(Found::Cached(answer)) => Some(answer),
            None => None,
        };
        if !job.grants.models.contains(&request.model) {
            return Err(DecideError::NotGranted { model: request.model });
        }
        let (work, slot) = (job.work_ref(), slot.to_owned());
        let pin = Pin { work, token: job.token, slot, cache_key: identity?, revision };
        let schema = match &request.schema {
            Some(text) => {
                let compiled = self.schemas.compiled(text).await;
                Some(compiled.map_err(|error| DecideError::question(&error))?)
            }
            None => None,
        };
        let slot = pin.slot.clone();
        let decision = match found {
            Some(_cached) => self.pin(pin).await?,
            None => self.ask(job, wall, request, schema, pin).await?,
        };
        unless_held(job, &slot, decision)
    }

    /// Ask, or wait for whoever is asking the same.
    async fn ask(
        &self,
        job: &Job,
        wall: &Wall,
        request: ModelRequest,
        schema: Option<Arc<Schema>>,
        pin: Pin,
    ) -> Result<Decision, DecideError> {
        let name = request.model.clone();
        let Some(setup) = self.models.get(&name).cloned() else {
            let known = self.models.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(DecideError::without_call(ModelError::UnknownModel { model: name, known }));
        };
        let Patience { timeout_ms, .. } = setup.patience;
        // A call costs money: the claim that asks for it must outlive a crash, so that the attempt is counted.
        job.durable.wait().await?;
        let question = slot_key(pin.cache_key, pin.work.id, &pin.slot, pin.revision);
        let key = (job.work.namespace.clone(), question);
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let call = Call { store, clock, setup, request, schema, pin: pin.clone() };
        let flight = self.flights.run(key, move || call.fly());
        let own_time = |waited: &Result<Result<Flown, _>, _>| match waited {
            Ok(Ok((_, own))) => *own,
            _ => Duration::ZERO,
        };
        let patient = tokio::time::timeout(Duration::from_millis(timeout_ms), flight);
        let landed = match wall.excuse(patient, own_time).await {
            Ok(Ok((landed, _))) => landed?,
            Ok(Err(error)) => {
                let (cause, retry_after_ms) = (error.to_string(), None);
                let error = ModelError::Unavailable { model: name, cause, retry_after_ms };
                return Err(DecideError::without_call(error));
            }
            Err(_elapsed) => {
                return Err(DecideError::without_call(ModelError::Slow {
                    model: name,
                    limit_ms: timeout_ms,
                }));
            }
        };
        match landed {
            Landed::Recorded { stored, asked_for } if asked_for == (pin.token, pin.slot.clone()) => {
                pinned(stored.pinned, Origin::Asked)
            }
            Landed::Recorded { .. } | Landed::Found => self.pin(pin).await,
        }
    }

    /// Tie the slot to an answer that is in the cache.
    async fn pin(&self, pin: Pin) -> Result<Decision, DecideError> {
        pinned(self.store.decision_pin(pin).await?, Origin::Cached)
    }
}

/// An answer of an earlier attempt, if this one may have it.
fn again(job: &Job, slot: &str, pinned: PinnedAnswer) -> Result<Decision, DecideError> {
    let decision = Decision { answer: pinned.answer, origin: Origin::Pinned };
    match pinned.approval {
        SlotApproval::Rejected { reason, .. } => Err(DecideError::Rejected(reason)),
        SlotApproval::Approved { .. } => Ok(decision),
        // Once asked for, an approval is needed, even where the operator asks for no more of them.
        SlotApproval::Waiting { .. } => Err(held(slot)),
        SlotApproval::NotAsked => unless_held(job, slot, decision),
    }
}

/// The decision, unless a person must approve it first.
fn unless_held(job: &Job, slot: &str, decision: Decision) -> Result<Decision, DecideError> {
    if job.holds.slots.contains(slot) { Err(held(slot)) } else { Ok(decision) }
}

fn held(slot: &str) -> DecideError {
    Stop::Held { slot: slot.to_owned(), by_rule: None }.into()
}

fn pinned(pinned: Pinned, origin: Origin) -> Result<Decision, DecideError> {
    match pinned {
        Pinned::Answer(answer) => Ok(Decision { answer, origin }),
        Pinned::LeaseLost => Err(Stop::LeaseLost.into()),
    }
}

/// The question's identity: everything that influences the answer, in canonical form.
fn key(namespace: &str, request: &ModelRequest) -> Result<CacheKey, DecideError> {
    let canonical = |what: &str, text: &str| {
        json_text::parse(text)
            .map(|value| canonical_json::canonical(&value))
            .map_err(|error| DecideError::InvalidQuestion(format!("the {what} is not usable JSON: {error}")))
    };
    if !request.temperature.is_finite() {
        return Err(DecideError::InvalidQuestion("the temperature must be a finite number".to_owned()));
    }
    let input = canonical("input", &request.input)?;
    let schema =
        request.schema.as_deref().map_or_else(|| Ok(String::new()), |text| canonical("schema", text))?;
    // The prompt stands beside its version: an author who changes one and forgets the other still asks a new question.
    let prompt = serde_json::json!([request.prompt_version, request.prompt]).to_string();
    Ok(cache_key(namespace, &request.model, &prompt, &request.temperature_text(), &schema, &input))
}
