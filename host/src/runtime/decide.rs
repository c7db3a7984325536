//! The decision desk: an answer is looked for, asked once, recorded, and pinned.
//!
//! The order is what makes an answer one answer: pinned to the slot; else cached for an equal question; else asked, in
//! a call that belongs to the host, so that two at once pay once and a run that ends does not lose a paid answer.
//! Only an answer that passed the question's schema is recorded.

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
use crate::models::single_flight::SingleFlight;
use crate::runtime::job::Job;
use crate::runtime::stop::Stop;
use crate::store::Store;
use crate::store::decision::{DecisionQuery, DecisionRecord, Found, Pin, Pinned};
use crate::store::error::StoreError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

type Flights = SingleFlight<(String, CacheKey), Result<(), DecideError>>;

/// The models by the operator's names, and the one place where they are asked.
pub struct DecisionDesk {
    store: Arc<dyn Store>,
    models: BTreeMap<String, Arc<dyn Model>>,
    flights: Flights,
}

impl DecisionDesk {
    /// A desk over a store and models.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, models: BTreeMap<String, Arc<dyn Model>>) -> Self {
        Self { store, models, flights: SingleFlight::new() }
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The one answer of the work's slot.
    pub async fn decide(
        &self,
        job: &Job,
        slot: &str,
        request: ModelRequest,
    ) -> Result<Decision, DecideError> {
        let cache_key = key(&job.work.namespace, &request)?;
        let query = DecisionQuery { work: job.work_ref(), slot: slot.to_owned(), cache_key: Some(cache_key) };
        let pin = Pin { work: job.work_ref(), token: job.token, slot: slot.to_owned(), cache_key };
        let origin = match self.store.decision_find(query.clone()).await? {
            Some(Found::Pinned(answer)) => return Ok(Decision { answer, origin: Origin::Pinned }),
            Some(Found::Cached(_)) => Origin::Cached,
            None => self.ask(job, request, &pin).await?,
        };
        // Whoever asked has been pinned together with the record.
        if let Some(Found::Pinned(answer)) = self.store.decision_find(query).await? {
            return Ok(Decision { answer, origin });
        }
        match self.store.decision_pin(pin).await? {
            Pinned::Answer(answer) => Ok(Decision { answer, origin }),
            Pinned::LeaseLost => Err(Stop::LeaseLost.into()),
        }
    }

    /// Ask, or wait for whoever is asking the same.
    async fn ask(&self, job: &Job, request: ModelRequest, pin: &Pin) -> Result<Origin, DecideError> {
        let model = self.models.get(&request.model).cloned().ok_or_else(|| ModelError::UnknownModel {
            model: request.model.clone(),
            known: self.models.keys().cloned().collect::<Vec<_>>().join(", "),
        })?;
        // A call costs money: the claim that asks for it must outlive a crash, so that the attempt is counted.
        job.durable.wait().await?;
        let asked = Arc::new(AtomicBool::new(false));
        let (store, pin, mine) = (Arc::clone(&self.store), pin.clone(), Arc::clone(&asked));
        let key = (job.work.namespace.clone(), pin.cache_key);
        let call = move || async move {
            let called = call(&*store, &*model, &request, pin).await?;
            mine.store(called, Ordering::Relaxed);
            Ok(())
        };
        self.flights.run(key, call).await.map_err(|error| ModelError::Unavailable {
            model: String::new(),
            cause: error.to_string(),
            retry_after_ms: None,
        })??;
        Ok(if asked.load(Ordering::Relaxed) { Origin::Asked } else { Origin::Cached })
    }
}

/// One call, recorded before anybody sees the answer. False where there was an answer already, and no call was made.
async fn call(
    store: &dyn Store,
    model: &dyn Model,
    request: &ModelRequest,
    pin: Pin,
) -> Result<bool, DecideError> {
    // A call for an equal question may have ended between the caller's look and this one.
    let again =
        DecisionQuery { work: pin.work.clone(), slot: pin.slot.clone(), cache_key: Some(pin.cache_key) };
    if store.decision_find(again).await?.is_some() {
        return Ok(false);
    }
    let answer = model.ask(request).await?;
    crash_point::reach(CrashPoint::ModelAnswered);
    if let Some(schema) = &request.schema {
        schema::check(schema, &answer.output).map_err(|error| DecideError::InvalidAnswer {
            model: request.model.clone(),
            reason: error.to_string(),
        })?;
    } else {
        json_text::parse(&answer.output).map_err(|error| DecideError::InvalidAnswer {
            model: request.model.clone(),
            reason: error.to_string(),
        })?;
    }
    let record = DecisionRecord {
        cache_key: pin.cache_key,
        model: request.model.clone(),
        prompt_version: request.prompt_version.clone(),
        answer: answer.output,
        cost_micros: answer.cost_micros,
    };
    store.decision_record(record, pin).await?;
    crash_point::reach(CrashPoint::DecisionRecorded);
    Ok(true)
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
