//! From a request to the event that it carries.

use crate::api::body::{Raw, headers_of, refuse_what_is_no_json};
use crate::api::error::{Kind, Problem};
use crate::identity::event::{Body, EVENT_LIMIT_BYTES, Event, EventError};
use crate::inbound::cloud_event;
use crate::inbound::cloud_event::CloudEventError;
use crate::inbound::headers::Headers;
use crate::inbound::idempotency_key::IdempotencyKey;
use crate::inbound::media_type;
use axum::http::HeaderMap;

/// The source of events that an invoker gives a key for, and no envelope.
const KEYED_SOURCE: &str = "api";

/// How the headers of a CloudEvent in binary mode begin.
const CLOUD_EVENT_HEADERS: &str = "ce-";

/// Headers that are kept with an event, by their beginnings: what providers say about a message, and nothing that holds a
/// credential.
const KEPT_HEADERS: [&str; 8] =
    ["ce-", "content-type", "stripe-", "user-agent", "webhook-", "x-github-", "x-hub-", "x-slack-"];

/// The event of an invocation: an envelope, a CloudEvent, or with an `Idempotency-Key` the payload alone.
///
/// # Errors
/// [`Problem`], where it can't be read.
pub(super) fn event_of(raw: &Raw) -> Result<Event, Problem> {
    let headers = headers_of(&raw.headers);
    if let Some(key) =
        IdempotencyKey::read(&headers).map_err(|error| Problem::of(Kind::BadRequest, &error))?
    {
        return keyed(&headers, &raw.bytes, key.as_str());
    }
    let read = cloud_event::read(&headers, &raw.bytes);
    read.map_err(|error| {
        let kind = match &error {
            CloudEventError::ContentType { .. }
            | CloudEventError::Format { .. }
            | CloudEventError::Batched => Kind::UnsupportedMediaType,
            CloudEventError::Event(error) => kind(error),
            _ => Kind::BadRequest,
        };
        Problem::of(kind, &error)
    })
}

/// The event of a payload that comes with a key. The key takes the place of the event's id, so that whoever sends both is
/// not guessed about.
fn keyed(headers: &Headers<'_>, bytes: &[u8], key: &str) -> Result<Event, Problem> {
    refuse_what_is_no_json(headers)?;
    if headers.any_begins(CLOUD_EVENT_HEADERS) || media_type::of(headers).is_ok_and(is_cloud_event) {
        let detail =
            "reading the event: a CloudEvent has an id, and the request has an Idempotency-Key as well";
        return Err(Problem::new(Kind::BadRequest, detail).remedy("send one of them"));
    }
    let unread = |error: EventError| Problem::of(kind(&error), &error);
    let data = Body::read(bytes, EVENT_LIMIT_BYTES).map_err(unread)?;
    Event::new(KEYED_SOURCE, Some(key), None, data).map_err(unread)
}

fn is_cloud_event(media_type: Option<String>) -> bool {
    media_type.is_some_and(|media_type| media_type.starts_with("application/cloudevents"))
}

const fn kind(error: &EventError) -> Kind {
    match error {
        EventError::TooLarge { .. } => Kind::TooLarge,
        _ => Kind::BadRequest,
    }
}

/// The headers that are kept with an event.
pub(super) fn shown_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = |name: &str| KEPT_HEADERS.iter().any(|beginning| name.starts_with(beginning));
    headers
        .iter()
        .filter(|(name, _)| kept(name.as_str()))
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}
