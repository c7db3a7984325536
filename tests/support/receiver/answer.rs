//! The answers the receiver gives, whole in memory before they are sent.
//!
//! Owns their bodies and headers: receipts, and problems as RFC 9457 has them, with the titles of
//! draft-ietf-httpapi-idempotency-key-header. It decides nothing and can't fail.

use std::fmt::Display;

use axum::body::Body;
use axum::http::HeaderName;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header;
use axum::response::IntoResponse;
use axum::response::Response;

use crate::receiver::rate::SPAN_S;

/// Where the `type` of every problem begins.
const PROBLEMS: &str = "https://receiver.example/problems";

/// An answer. Its body is kept apart, because faults measure and replace it.
#[derive(Debug)]
pub(super) struct Answer {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn json(status: StatusCode, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "application/json", body.into())
    }

    pub(super) fn text(status: StatusCode, body: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", body.into())
    }

    /// A problem whose `type` ends with this name.
    pub(super) fn problem(status: StatusCode, name: &str, title: &str, detail: impl Display) -> Self {
        let body = serde_json::json!({
            "type": format!("{PROBLEMS}/{name}"),
            "title": title,
            "status": status.as_u16(),
            "detail": detail.to_string(),
        });
        Self::new(status, "application/problem+json", body.to_string().into_bytes())
    }

    pub(super) fn bad_request(detail: impl Display) -> Self {
        let title = "The request can't be used";
        Self::problem(StatusCode::BAD_REQUEST, "bad-request", title, detail)
    }

    pub(super) fn not_found(path: &str) -> Self {
        let detail = format!(
            "nothing is at {path}; there are /deals, /messages, /any/KIND, /upsert/KIND/VALUE, \
             /plain/KIND and /search/KIND"
        );
        Self::problem(StatusCode::NOT_FOUND, "not-found", "Not found", detail)
    }

    /// The receiver's own failure, with its whole chain of causes.
    pub(super) fn failed(error: &anyhow::Error) -> Self {
        let title = "The receiver failed";
        let detail = format!("{error:#}");
        Self::problem(StatusCode::INTERNAL_SERVER_ERROR, "failed", title, detail)
    }

    pub(super) fn key_missing() -> Self {
        Self::problem(
            StatusCode::BAD_REQUEST,
            "idempotency-key-missing",
            "Idempotency-Key is missing",
            "this operation needs an Idempotency-Key header; send one for each deal, \
             and the same one with each resend",
        )
    }

    pub(super) fn key_reused() -> Self {
        Self::problem(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency-key-reused",
            "Idempotency-Key is already used",
            "this Idempotency-Key came with other content before; send a new key with new content",
        )
    }

    pub(super) fn key_in_progress() -> Self {
        Self::problem(
            StatusCode::CONFLICT,
            "idempotency-key-in-progress",
            "A request is outstanding for this Idempotency-Key",
            "a request with this Idempotency-Key is still in work; send the same one again later",
        )
    }

    pub(super) fn method(allowed: &str) -> Self {
        let title = "Method not allowed";
        Self::problem(StatusCode::METHOD_NOT_ALLOWED, "method", title, allowed)
    }

    pub(super) fn limited() -> Self {
        let detail = format!("the second is full; send it again after {SPAN_S} s");
        Self::problem(StatusCode::TOO_MANY_REQUESTS, "limited", "Too many requests", detail)
            .with_header(header::RETRY_AFTER, HeaderValue::from(SPAN_S))
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn new(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Self {
        let content_type = HeaderValue::from_static(content_type);
        Self { status, headers: vec![(header::CONTENT_TYPE, content_type)], body }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.headers);
        response
    }
}
