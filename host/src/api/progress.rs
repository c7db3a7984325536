//! Progress: how far handoffs have come, and which of them stand too long.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Params;
use crate::api::listing;
use crate::api::service::{Namespace, Service};
use crate::identity::key::{RootKey, WorkId};
use crate::store::progress::{Handoff, ProgressFilter, StageCount};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Which handoffs.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only this stage.
    stage: Option<String>,
    /// Only those that have stood in their stage for longer than so many seconds.
    #[serde(default)]
    older_than_s: u32,
    /// Only those that stand longer than `progress.alarms` allows, and can still go on.
    #[serde(default)]
    late: bool,
    /// At most so many of a stage; 50 where it is left out, 1000 at most.
    limit: Option<u32>,
}

/// A handoff with how long it has stood, and how long it may.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct StandingHandoff {
    /// The first work's readable key.
    pub key: String,
    /// The first work.
    pub work_id: WorkId,
    /// The identity that all of it descends from.
    pub root_key: RootKey,
    /// The stage it stands in.
    pub stage: String,
    /// Since when, Unix milliseconds.
    pub reached_ms: i64,
    /// For how long, in seconds.
    pub age_s: u64,
    /// How long it may stand there, in seconds; none where nobody is to be alarmed.
    pub late_after_s: Option<u64>,
    /// Whether it will reach no other stage, because its newest work was rejected or cancelled.
    pub over: bool,
}

/// How far handoffs have come.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressList {
    /// The handoffs, the one that stands longest first.
    pub handoffs: Vec<StandingHandoff>,
    /// How many stand in each stage that any stands in.
    pub stages: Vec<StageCount>,
    /// When it was looked at, Unix milliseconds.
    pub at_ms: i64,
}

/// Handoffs by stage, the one that stands longest first; or those that stand too long.
#[utoipa::path(
    get, path = "/v1/progress", tag = "operate", security(("token" = [])), params(ListQuery),
    responses(
        (status = 200, body = ProgressList),
        (status = 404, body = ProblemBody, description = "There is no such stage"),
    )
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Params(query): Params<ListQuery>,
) -> Result<Json<ProgressList>, Problem> {
    let (limit, at_ms) = (listing::whole(query.limit)?, service.clock.now_ms());
    let namespace = &*caller.namespace;
    let mut stages = service.store.progress_counts(&namespace.name).await?;
    if let Some(stage) = &query.stage {
        refuse_unknown(namespace, &stages, stage)?;
        stages.retain(|count| count.stage == *stage);
    }
    let mut handoffs = Vec::new();
    for StageCount { stage, .. } in &stages {
        let alarm_s = namespace.configured.alarms_s.get(stage).copied();
        let Some(least_s) = (if query.late { alarm_s } else { Some(query.older_than_s.into()) }) else {
            continue;
        };
        let least_ms = i64::try_from(least_s.saturating_mul(1_000)).unwrap_or(i64::MAX);
        let filter = ProgressFilter {
            namespace: namespace.name.clone(),
            stage: stage.clone(),
            reached_until_ms: at_ms.saturating_sub(least_ms),
            open: query.late,
            limit,
        };
        let found = service.store.progress_list(filter).await?.into_iter();
        handoffs.extend(found.map(|handoff| standing(handoff, at_ms, alarm_s)));
    }
    handoffs.sort_by_key(|handoff| handoff.reached_ms);
    Ok(Json(ProgressList { handoffs, stages, at_ms }))
}

/// A stage that is neither in the list nor reached by anything is a slip of the hand.
fn refuse_unknown(namespace: &Namespace, counts: &[StageCount], stage: &str) -> Result<(), Problem> {
    let known = &namespace.configured.stages;
    if known.iter().any(|name| name == stage) || counts.iter().any(|count| count.stage == stage) {
        return Ok(());
    }
    let detail =
        format!("listing progress: there is no stage {stage:?}; the stages are {}", known.join(", "));
    Err(Problem::new(Kind::NotFound, detail))
}

fn standing(handoff: Handoff, at_ms: i64, late_after_s: Option<u64>) -> StandingHandoff {
    let Handoff { root_key, work_id, readable_key: key, stage, reached_ms, over } = handoff;
    let age_s = u64::try_from(at_ms.saturating_sub(reached_ms) / 1_000).unwrap_or(0);
    StandingHandoff { key, work_id, root_key, stage, reached_ms, age_s, late_after_s, over }
}
