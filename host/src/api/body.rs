//! Bodies: read within a limit and a time, strictly, and refused with what is wrong.

use crate::api::error::{Kind, Problem};
use crate::api::service::Service;
use crate::identity::json_text;
use crate::inbound::headers::Headers;
use crate::inbound::media_type;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

/// How long the rest of a refused body is read and thrown away, in milliseconds, so that its sender can read the answer
/// instead of meeting a closed connection.
const DISCARD_MAX_MS: u64 = 5_000;

/// A body as it came.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The headers beside it.
    pub headers: HeaderMap,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A JSON body as a value of the API.
#[derive(Clone, Debug)]
pub struct JsonBody<T>(pub T);

impl FromRequest<Arc<Service>> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Problem> {
        let limits = &service.limits;
        let (parts, body) = request.into_parts();
        let announced =
            parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: u64| length > limits.body_bytes as u64) {
            discard(body).await;
            return Err(too_large(limits.body_bytes));
        }
        let read = collect(body, limits.body_bytes);
        let bytes = tokio::time::timeout(Duration::from_millis(limits.arrival_timeout_ms), read).await;
        let bytes = bytes.unwrap_or_else(|_| {
            let limit_ms = limits.arrival_timeout_ms;
            let detail = format!("reading the body: it did not come within {limit_ms} ms");
            Err(Problem::new(Kind::TooSlow, detail).remedy("send it at once").closing())
        })?;
        Ok(Self { headers: parts.headers, bytes })
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<Service>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Problem> {
        let raw = Raw::from_request(request, service).await?;
        read(json_of(&raw)?).map(Self)
    }
}

/// The text of a body that says that it is JSON.
///
/// # Errors
/// [`Problem`], where it says something else, or is no UTF-8.
pub fn json_of(raw: &Raw) -> Result<&str, Problem> {
    refuse_what_is_no_json(&headers_of(&raw.headers))?;
    text(&raw.bytes)
}

/// JSON text as a value of the API.
///
/// # Errors
/// [`Problem`], where it is no JSON with a single meaning, or has another shape.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    json_text::parse(text).map_err(|error| Problem::of(Kind::BadJson, &error))?;
    serde_json::from_str(text).map_err(|error| {
        // The strict reader has read it, so that it is the shape that does not fit.
        Problem::new(Kind::Invalid, format!("reading the body: {error}"))
            .remedy("the API's description at /v1/openapi.json has the shape of every body")
    })
}

/// The body's text.
///
/// # Errors
/// [`Problem`], where it is no UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Problem::new(Kind::BadJson, format!("reading the body: the bytes from {at} on are no UTF-8"))
            .remedy("send JSON in UTF-8")
    })
}

/// Refuse a body that says that it is something else than JSON, or does not say what it is.
///
/// # Errors
/// [`Problem`], which says what it is.
pub fn refuse_what_is_no_json(headers: &Headers<'_>) -> Result<(), Problem> {
    let found = media_type::of(headers).map_err(|error| Problem::of(Kind::BadRequest, &error))?;
    let detail = match found {
        Some(found) if media_type::is_json(&found) => return Ok(()),
        Some(found) => {
            format!("reading the body: its type is {:?}, and only JSON is read", media_type::shown(&found))
        }
        None => "reading the body: the request has no Content-Type".to_owned(),
    };
    Err(Problem::new(Kind::UnsupportedMediaType, detail).remedy("send application/json"))
}

/// The headers as their readers want them.
pub fn headers_of(headers: &HeaderMap) -> Headers<'_> {
    Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())))
}

fn too_large(limit_bytes: usize) -> Problem {
    let detail = format!("reading the body: it is larger than the limit of {limit_bytes} bytes");
    let remedy = "send less: put attachments elsewhere, and send a reference to them";
    Problem::new(Kind::TooLarge, detail).remedy(remedy).closing()
}

async fn collect(mut body: Body, limit_bytes: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            Problem::new(Kind::BadRequest, "reading the body: it was cut short")
                .remedy("send it again, whole; nothing was recorded")
                .closing()
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limit_bytes {
            discard(body).await;
            return Err(too_large(limit_bytes));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

async fn discard(mut body: Body) {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = tokio::time::timeout(Duration::from_millis(DISCARD_MAX_MS), rest).await;
}
