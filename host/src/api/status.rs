//! How a namespace stands, in one look: what is idle is never shown without what is stuck.

use crate::api::auth::Caller;
use crate::api::destinations::unconfigured;
use crate::api::error::Problem;
use crate::api::service::Service;
use crate::contract::tier::Tier;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::outbox::RowState;
use crate::store::pause::Pause;
use crate::store::work::WorkState;
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
    OpenApiRouter::new().routes(routes!(show))
}

/// How a namespace stands.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Status {
    /// Whether nothing runs, waits or goes out by itself. It does not mean that all is done: see what needs a person.
    pub idle: bool,
    /// What needs a person: works in review, in doubt and dead, rows that are held, blocked and in doubt, and kept events.
    pub needs_person: u64,
    /// How many works are in each state.
    pub works: BTreeMap<WorkState, u64>,
    /// How many rows are in each state.
    pub rows: BTreeMap<RowState, u64>,
    /// How many kept events wait for a person.
    pub quarantine: u64,
    /// Rows that wait for destinations that are not configured any more.
    pub unconfigured: BTreeMap<String, u64>,
    /// What is stopped, and why.
    pub paused: Vec<Pause>,
    /// For how long the oldest work or row has waited, in milliseconds.
    pub oldest_pending_ms: Option<i64>,
    /// The size of the write-ahead log in bytes, where something reads an old state of the ledger and so makes it grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wal_held_bytes: Option<u64>,
}

impl Status {
    /// How a namespace stands at a moment, in Unix milliseconds. `tiers` are its configured destinations.
    ///
    /// # Errors
    /// [`StoreError`], where the store fails.
    pub async fn read(
        store: &dyn Store,
        namespace: &str,
        tiers: &BTreeMap<String, Tier>,
        now_ms: i64,
    ) -> Result<Self, StoreError> {
        let oldest_ms = store.pending_oldest(namespace).await?;
        let mut status = Self {
            idle: false,
            needs_person: 0,
            works: store.work_counts(namespace).await?.by_state,
            rows: store.outbox_counts(namespace).await?.by_state,
            quarantine: store.quarantine_count(namespace).await?,
            unconfigured: unconfigured(&store.destination_rows(namespace).await?, tiers),
            paused: store.pause_list(namespace).await?,
            wal_held_bytes: store.ledger_size().await?.wal_held_bytes(),
            oldest_pending_ms: oldest_ms.map(|since_ms| now_ms.saturating_sub(since_ms).max(0)),
        };
        let moving = status.works(&[WorkState::Waiting, WorkState::Running])
            + status.rows(&[RowState::Pending, RowState::Sending]);
        status.idle = moving == 0;
        status.needs_person = status.works(&[WorkState::Review, WorkState::InDoubt, WorkState::Dead])
            + status.rows(&[RowState::Held, RowState::Blocked, RowState::InDoubt])
            + status.quarantine;
        Ok(status)
    }

    /// How many works are in these states.
    #[must_use]
    pub fn works(&self, states: &[WorkState]) -> u64 {
        states.iter().filter_map(|state| self.works.get(state)).sum()
    }

    /// How many rows are in these states.
    #[must_use]
    pub fn rows(&self, states: &[RowState]) -> u64 {
        states.iter().filter_map(|state| self.rows.get(state)).sum()
    }
}

/// How the namespace stands.
#[utoipa::path(
    get, path = "/v1/status", tag = "operate", security(("token" = [])),
    responses((status = 200, body = Status))
)]
async fn show(State(service): State<Arc<Service>>, caller: Caller) -> Result<Json<Status>, Problem> {
    let namespace = &caller.namespace;
    let now_ms = service.clock.now_ms();
    let tiers = &namespace.configured.tiers;
    Ok(Json(Status::read(&*service.store, &namespace.name, tiers, now_ms).await?))
}
