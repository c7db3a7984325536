//! From a request to the event that it carries.

use crate::api::body::{Raw, is_json, media_type, not_json};
use crate::api::error::{Kind, Problem};
use crate::identity::event::Event;

/// The event of an invocation.
///
/// # Errors
/// [`Problem`], where it can't be read.
pub(super) fn event_of(raw: &Raw) -> Result<Event, Problem> {
    let media_type = media_type(&raw.headers)?;
    if !is_json(&media_type) {
        return Err(not_json(&media_type));
    }
    Event::parse(&raw.bytes).map_err(|error| Problem::of(Kind::BadRequest, &error))
}
