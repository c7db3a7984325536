//! `decisions`: recall, cache, decide.

use crate::identity::json_text;
use crate::models::ModelRequest;
use crate::runtime::decide::Asker;
use crate::runtime::decide::DecideError;
use crate::runtime::decide::Decision as DeskDecision;
use crate::runtime::decide::Origin as DeskOrigin;
use crate::runtime::name;
use crate::runtime::name::NameFault;
use crate::runtime::state::RunState;
use crate::runtime::stop::Stop;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::decisions::{
    Decision, DecisionError, Host, Origin, Question,
};
use crate::store::decision::RulePin;

type Answer<T> = wasmtime::Result<Result<T, DecisionError>>;

impl Host for RunState {
    async fn recall(&mut self, slot: String) -> Answer<Option<Decision>> {
        self.begin_call("decisions.recall").await?;
        if let Err(error) = usable(&slot) {
            return Ok(Err(error));
        }
        match self.pinned(&slot).await {
            Ok(None) => Ok(Ok(None)),
            Ok(Some(decision)) => Ok(Ok(Some(self.give(&slot, decision)))),
            Err(error) => refuse(error),
        }
    }

    async fn cache(&mut self, slot: String, answer: String) -> Answer<Decision> {
        self.begin_call("decisions.cache").await?;
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
        match self.pinned(&slot).await {
            Ok(None) => {}
            Ok(Some(decision)) => return Ok(Ok(self.give(&slot, decision))),
            Err(error) => return refuse(error),
        }
        if self.job.holds.slots.contains(&slot) {
            return Err(Stop::Held { slot, by_rule: Some(answer) }.into());
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
        self.begin_call("decisions.decide").await?;
        if let Err(what) = self.refuse_read_only("asking for a decision") {
            return Ok(Err(DecisionError::NotGranted(what)));
        }
        let usable = usable(&question.slot)
            .and_then(|()| named("a model's name", &question.model))
            .and_then(|()| named("a prompt version", &question.prompt_version));
        if let Err(error) = usable {
            return Ok(Err(error));
        }
        if let Some(rule) = self.by_rule(&question.slot) {
            return Ok(Ok(self.give(&question.slot, rule)));
        }
        let slot = question.slot;
        let request = ModelRequest {
            model: question.model,
            prompt_version: question.prompt_version,
            prompt: question.prompt,
            temperature: question.temperature,
            input: question.input,
            schema: question.output_schema,
        };
        self.has_asked = true;
        match self.desk.decide(&Asker::run(&self.job, &self.wall), &slot, request).await {
            Ok(decision) => Ok(Ok(self.give(&slot, decision))),
            Err(error) => refuse(error),
        }
    }
}

/// What a guest is told of a decision that there is not. A stop ends its run instead.
fn refuse<T>(error: DecideError) -> Answer<T> {
    let text = error.to_string();
    Ok(Err(match error {
        DecideError::Stop(stop) => return Err(stop.into()),
        DecideError::NotGranted { .. } => DecisionError::NotGranted(text),
        DecideError::Model { .. } => DecisionError::ModelFailed(text),
        DecideError::InvalidAnswer { .. } => DecisionError::InvalidAnswer(text),
        DecideError::InvalidQuestion(_) => DecisionError::InvalidQuestion(text),
        DecideError::Rejected(_) => DecisionError::Rejected(text),
    }))
}

impl RunState {
    /// What the guest gets. Where it came from is kept, but for an answer by rule of this very run.
    fn give(&mut self, slot: &str, decision: DeskDecision) -> Decision {
        if self.by_rule(slot).is_none() {
            self.decided.entry(slot.to_owned()).or_insert(decision.origin);
        }
        let origin = match decision.origin {
            DeskOrigin::Asked => Origin::Asked,
            DeskOrigin::Cached => Origin::Cached,
            DeskOrigin::Pinned => Origin::Pinned,
        };
        Decision { answer: decision.answer, origin }
    }

    /// The answer that this run found by rule.
    fn by_rule(&self, slot: &str) -> Option<DeskDecision> {
        let rule = self.collected.pins.iter().find(|pin| pin.slot == slot)?;
        Some(DeskDecision { answer: rule.answer.clone(), origin: DeskOrigin::Pinned })
    }

    /// The slot's answer: found by rule in this run, or pinned by an earlier attempt. Alone with the state, which holds handles
    /// that threads may not share.
    async fn pinned(&mut self, slot: &str) -> Result<Option<DeskDecision>, DecideError> {
        match self.by_rule(slot) {
            Some(rule) => Ok(Some(rule)),
            None if self.job.new && !self.has_asked => Ok(None),
            None => self.desk.pinned(&Asker::run(&self.job, &self.wall), slot).await,
        }
    }
}

fn usable(slot: &str) -> Result<(), DecisionError> {
    if slot.is_empty() {
        return Err(DecisionError::InvalidQuestion("the slot is empty; name the decision".to_owned()));
    }
    named("a slot", slot)
}

fn named(what: &'static str, name: &str) -> Result<(), DecisionError> {
    name::check(what, name).map_err(|fault| match fault {
        NameFault::Long(_) => DecisionError::Limit(fault.to_string()),
        NameFault::Nul(_) => DecisionError::InvalidQuestion(fault.to_string()),
    })
}
