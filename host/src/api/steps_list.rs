//! Steps: what each promises and asks for, and what of it the operator grants.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::service::Service;
use crate::contract::capability::{Mode, WantedDestination};
use crate::contract::response::Response;
use crate::contract::window::Window;
use crate::identity::work_id::Identity;
use crate::runtime::imports::Imports;
use crate::store::pause::{Pause, PauseScope, stopping};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(show))
}

/// A step, as its component and its configuration say.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StepInfo {
    /// Its name.
    pub step: String,
    /// Its contract's version.
    pub version: u32,
    /// The component's file.
    pub plugin: String,
    /// What makes two events the same work.
    pub identity: Identity,
    /// How long a key is remembered: as the contract says, or the operator's longer window.
    pub window: Window,
    /// What a duplicate of finished work is answered: as the contract says, or the operator's stricter answer.
    pub response: Response,
    /// What the contract says where the operator may tighten it.
    pub contract: Promise,
    /// What is kept of its runs.
    pub mode: Mode,
    /// What it asks for.
    pub asks: Asks,
    /// What the operator grants it, whether or not it asks for that.
    pub granted: Reach,
    /// What it asks for and is not granted; works that want it go to review.
    pub missing: Reach,
    /// What its component imports, by what becomes of a call.
    pub imports: Imports,
    /// What stops it.
    pub paused: Option<Pause>,
}

/// Window and response, as the contract has them.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Promise {
    /// How long a key is remembered.
    pub window: Window,
    /// What a duplicate of finished work is answered.
    pub response: Response,
}

/// What a step asks for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Asks {
    /// Destinations, each with the weakest tier that will do.
    pub destinations: Vec<WantedDestination>,
    /// Models.
    pub models: Vec<String>,
}

/// Destinations and models by their names.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Reach {
    /// Destinations.
    pub destinations: BTreeSet<String>,
    /// Models.
    pub models: BTreeSet<String>,
}

/// The steps of a namespace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StepList {
    /// By name.
    pub steps: Vec<StepInfo>,
}

impl StepInfo {
    /// The same, with what stops it.
    #[must_use]
    pub fn stopped_by(mut self, paused: &[Pause]) -> Self {
        self.paused = stopping(paused, &PauseScope::Step(self.step.clone())).cloned();
        self
    }
}

/// The steps of the namespace.
#[utoipa::path(
    get, path = "/v1/steps", tag = "operate", security(("token" = [])),
    responses((status = 200, body = StepList))
)]
async fn list(State(service): State<Arc<Service>>, caller: Caller) -> Result<Json<StepList>, Problem> {
    let paused = service.store.pause_list(&caller.namespace.name).await?;
    let steps = caller.namespace.configured.steps.iter().cloned();
    Ok(Json(StepList { steps: steps.map(|step| step.stopped_by(&paused)).collect() }))
}

/// One step.
#[utoipa::path(
    get, path = "/v1/steps/{step}", tag = "operate", security(("token" = [])),
    params(("step" = String, Path, description = "The step's name")),
    responses(
        (status = 200, body = StepInfo),
        (status = 404, body = ProblemBody, description = "There is no such step"),
    )
)]
async fn show(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Segment(name): Segment<String>,
) -> Result<Json<StepInfo>, Problem> {
    let found = caller.namespace.configured.steps.iter().find(|step| step.step == name).cloned();
    let step = found.ok_or_else(|| {
        Problem::new(Kind::NotFound, format!("showing the step {name:?}: no such step is configured"))
            .remedy("see GET /v1/steps, or `onceward step list`")
    })?;
    Ok(Json(step.stopped_by(&service.store.pause_list(&caller.namespace.name).await?)))
}
