//! `decisions`: recall, cache, decide.

use crate::identity::json_text;
use crate::models::ModelRequest;
use crate::runtime::decide::DecideError;
use crate::runtime::decide::Origin as DeskOrigin;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::decisions::{
    Decision, DecisionError, Host, Origin, Question,
};
use crate::store::decision::{DecisionQuery, Found, RulePin};

type Answer<T> = wasmtime::Result<Result<T, DecisionError>>;

impl Host for RunState {
    async fn recall(&mut self, slot: String) -> Answer<Option<Decision>> {
        self.count_call()?;
        if let Err(error) = usable(&slot) {
            return Ok(Err(error));
        }
        Ok(Ok(self.pinned(&slot).await?.map(pinned)))
    }

    async fn cache(&mut self, slot: String, answer: String) -> Answer<Decision> {
        self.count_call()?;
        if let Err(what) = self.refuse_read_only("recording an answer") {
            return Ok(Err(DecisionError::NotGranted(what)));
        }
        if let Err(error) = usable(&slot) {
            return Ok(Err(error));
        }
        if let Err(error) = json_text::parse(&answer) {
            return Ok(Err(DecisionError::InvalidQuestion(format!(
                "the answer is not usable JSON: {error}"
            ))));
        }
        if let Some(answer) = self.pinned(&slot).await? {
            return Ok(Ok(pinned(answer)));
        }
        if self.collected.pins.len() >= self.limits.pins as usize {
            let what = format!("{} answers by rule a run (limits.pins)", self.limits.pins);
            return Ok(Err(DecisionError::Limit(what)));
        }
        if let Err(what) = self.collect(slot.len() + answer.len()) {
            return Ok(Err(DecisionError::Limit(what)));
        }
        self.collected.pins.push(RulePin { slot, answer: answer.clone() });
        Ok(Ok(Decision { answer, origin: Origin::Asked }))
    }

    async fn decide(&mut self, question: Question) -> Answer<Decision> {
        self.count_call()?;
        if let Err(what) = self.refuse_read_only("asking for a decision") {
            return Ok(Err(DecisionError::NotGranted(what)));
        }
        let named = usable(&question.slot)
            .and_then(|()| short("a model's name", &question.model))
            .and_then(|()| short("a prompt version", &question.prompt_version));
        if let Err(error) = named {
            return Ok(Err(error));
        }
        if let Some(rule) = self.collected.pins.iter().find(|pin| pin.slot == question.slot) {
            return Ok(Ok(pinned(rule.answer.clone())));
        }
        let request = ModelRequest {
            model: question.model,
            prompt_version: question.prompt_version,
            prompt: question.prompt,
            temperature: question.temperature,
            input: question.input,
            schema: question.output_schema,
        };
        match self.desk.decide(&self.job, &self.wall, &question.slot, request).await {
            Ok(decision) => {
                let origin = match decision.origin {
                    DeskOrigin::Asked => Origin::Asked,
                    DeskOrigin::Cached => Origin::Cached,
                    DeskOrigin::Pinned => Origin::Pinned,
                };
                Ok(Ok(Decision { answer: decision.answer, origin }))
            }
            Err(DecideError::Stop(stop)) => Err(stop.into()),
            Err(error) => Ok(Err(told(error))),
        }
    }
}

/// What a guest is told of a decision that there is not.
fn told(error: DecideError) -> DecisionError {
    let text = error.to_string();
    match error {
        DecideError::NotGranted { .. } => DecisionError::NotGranted(text),
        // A run that is over tells its guest nothing; the caller has ended it.
        DecideError::Model { .. } | DecideError::Stop(_) => DecisionError::ModelFailed(text),
        DecideError::InvalidAnswer { .. } => DecisionError::InvalidAnswer(text),
        DecideError::InvalidQuestion(_) => DecisionError::InvalidQuestion(text),
    }
}

impl RunState {
    /// The slot's answer: found by rule in this run, or pinned by an earlier attempt.
    async fn pinned(&self, slot: &str) -> Result<Option<String>, Stop> {
        if let Some(rule) = self.collected.pins.iter().find(|pin| pin.slot == slot) {
            return Ok(Some(rule.answer.clone()));
        }
        let query = DecisionQuery { work: self.job.work_ref(), slot: slot.to_owned(), cache_key: None };
        match self.desk.store().decision_find(query).await.map_err(Stop::Store)? {
            Some(Found::Pinned(answer) | Found::Cached(answer)) => Ok(Some(answer)),
            None => Ok(None),
        }
    }
}

fn pinned(answer: String) -> Decision {
    Decision { answer, origin: Origin::Pinned }
}

fn usable(slot: &str) -> Result<(), DecisionError> {
    if slot.is_empty() {
        return Err(DecisionError::InvalidQuestion("the slot is empty; name the decision".to_owned()));
    }
    short("a slot", slot)
}

fn short(what: &str, name: &str) -> Result<(), DecisionError> {
    if name.len() > NAME_LIMIT_BYTES {
        return Err(DecisionError::Limit(format!("{what} has at most {NAME_LIMIT_BYTES} bytes")));
    }
    Ok(())
}
