//! One decision's calls to a model, which go on whoever waits for them.
//!
//! Owns asking again: what may pass is waited out, an answer that does not fit is asked for anew, and both end with the
//! calls or the time that the operator allows. It refuses to ask again where that would be refused again. Whatever was
//! answered is recorded before anybody sees it.

use crate::clock::Clock;
use crate::contract::fence::Token;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::models::ModelError;
use crate::models::ModelRequest;
use crate::models::Usage;
use crate::models::schema;
use crate::models::schema::Schema;
use crate::runtime::decide::ModelSetup;
use crate::runtime::decide::error::DecideError;
use crate::runtime::decide::error::with_causes;
use crate::store::Store;
use crate::store::decision::{DecisionFailure, DecisionQuery, DecisionRecord, Figures, Pin, Stored};
use crate::store::error::StoreError;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the calls came to, and how much of their time was the host's own and not the model's.
pub(super) type Flown = (Result<Landed, DecideError>, Duration);

/// How calls ended that gave an answer.
#[derive(Clone)]
pub(super) enum Landed {
    /// The model was asked, and this is recorded.
    Recorded {
        stored: Stored,
        /// For which claim and slot it was pinned.
        asked_for: (Token, String),
    },
    /// There was an answer already, and no call was made.
    Found,
}

/// A question on its way.
pub(super) struct Call {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) setup: ModelSetup,
    pub(super) request: ModelRequest,
    pub(super) schema: Option<Arc<Schema>>,
    pub(super) pin: Pin,
}

/// Why one call gave no answer that can be recorded.
enum Failed {
    Model(ModelError),
    Misfit(String),
}

/// What asking came to, all calls together.
struct Asked {
    answer: Result<String, Failed>,
    calls: u32,
    usage: Usage,
    /// Calls and the waits between them.
    spent: Duration,
}

impl Asked {
    fn figures(&self) -> Figures {
        let Usage { tokens_in, tokens_out, cost_micros } = self.usage;
        let latency_ms = u64::try_from(self.spent.as_millis()).unwrap_or(u64::MAX);
        Figures { calls: self.calls, tokens_in, tokens_out, cost_micros, latency_ms }
    }
}

impl Call {
    pub(super) async fn fly(self) -> Flown {
        let (begun, mut asking) = (Instant::now(), Duration::ZERO);
        let landed = self.land(&mut asking).await;
        (landed, begun.elapsed().saturating_sub(asking))
    }

    async fn land(self, asking: &mut Duration) -> Result<Landed, DecideError> {
        let pin = &self.pin;
        // A call for an equal question may have ended between the caller's look and this one.
        let again =
            DecisionQuery { work: pin.work.clone(), slot: pin.slot.clone(), cache_key: Some(pin.cache_key) };
        if self.store.decision_find(again).await?.found.is_some() {
            return Ok(Landed::Found);
        }
        let asked = self.ask().await;
        *asking = asked.spent;
        let figures = asked.figures();
        let answer = match asked.answer {
            Ok(answer) => answer,
            Err(failed) => return Err(self.failed(failed, figures).await?),
        };
        let Self { store, request, pin, .. } = self;
        let ModelRequest { model, prompt_version, .. } = request;
        let record = DecisionRecord { model, prompt_version, answer, brought: false, figures };
        let asked_for = (pin.token, pin.slot.clone());
        let stored = store.decision_record(record, pin).await?;
        crash_point::reach(CrashPoint::DecisionRecorded);
        Ok(Landed::Recorded { stored, asked_for })
    }

    /// Record calls that came to nothing, since they may have cost money.
    async fn failed(&self, failed: Failed, figures: Figures) -> Result<DecideError, StoreError> {
        let (calls, model) = (figures.calls, self.request.model.clone());
        let error = match failed {
            Failed::Model(error) => DecideError::Model { error, calls },
            Failed::Misfit(reason) => DecideError::InvalidAnswer { model, reason, calls },
        };
        let failure = DecisionFailure {
            work: self.pin.work.clone(),
            slot: self.pin.slot.clone(),
            model: self.request.model.clone(),
            cause: error.to_string(),
            figures,
        };
        self.store.decision_fail(failure).await?;
        Ok(error)
    }

    /// Ask until there is an answer that fits, or no point or no room in asking again.
    async fn ask(&self) -> Asked {
        let (begun, mut asking) = (Instant::now(), Duration::ZERO);
        let (mut calls, mut usage) = (0, Usage::default());
        let answer = loop {
            calls += 1;
            let call_begun = Instant::now();
            let reply = self.setup.model.ask(&self.request).await;
            asking += call_begun.elapsed();
            usage = usage.and(reply.usage);
            let failed = match self.hold(reply.answer).await {
                Ok(answer) => break Ok(answer),
                Err(failed) => failed,
            };
            self.log(calls, &failed);
            let (may_pass, asked_ms) = match &failed {
                Failed::Model(error) => (error.may_pass(), error.retry_after_ms()),
                Failed::Misfit(_) => (true, None),
            };
            let wait = self.setup.patience.wait_before_next(&*self.clock, calls, begun.elapsed(), asked_ms);
            let Some(wait) = wait.filter(|_| may_pass) else { break Err(failed) };
            tokio::time::sleep(wait).await;
            asking += wait;
        };
        Asked { answer, calls, usage, spent: asking }
    }

    /// Hold an answer to the question's schema.
    async fn hold(&self, answer: Result<String, ModelError>) -> Result<String, Failed> {
        let answer = answer.map_err(Failed::Model)?;
        crash_point::reach(CrashPoint::ModelAnswered);
        schema::hold(self.schema.clone(), answer).await.map_err(|error| Failed::Misfit(with_causes(&error)))
    }

    fn log(&self, calls: u32, failed: &Failed) {
        let (model, slot) = (&self.request.model, &self.pin.slot);
        match failed {
            Failed::Model(error) => tracing::warn!(%model, %slot, call = calls, %error, "a model failed"),
            Failed::Misfit(reason) => {
                tracing::warn!(%model, %slot, call = calls, %reason, "an answer does not fit its schema");
            }
        }
    }
}
