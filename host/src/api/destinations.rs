//! Destinations: what is configured, what is before each, and what keeps it from going out.

use crate::api::auth::Caller;
use crate::api::error::Problem;
use crate::api::service::Service;
use crate::contract::tier::Tier;
use crate::store::outbox::{DestinationRows, RowState};
use crate::store::pause::{Pause, PauseScope, stopping};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list))
}

/// How it stands with a destination.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DestinationStanding {
    /// Its name.
    pub destination: String,
    /// What it promises.
    pub tier: Tier,
    /// What stops it.
    pub paused: Option<Pause>,
    /// Until when its rows wait for its rate or its own wish, Unix milliseconds.
    pub waits_until_ms: Option<i64>,
    /// How often it has failed in a row.
    pub failures: u32,
    /// Until when it rests after so many failures, Unix milliseconds. After it one row at a time goes out, until it is well.
    pub rests_until_ms: Option<i64>,
    /// How many rows are before it, by state: held, pending, sending, blocked and in doubt.
    pub rows: BTreeMap<RowState, u64>,
}

/// The destinations of a namespace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DestinationList {
    /// What is configured, by name.
    pub destinations: Vec<DestinationStanding>,
    /// Rows that wait for destinations that are not configured any more.
    pub unconfigured: BTreeMap<String, u64>,
}

/// Destinations, what they promise, what is before them, and which of them are paused.
#[utoipa::path(
    get, path = "/v1/destinations", tag = "operate", security(("token" = [])),
    responses((status = 200, body = DestinationList))
)]
async fn list(State(service): State<Arc<Service>>, caller: Caller) -> Result<Json<DestinationList>, Problem> {
    let (store, namespace) = (&service.store, &caller.namespace.name);
    let configured = &caller.namespace.configured.tiers;
    let paused = store.pause_list(namespace).await?;
    let rows = store.destination_rows(namespace).await?;
    let unconfigured = unconfigured(&rows, configured);
    let mut rows: BTreeMap<_, _> = rows.into_iter().map(|rows| (rows.destination, rows.by_state)).collect();
    let paces = store.destination_pace_list(namespace).await?;
    let mut destinations = Vec::with_capacity(configured.len());
    for (name, tier) in configured {
        let due = store.outbox_next_due(namespace, name).await?;
        let pace = paces.iter().find(|pace| pace.destination == *name);
        destinations.push(DestinationStanding {
            destination: name.clone(),
            tier: *tier,
            paused: stopping(&paused, &PauseScope::Destination(name.clone())).cloned(),
            waits_until_ms: due.filter(|due| due.at_ms > due.row_ms).map(|due| due.at_ms),
            failures: pace.map_or(0, |pace| pace.failures),
            rests_until_ms: pace.and_then(|pace| pace.rests_until_ms),
            rows: rows.remove(name).unwrap_or_default(),
        });
    }
    Ok(Json(DestinationList { destinations, unconfigured }))
}

/// How many rows are on their way to destinations that are not configured any more, by name.
pub(super) fn unconfigured(
    rows: &[DestinationRows],
    configured: &BTreeMap<String, Tier>,
) -> BTreeMap<String, u64> {
    let waiting = rows.iter().map(|rows| (&rows.destination, rows.on_their_way()));
    waiting
        .filter(|(name, number)| *number > 0 && !configured.contains_key(*name))
        .map(|(name, number)| (name.clone(), number))
        .collect()
}
