//! The decision desk: an answer is looked for, asked once, recorded, and pinned.
//!
//! The order is what makes an answer one answer: pinned to the slot, whatever has become of the question or the grants;
//! else, for a question that is granted and in order, cached for an equal one; else asked, in a call that belongs to the
//! host, so that two at once pay once and a run that ends does not lose a paid answer. A question is refused before
//! anything is paid, its schema included, and only an answer that passed the schema is recorded. Where the operator wants
//! a person's approval, a recorded answer ends the run, and is given to one after that.

mod asker;
mod call;
mod error;

pub use crate::runtime::decide::asker::Asker;
pub use crate::runtime::decide::error::DecideError;
pub(crate) use crate::runtime::decide::error::with_causes;

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
use crate::models::schema;
use crate::models::schema::Schema;
use crate::models::schema::Schemas;
use crate::models::single_flight::SingleFlight;
use crate::runtime::decide::call::{Call, Flown, Landed};
use crate::runtime::stop::Stop;
use crate::store::Store;
use crate::store::decision::{
    DecisionQuery, DecisionRecord, Figures, Found, Lookup, Pin, Pinned, PinnedAnswer,
};
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
    ///
    /// # Errors
    /// [`DecideError`], where it is not to be given away.
    pub async fn pinned(&self, asker: &Asker<'_>, slot: &str) -> Result<Option<Decision>, DecideError> {
        let query = DecisionQuery { work: asker.work.clone(), slot: slot.to_owned(), cache_key: None };
        match self.store.decision_find(query).await?.found {
            Some(Found::Pinned(pinned)) => again(asker, slot, pinned).map(Some),
            Some(Found::Cached(_)) | None => Ok(None),
        }
    }

    /// The one answer of the work's slot. Only the wait for the model is not the run's time.
    ///
    /// # Errors
    /// [`DecideError`], where there is none.
    pub async fn decide(
        &self,
        asker: &Asker<'_>,
        slot: &str,
        request: ModelRequest,
    ) -> Result<Decision, DecideError> {
        let (identity, Lookup { revision, found }) = self.look_up(asker, slot, &request).await?;
        let cached = match found {
            Some(Found::Pinned(pinned)) => return again(asker, slot, pinned),
            Some(Found::Cached(_)) => true,
            None => false,
        };
        if !asker.may_ask(&request.model) {
            return Err(DecideError::NotGranted { model: request.model });
        }
        let pin = pin(asker, slot, identity?, revision);
        let schema = self.schema(&request).await?;
        let decision = match cached {
            true => self.pin(pin).await?,
            false => self.ask(asker, request, schema, pin).await?,
        };
        unless_held(asker, slot, decision)
    }

    /// Keep an answer that the asker has got by itself. Where the slot has an answer, or the question one of an earlier
    /// asker, that one stands and is given back.
    ///
    /// # Errors
    /// [`DecideError`], where it can't be kept.
    pub async fn keep(
        &self,
        asker: &Asker<'_>,
        slot: &str,
        request: ModelRequest,
        answer: String,
        figures: Figures,
    ) -> Result<Decision, DecideError> {
        let (identity, Lookup { revision, found }) = self.look_up(asker, slot, &request).await?;
        if let Some(Found::Pinned(pinned)) = found {
            return again(asker, slot, pinned);
        }
        let pin = pin(asker, slot, identity?, revision);
        let schema = self.schema(&request).await?;
        let answer = schema::hold(schema, answer).await.map_err(|error| DecideError::question(&error))?;
        let ModelRequest { model, prompt_version, .. } = request;
        let record = DecisionRecord { model, prompt_version, answer: answer.clone(), brought: true, figures };
        let stored = self.store.decision_record(record, pin).await?;
        let origin = if stored.answer == answer { Origin::Asked } else { Origin::Cached };
        unless_held(asker, slot, pinned(stored.pinned, origin)?)
    }

    /// The question's identity, or why it has none, and what is known about it.
    async fn look_up(
        &self,
        asker: &Asker<'_>,
        slot: &str,
        request: &ModelRequest,
    ) -> Result<(Result<CacheKey, DecideError>, Lookup), DecideError> {
        let identity = key(&asker.work.namespace, request);
        let cache_key = identity.as_ref().ok().copied();
        let query = DecisionQuery { work: asker.work.clone(), slot: slot.to_owned(), cache_key };
        Ok((identity, self.store.decision_find(query).await?))
    }

    async fn schema(&self, request: &ModelRequest) -> Result<Option<Arc<Schema>>, DecideError> {
        let Some(text) = &request.schema else { return Ok(None) };
        let compiled = self.schemas.compiled(text).await;
        compiled.map(Some).map_err(|error| DecideError::question(&error))
    }

    /// Ask, or wait for whoever is asking the same.
    async fn ask(
        &self,
        asker: &Asker<'_>,
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
        asker.secure(&*self.store, timeout_ms).await?;
        let question = slot_key(pin.cache_key, pin.work.id, &pin.slot, pin.revision);
        let key = (asker.work.namespace.clone(), question);
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let call = Call { store, clock, setup, request, schema, pin: pin.clone() };
        let flight = self.flights.run(key, move || call.fly());
        let own_time = |waited: &Result<Result<Flown, _>, _>| match waited {
            Ok(Ok((_, own))) => *own,
            _ => Duration::ZERO,
        };
        let patient = tokio::time::timeout(Duration::from_millis(timeout_ms), flight);
        let landed = match asker.wait(patient, own_time).await {
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

/// A pin that the asker may make.
fn pin(asker: &Asker<'_>, slot: &str, cache_key: CacheKey, revision: u32) -> Pin {
    Pin { work: asker.work.clone(), token: asker.token, slot: slot.to_owned(), cache_key, revision }
}

/// An answer of an earlier attempt, if this one may have it.
fn again(asker: &Asker<'_>, slot: &str, pinned: PinnedAnswer) -> Result<Decision, DecideError> {
    let decision = Decision { answer: pinned.answer, origin: Origin::Pinned };
    match pinned.approval {
        SlotApproval::Rejected { reason, .. } => Err(DecideError::Rejected(reason)),
        SlotApproval::Approved { .. } => Ok(decision),
        // Once asked for, an approval is needed, even where the operator asks for no more of them.
        SlotApproval::Waiting { .. } => Err(held(slot)),
        SlotApproval::NotAsked => unless_held(asker, slot, decision),
    }
}

/// The decision, unless a person must approve it first.
fn unless_held(asker: &Asker<'_>, slot: &str, decision: Decision) -> Result<Decision, DecideError> {
    if asker.waits_for_approval(slot) { Err(held(slot)) } else { Ok(decision) }
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
