//! The outermost layer: a request's id, its line in the log, and the problem's body.

use crate::api::error::Problem;
use crate::api::service::Service;
use crate::api::verdict::Word;
use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use tracing::Instrument as _;

/// The header with a request's id.
pub const REQUEST_ID: &str = "x-request-id";

/// A request's id, for those who answer in several parts.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// The longest id that is taken from a sender, in bytes; it stands in every line of the log about the request.
const REQUEST_ID_LIMIT_BYTES: usize = 128;

/// Give the request an id, say in the log what came of it, and write out its problem.
pub(super) async fn context(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .filter(|id| is_usable(id))
        .map_or_else(|| service.random_id(), str::to_owned);
    let path = request.extensions().get::<MatchedPath>().map_or("", |path| path.as_str()).to_owned();
    let span = tracing::info_span!("request", id, method = %request.method(), path);
    request.extensions_mut().insert(RequestId(id.clone()));
    let begun = std::time::Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let mut verdict = response.extensions().get::<Word>().map_or("", |word| word.0);
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        verdict = problem.kind().word();
        response = problem.render(Some(&id));
    }
    let _entered = span.enter();
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    service.metrics.request(&path, status, verdict, took);
    tracing::info!(
        status,
        verdict,
        took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "answered"
    );
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Whether a sender's id can stand in a log: visible ASCII, and not too long.
fn is_usable(id: &str) -> bool {
    !id.is_empty() && id.len() <= REQUEST_ID_LIMIT_BYTES && id.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::is_usable;

    #[test]
    fn only_an_id_that_can_stand_in_a_log_is_taken_over() {
        for (id, usable) in [("a-1", true), ("", false), ("a b", false), ("ä", false), ("a\u{1b}[2J", false)]
        {
            assert_eq!(is_usable(id), usable, "{id:?}");
        }
        assert!(!is_usable(&"a".repeat(129)));
    }
}
