//! The figures, for a scraper.

use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::service::Service;
use crate::store::error::StoreError;
use crate::telemetry::metrics::{LedgerFigures, OPEN_METRICS};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(metrics))
}

/// Figures in the OpenMetrics text format: of this process since its start, and of the ledger as it is now.
#[utoipa::path(
    get, path = "/metrics", tag = "health", security(("token" = [])),
    responses((status = 200, body = String, content_type = "application/openmetrics-text"), (status = 503, body = ProblemBody))
)]
async fn metrics(State(service): State<Arc<Service>>) -> Result<impl IntoResponse, Problem> {
    let figures = figures(&service).await?;
    let text = service
        .metrics
        .text(&figures)
        .map_err(|_| Problem::new(Kind::Internal, "the figures could not be written"))?;
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], text))
}

async fn figures(service: &Service) -> Result<LedgerFigures, StoreError> {
    let (store, now_ms) = (&service.store, service.clock.now_ms());
    let size = store.ledger_size().await?;
    let mut figures = LedgerFigures {
        ledger_bytes: size.ledger_bytes,
        wal_bytes: size.wal_bytes,
        wal_held: size.wal_held_bytes().is_some(),
        ..LedgerFigures::default()
    };
    for namespace in service.namespaces() {
        let name = &namespace.name;
        for (state, number) in store.work_counts(name).await?.by_state {
            figures.works.push((name.clone(), state.word().to_owned(), number));
        }
        for (state, number) in store.outbox_counts(name).await?.by_state {
            figures.rows.push((name.clone(), state.word().to_owned(), number));
        }
        figures.quarantined.push((name.clone(), store.quarantine_count(name).await?));
        let oldest_ms =
            store.pending_oldest(name).await?.map_or(0, |since_ms| now_ms.saturating_sub(since_ms));
        figures.oldest_pending_ms.push((name.clone(), u64::try_from(oldest_ms).unwrap_or(0)));
        figures.pauses.push((name.clone(), store.pause_list(name).await?.len() as u64));
        let running = namespace.executor.as_ref().map_or(0, |executor| executor.running());
        figures.running_here.push((name.clone(), running as u64));
    }
    Ok(figures)
}
