//! Retention on request: what no window keeps any more is forgotten now, or counted.

use crate::api::auth::Caller;
use crate::api::body::JsonBody;
use crate::api::error::{Problem, ProblemBody};
use crate::api::service::Service;
use crate::dispatch::retention::Retention;
use crate::store::retention::Kept;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(run))
}

/// What to forget.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionRequest {
    /// Say what would be forgotten, and forget nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Forget at most so many events with all that came of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// What was forgotten, and what is left.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Forgotten {
    /// Whether nothing was forgotten, and it was only looked.
    pub dry_run: bool,
    /// Events that were forgotten with all that came of them, or would be.
    pub events: u64,
    /// Decisions that no work refers to and that were forgotten, or would be.
    pub decisions: u64,
    /// What is kept until time or a marker ends its window.
    pub kept: Vec<Kept>,
}

/// Forget what no window keeps any more. A host does this by itself, every hour.
#[utoipa::path(
    post, path = "/v1/retention/run", tag = "operate", security(("token" = [])),
    request_body = RetentionRequest,
    responses(
        (status = 200, body = Forgotten),
        (status = 422, body = ProblemBody, description = "The body has another shape"),
    )
)]
async fn run(
    State(service): State<Arc<Service>>,
    caller: Caller,
    JsonBody(RetentionRequest { dry_run, limit }): JsonBody<RetentionRequest>,
) -> Result<Json<Forgotten>, Problem> {
    let namespace = &caller.namespace;
    let age_ms = namespace.configured.decisions_max_age_ms;
    let retention = Retention::new(Arc::clone(&service.store), namespace.name.clone(), age_ms)
        .limit(limit.unwrap_or(u64::MAX));
    let report = match dry_run {
        true => retention.look(service.clock.now_ms()).await?,
        false => retention.run_once().await?,
    };
    Ok(Json(Forgotten { dry_run, events: report.families, decisions: report.decisions, kept: report.kept }))
}
