//! The decision desk: an answer is looked for, asked once, recorded, and pinned.
//!
//! The order is what makes an answer one answer: pinned to the slot, whatever has become of the question or the grants;
//! else, for a question that is granted and in order, cached for an equal one; else asked, in a call that belongs to the
//! host, so that two at once pay once and a run that ends does not lose a paid answer. A question is refused before
//! anything is paid, its schema included, and only an answer that passed the schema is recorded.

use crate::contract::fence::Token;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::identity::canonical_json;
use crate::identity::json_text;
use crate::identity::key::CacheKey;
use crate::identity::work_id::cache_key;
use crate::models::Model;
use crate::models::ModelError;
use crate::models::ModelRequest;
use crate::models::schema;
use crate::models::schema::Schema;
use crate::models::schema::Schemas;
use crate::models::single_flight::SingleFlight;
use crate::runtime::job::Job;
use crate::runtime::stop::Stop;
use crate::runtime::wall::Wall;
use crate::store::Store;
use crate::store::decision::{DecisionQuery, DecisionRecord, Found, Pin, Pinned, Stored};
use crate::store::error::StoreError;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a run waits for one answer, in milliseconds. Its claim and its place are held meanwhile. What takes longer is
/// recorded when it comes, and the next attempt finds it.
pub const MODEL_TIMEOUT_MS: u64 = 60_000;

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

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// JSON text.
    pub answer: String,
    /// Where it came from.
    pub origin: Origin,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DecideError {
    /// The model is not the step's to ask.
    #[error("the model {model:?} needs both the contract to ask for it and the operator to grant it")]
    NotGranted {
        /// The model.
        model: String,
    },
    /// The model could not be asked, or failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The answer does not fit the question's schema. Nothing was recorded.
    #[error("the answer of {model:?} does not fit the schema: {reason}")]
    InvalidAnswer {
        /// The model.
        model: String,
        /// Where, and why.
        reason: String,
    },
    /// The question can't be asked.
    #[error("{0}")]
    InvalidQuestion(String),
    /// The run is over.
    #[error(transparent)]
    Stop(#[from] Stop),
}

impl From<StoreError> for DecideError {
    fn from(error: StoreError) -> Self {
        Self::Stop(Stop::Store(error))
    }
}

/// What a call came to, and how much of its time was the host's own and not the model's.
type Flown = (Result<Landed, DecideError>, Duration);

/// How a call ended that gave an answer.
#[derive(Clone)]
enum Landed {
    /// The model was asked, and this is recorded.
    Recorded {
        stored: Stored,
        /// For which claim and slot it was pinned.
        asked_for: (Token, String),
    },
    /// There was an answer already, and no call was made.
    Found,
}

/// The models by the operator's names, and the one place where they are asked.
pub struct DecisionDesk {
    store: Arc<dyn Store>,
    models: BTreeMap<String, Arc<dyn Model>>,
    schemas: Schemas,
    flights: SingleFlight<(String, CacheKey), Flown>,
    model_timeout: Duration,
}

impl DecisionDesk {
    /// A desk over a store and models. An answer is waited for up to [`MODEL_TIMEOUT_MS`].
    #[must_use]
    pub fn new(store: Arc<dyn Store>, models: BTreeMap<String, Arc<dyn Model>>) -> Self {
        let model_timeout = Duration::from_millis(MODEL_TIMEOUT_MS);
        Self { store, models, schemas: Schemas::new(), flights: SingleFlight::new(), model_timeout }
    }

    /// Wait for one answer so long, in milliseconds.
    #[must_use]
    pub fn model_timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.model_timeout = Duration::from_millis(timeout_ms);
        self
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
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
        let found = self.store.decision_find(query).await?;
        if let Some(Found::Pinned(answer)) = found {
            return Ok(Decision { answer, origin: Origin::Pinned });
        }
        if !job.grants.models.contains(&request.model) {
            return Err(DecideError::NotGranted { model: request.model });
        }
        let pin = Pin { work: job.work_ref(), token: job.token, slot: slot.to_owned(), cache_key: identity? };
        let schema = match &request.schema {
            Some(text) => {
                let compiled = self.schemas.compiled(text).await;
                Some(compiled.map_err(|error| DecideError::InvalidQuestion(with_causes(&error)))?)
            }
            None => None,
        };
        match found {
            Some(_cached) => self.pin(pin).await,
            None => self.ask(job, wall, request, schema, pin).await,
        }
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
        let model = self.models.get(&name).cloned().ok_or_else(|| ModelError::UnknownModel {
            model: name.clone(),
            known: self.models.keys().cloned().collect::<Vec<_>>().join(", "),
        })?;
        // A call costs money: the claim that asks for it must outlive a crash, so that the attempt is counted.
        job.durable.wait().await?;
        let key = (job.work.namespace.clone(), pin.cache_key);
        let call = Call { store: Arc::clone(&self.store), model, request, schema, pin: pin.clone() };
        let flight = self.flights.run(key, move || call.fly());
        let own_time = |waited: &Result<Result<Flown, _>, _>| match waited {
            Ok(Ok((_, own))) => *own,
            _ => Duration::ZERO,
        };
        let landed = match wall.excuse(tokio::time::timeout(self.model_timeout, flight), own_time).await {
            Ok(Ok((landed, _))) => landed?,
            Ok(Err(error)) => {
                return Err(ModelError::Unavailable { model: name, cause: error.to_string() }.into());
            }
            Err(_elapsed) => {
                let limit_ms = u64::try_from(self.model_timeout.as_millis()).unwrap_or(u64::MAX);
                return Err(ModelError::Slow { model: name, limit_ms }.into());
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

fn pinned(pinned: Pinned, origin: Origin) -> Result<Decision, DecideError> {
    match pinned {
        Pinned::Answer(answer) => Ok(Decision { answer, origin }),
        Pinned::LeaseLost => Err(Stop::LeaseLost.into()),
    }
}

/// One call to a model, which goes on whoever waits for it.
struct Call {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    request: ModelRequest,
    schema: Option<Arc<Schema>>,
    pin: Pin,
}

impl Call {
    async fn fly(self) -> Flown {
        let (begun, mut asking) = (Instant::now(), Duration::ZERO);
        let landed = self.land(&mut asking).await;
        (landed, begun.elapsed().saturating_sub(asking))
    }

    /// Ask, and record the answer before anybody sees it.
    async fn land(self, asking: &mut Duration) -> Result<Landed, DecideError> {
        let Self { store, model, request, schema, pin } = self;
        // A call for an equal question may have ended between the caller's look and this one.
        let again =
            DecisionQuery { work: pin.work.clone(), slot: pin.slot.clone(), cache_key: Some(pin.cache_key) };
        if store.decision_find(again).await?.is_some() {
            return Ok(Landed::Found);
        }
        let begun = Instant::now();
        let answered = model.ask(&request).await;
        *asking = begun.elapsed();
        let answer = answered?;
        crash_point::reach(CrashPoint::ModelAnswered);
        let output = schema::hold(schema, answer.output).await.map_err(|error| {
            DecideError::InvalidAnswer { model: request.model.clone(), reason: with_causes(&error) }
        })?;
        let record = DecisionRecord {
            cache_key: pin.cache_key,
            model: request.model,
            prompt_version: request.prompt_version,
            answer: output,
            cost_micros: answer.cost_micros,
        };
        let asked_for = (pin.token, pin.slot.clone());
        let stored = store.decision_record(record, pin).await?;
        crash_point::reach(CrashPoint::DecisionRecorded);
        Ok(Landed::Recorded { stored, asked_for })
    }
}

/// An error with what lies behind it, since a guest gets one text.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts = std::iter::successors(Some(error), |error| (*error).source()).map(ToString::to_string);
    texts.collect::<Vec<_>>().join(": ")
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
