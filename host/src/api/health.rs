//! Whether the host lives, and whether it can take work.

use crate::api::error::{Kind, Problem};
use crate::api::service::Service;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// How the host is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`; otherwise there is a problem instead.
    pub status: &'static str,
    /// The program's version.
    pub version: &'static str,
}

const OK: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// The process answers. It says nothing about the ledger.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Health)))]
pub(super) async fn healthz() -> Json<Health> {
    Json(OK)
}

/// The ledger answers, and the host is not about to stop: work can be sent here.
#[utoipa::path(get, path = "/readyz", tag = "health", responses(
    (status = 200, body = Health),
    (status = 503, description = "The ledger does not answer, or the host is about to stop"),
))]
pub(super) async fn readyz(State(service): State<Arc<Service>>) -> Result<Json<Health>, Problem> {
    if service.is_stopping() {
        return Err(Problem::new(Kind::Unavailable, "the host is about to stop").retry_after(1_000));
    }
    for namespace in service.namespaces() {
        service.store.work_counts(&namespace.name).await?;
    }
    Ok(Json(OK))
}
