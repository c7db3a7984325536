//! Webhooks: what a source sends is proved, kept and acknowledged, and worked on afterwards.
//!
//! Event, work and claim are one transaction, and the answer comes after its commit and before the slow part. Whatever was
//! kept is answered 2xx, since its sender would send it again otherwise.

use crate::api::auth;
use crate::api::auth::Proof as CallerProof;
use crate::api::body::Raw as RawBody;
use crate::api::body::headers_of;
use crate::api::error::{Kind, Problem, ProblemBody, Success};
use crate::api::event_body::shown_headers;
use crate::api::extract::Segment;
use crate::api::serve::Peer;
use crate::api::service::{Namespace, Service, SourceSetup};
use crate::api::verdict::{Face, Verdict, answer};
use crate::dispatch::step::Claimed;
use crate::identity::event::EventError;
use crate::inbound::source::{Arrival, Proof, SourceError};
use crate::store::raw::Raw;
use crate::store::token::Verb;
use crate::store::work::WorkState;
use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes. Each source says itself how its requests are proved.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(receive))
}

/// Take in what a provider sends.
#[utoipa::path(
    post, path = "/v1/sources/{source}/events", tag = "events",
    params(("source" = String, Path, description = "The source's name in the configuration")),
    request_body(content = Object, content_type = "application/json"),
    responses(
        (status = 200, body = Verdict, description = "It came before (`duplicate`), a person dropped it (`dropped`), or it is a provider's question whether somebody is there"),
        (status = 202, body = Verdict, description = "It is kept, as work (`accepted`) or for a person (`quarantined`)"),
        (status = 400, body = ProblemBody, description = "It can't be read, or has no identity"),
        (status = 401, body = ProblemBody, description = "It is not proved to come from the source"),
        (status = 404, body = ProblemBody, description = "There is no such source"),
        (status = 410, body = ProblemBody, description = "Older than what is remembered"),
        (status = 413, body = ProblemBody, description = "Too large"),
        (status = 415, body = ProblemBody, description = "Not JSON"),
        (status = 503, body = ProblemBody, description = "It could not be recorded; send it again"),
    )
)]
async fn receive(
    State(service): State<Arc<Service>>,
    peer: Option<Extension<Peer>>,
    Segment(name): Segment<String>,
    body: RawBody,
) -> Result<Response, Problem> {
    let setup = service.source(&name).ok_or_else(|| {
        Problem::new(Kind::NotFound, format!("taking in an event: there is no source {name:?}"))
            .remedy("add [source] to the configuration, or correct the address")
    })?;
    let namespace = namespace(&service, setup, peer.map(|Extension(peer)| peer), &body).await?;
    let headers = headers_of(&body.headers);
    let event = match setup.source.read(&headers, &body.bytes, service.clock.now_ms()).map_err(refused)? {
        Arrival::Challenge(text) => return Ok(text.into_response()),
        Arrival::Event(event) => event,
    };
    let executor = namespace.executor()?;
    let raw = Raw {
        content_type: body.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).map(str::to_owned),
        headers: shown_headers(&body.headers),
        bytes: body.bytes,
    };
    match executor.dispatcher().receive(&setup.step, &event, Some(raw)).await? {
        Claimed::Held(held) => {
            let (id, key, new) = (held.work().work_id, held.work().readable_key.clone(), held.is_new());
            let durable = held.durable().clone();
            executor.start(*held);
            durable.wait().await?;
            let (how, verdict) = match new {
                true => (Success::Accepted, Verdict::accepted(id, key, WorkState::Running)),
                // It was due again anyway.
                false => (Success::Done, Verdict::new("duplicate", id, key)),
            };
            Ok(verdict.respond(how))
        }
        Claimed::Answered(answered) => answer(Face::Intake, answered),
    }
}

/// Where the source's events belong. A source whose requests are proved by a token has them where the token belongs.
async fn namespace(
    service: &Service,
    setup: &SourceSetup,
    peer: Option<Peer>,
    body: &RawBody,
) -> Result<Arc<Namespace>, Problem> {
    if let Proof::Token = setup.source.proof {
        let proof = CallerProof::of(peer.as_ref(), &body.headers);
        return Ok(auth::caller(service, proof).await?.checked(&[Verb::Invoke])?.namespace);
    }
    service.namespace(&setup.namespace).cloned().ok_or_else(|| {
        Problem::new(Kind::Internal, format!("the source's namespace {:?} is not set up", setup.namespace))
    })
}

fn refused(error: SourceError) -> Problem {
    let kind = match &error {
        SourceError::Unproved { .. } => Kind::BadSignature,
        SourceError::ContentType { .. } => Kind::UnsupportedMediaType,
        SourceError::NoIdentity { .. } => Kind::NoIdentity,
        SourceError::Event { source: EventError::TooLarge { .. }, .. } => Kind::TooLarge,
        _ => Kind::BadRequest,
    };
    Problem::of(kind, &error)
}
