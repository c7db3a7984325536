//! The doors to destinations and models, with faults.

use crate::connectors::{Answer, Connector, Delivery, Found, Query};
use crate::contract::tier::Tier;
use crate::models::{Model, ModelError, ModelReply, ModelRequest, Usage};
use crate::verify::answers::Mood;
use crate::verify::fault::{Door, Fault};
use crate::verify::process::Process;
use crate::verify::receiver::trouble;
use async_trait::async_trait;
use std::sync::Arc;

/// How often a model is asked within one decision.
pub(super) const MODEL_CALLS: u32 = 3;

/// The way to one simulated destination.
pub(super) struct Destination {
    pub(super) process: Arc<Process>,
    pub(super) name: String,
    pub(super) declared: Tier,
}

#[async_trait]
impl Connector for Destination {
    async fn deliver(&self, delivery: Delivery<'_>) -> Answer {
        let fault =
            self.process.pass(Door::Destination(self.declared), &format!("send to {}", self.name)).await;
        if fault == Some(Fault::NotApplied) {
            return Answer::NotApplied(trouble("connection refused (simulated)"));
        }
        let answer = self.process.world().receivers().apply(&self.name, &delivery);
        match fault {
            Some(Fault::DiesAfter) => self.process.die().await,
            Some(Fault::ReplyLost) => Answer::Ambiguous(trouble("the answer was lost (simulated)")),
            Some(Fault::ReplyLate) => {
                self.process.rival(true).await;
                answer
            }
            _ => answer,
        }
    }

    async fn look_up(&self, query: Query<'_>) -> Found {
        match self.process.pass(Door::LookUp, &format!("look up at {}", self.name)).await {
            Some(_) => Found::Unknown(trouble("the answer was lost (simulated)")),
            None => self.process.world().receivers().look_up(&self.name, &query),
        }
    }
}

/// A simulated model. It never says the same twice where its schema leaves room.
pub(super) struct Oracle {
    pub(super) process: Arc<Process>,
}

#[async_trait]
impl Model for Oracle {
    async fn ask(&self, request: &ModelRequest) -> ModelReply {
        let fault = self.process.pass(Door::Model, &format!("ask {}", request.model)).await;
        let mood = match fault {
            Some(Fault::ModelFails) => Mood::Away,
            Some(Fault::ModelDown) => Mood::AwayFor(MODEL_CALLS - 1),
            Some(Fault::ModelInvalid) => Mood::Confused,
            _ => Mood::Well,
        };
        let said = self.process.world().answers().answer(request, mood);
        let answer = said.map_err(|cause| ModelError::Unavailable {
            model: request.model.clone(),
            cause,
            retry_after_ms: None,
        });
        if fault == Some(Fault::DiesAfter) {
            return self.process.die().await;
        }
        ModelReply { answer, usage: Usage::default() }
    }
}
