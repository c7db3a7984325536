//! The route table: every path, and the verbs that open it.

use crate::api::approvals;
use crate::api::auth::authorize;
use crate::api::context::context;
use crate::api::decision_acts;
use crate::api::decisions;
use crate::api::destinations;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::markers;
use crate::api::pauses;
use crate::api::progress;
use crate::api::quarantine;
use crate::api::retention;
use crate::api::row_acts;
use crate::api::rows;
use crate::api::serve::Peer;
use crate::api::service::Service;
use crate::api::status;
use crate::api::steps_list;
use crate::api::{
    bulk, erase, events, health, metrics, primitives, reprocess, steps, tokens, work_acts, work_show, works,
};
use crate::store::token::Verb;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Method, Request, Response};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::get;
use http_body_util::BodyExt as _;
use std::sync::Arc;
use tower::ServiceExt as _;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The description's frame; the paths come from the handlers.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Onceward",
        description = "Runs workflow steps that are delivered at least once so that they act once. Errors are RFC 9457 problems.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(ProblemBody)),
    tags(
        (name = "events", description = "Webhooks come in here"),
        (name = "steps", description = "Run a step, or get its first result again"),
        (name = "primitives", description = "For programs that do their effects themselves"),
        (name = "operate", description = "For people who look after it"),
        (name = "tokens", description = "For those who say who may ask for what"),
        (name = "health", description = "For whoever watches the host"),
    )
)]
struct Frame;

type Routes = OpenApiRouter<Arc<Service>>;

/// All routes, ready to be served.
#[derive(Clone)]
pub struct Api(pub(super) Router);

impl Api {
    /// Answer a request of this process, which has the rights of whoever could open the ledger.
    ///
    /// # Errors
    /// [`axum::Error`], where the answer's body can't be read.
    pub async fn answer(&self, request: Request<Vec<u8>>) -> Result<Response<Bytes>, axum::Error> {
        let mut request = request.map(Body::from);
        request.extensions_mut().insert(Peer::Local);
        let Ok(response) = self.0.clone().oneshot(request).await;
        let (parts, body) = response.into_parts();
        Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
    }
}

/// The routes of a service.
#[must_use]
pub fn api(service: &Arc<Service>) -> Api {
    let router = table(Some(service)).split_for_parts().0;
    let router = router
        .route("/v1/openapi.json", get(async || axum::Json(openapi())))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(Arc::clone(service), nudge))
        .layer(from_fn_with_state(Arc::clone(service), context))
        .with_state(Arc::clone(service));
    Api(router)
}

/// The description of the API (OpenAPI 3.1), generated from the handlers.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut api = table(None).split_for_parts().1;
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    api.components.get_or_insert_default().add_security_scheme("token", bearer);
    api
}

fn table(service: Option<&Arc<Service>>) -> Routes {
    let open = |verbs, routes| opened(service, verbs, routes);
    OpenApiRouter::with_openapi(Frame::openapi())
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .merge(events::routes())
        .merge(open(&[Verb::Operate, Verb::Admin], metrics::routes()))
        .merge(open(&[Verb::Invoke], steps::routes()))
        .merge(open(&[Verb::Operate, Verb::Invoke, Verb::Primitives], work_show::status_routes()))
        .merge(open(&[Verb::Operate], works::routes()))
        .merge(open(&[Verb::Operate], work_show::routes()))
        .merge(open(&[Verb::Primitives], primitives::routes()))
        .merge(open(&[Verb::Operate], work_acts::routes()))
        .merge(open(&[Verb::Operate], bulk::routes()))
        .merge(open(&[Verb::Operate], reprocess::routes()))
        .merge(open(&[Verb::Admin], erase::routes()))
        .merge(open(&[Verb::Operate, Verb::Approve], rows::routes()))
        .merge(open(&[Verb::Operate], row_acts::routes()))
        .merge(open(&[Verb::Operate], approvals::edit_routes()))
        .merge(open(&[Verb::Approve], approvals::approve_routes()))
        .merge(open(&[Verb::Operate, Verb::Approve], decisions::routes()))
        .merge(open(&[Verb::Approve], decision_acts::approve_routes()))
        .merge(open(&[Verb::Operate], decision_acts::renew_routes()))
        .merge(open(&[Verb::Operate], quarantine::routes()))
        .merge(open(&[Verb::Operate, Verb::Admin], pauses::routes()))
        .merge(open(&[Verb::Operate], destinations::routes()))
        .merge(open(&[Verb::Operate], markers::routes()))
        .merge(open(&[Verb::Operate], progress::routes()))
        .merge(open(&[Verb::Operate], retention::routes()))
        .merge(open(&[Verb::Operate], status::routes()))
        .merge(open(&[Verb::Operate], steps_list::routes()))
        .merge(open(&[Verb::Admin], tokens::routes()))
}

/// Routes that a token with any of these verbs opens.
fn opened(service: Option<&Arc<Service>>, verbs: &'static [Verb], routes: Routes) -> Routes {
    match service {
        Some(service) => routes.route_layer(from_fn_with_state((Arc::clone(service), verbs), authorize)),
        None => routes,
    }
}

/// What was asked for may have made something due: whoever works in the background is told.
async fn nudge(
    State(service): State<Arc<Service>>,
    request: axum::extract::Request,
    next: Next,
) -> axum::response::Response {
    let changes = request.method() != Method::GET;
    let response = next.run(request).await;
    if changes && response.status().is_success() {
        service.nudge.all();
    }
    response
}

async fn not_found() -> Problem {
    Problem::new(Kind::NotFound, "the API has no such path").remedy("its description is at /v1/openapi.json")
}

async fn method_not_allowed() -> Problem {
    Problem::new(Kind::MethodNotAllowed, "the path is there, and not with this method")
        .remedy("its description is at /v1/openapi.json")
}
