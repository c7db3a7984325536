//! Markers, which end windows that no clock ends.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::service::Service;
use crate::contract::step::REFERENCE_LIMIT_BYTES;
use crate::store::retention::Marker;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list, set))
}

/// The markers of a namespace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MarkerList {
    /// By name.
    pub markers: Vec<Marker>,
}

/// A marker to be set.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetMarker {
    /// Its name, as contracts and `window` name it.
    pub name: String,
    /// A person's name, or a job's. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read it.
    pub why: String,
}

/// Markers, and when they were last set.
#[utoipa::path(
    get, path = "/v1/markers", tag = "operate", security(("token" = [])),
    responses((status = 200, body = MarkerList))
)]
async fn list(State(service): State<Arc<Service>>, caller: Caller) -> Result<Json<MarkerList>, Problem> {
    Ok(Json(MarkerList { markers: service.store.marker_list(&caller.namespace.name).await? }))
}

/// Set a marker: windows that last until it end for everything that has ended before.
#[utoipa::path(
    post, path = "/v1/markers", tag = "operate", security(("token" = [])),
    params(ActionKey), request_body = SetMarker,
    responses(
        (status = 200, body = Marker, description = "It is set; a repeat with the same key does not move it on"),
        (status = 422, body = ProblemBody, description = "The name is empty or too long; nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn set(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    JsonBody(asked): JsonBody<SetMarker>,
) -> Result<Json<Marker>, Problem> {
    let SetMarker { name, by, why } = asked;
    let actor = caller.actor(Said { by, why }, key)?;
    if name.trim().is_empty() || name.len() > REFERENCE_LIMIT_BYTES {
        let detail = format!("setting a marker: its name has 1 to {REFERENCE_LIMIT_BYTES} bytes");
        return Err(Problem::new(Kind::Invalid, detail).remedy("take the one that the step's window names"));
    }
    Ok(Json(service.store.marker_set(&caller.namespace.name, &name, actor).await?))
}
