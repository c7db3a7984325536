//! Events of callers: a CloudEvent 1.0 over HTTP, or the plain envelope.
//!
//! Owns which of them a request is, and its way to an [`Event`]. By the content type it is a CloudEvent in structured mode
//! (`application/cloudevents+json`); with headers that begin with `ce-` one in binary mode, whose body is the payload; else the
//! body is the envelope that [`Event::parse`] reads. `source` and `id` together are the key, as the specification has it; `type`
//! and extensions are tolerated and don't count.
//!
//! Refuses batches and formats other than JSON by name, data that is no JSON, and another version than 1.0, with a
//! [`CloudEventError`] that names the attribute or the header.

mod error;
mod header_value;

use serde_json::Map;
use serde_json::Value;

use crate::identity::event::Body;
use crate::identity::event::EVENT_LIMIT_BYTES;
use crate::identity::event::Event;
pub use crate::inbound::cloud_event::error::CloudEventError;
use crate::inbound::headers::Headers;
use crate::inbound::media_type;

/// The only version that is read.
const SPEC_VERSION: &str = "1.0";

/// How every CloudEvents media type begins, and those of batches.
const MEDIA_TYPE: &str = "application/cloudevents";
const BATCH_MEDIA_TYPE: &str = "application/cloudevents-batch";
const JSON_MEDIA_TYPE: &str = "application/cloudevents+json";

/// How the headers of binary mode begin.
const HEADER_PREFIX: &str = "ce-";

/// Reads the event of a request, whose body is as it came over the wire.
///
/// ```
/// use onceward::inbound::cloud_event::read;
/// use onceward::inbound::headers::Headers;
///
/// let headers = Headers::new([
///     ("ce-specversion", b"1.0".as_slice()),
///     ("ce-source", b"/shop%20one"),
///     ("ce-id", b"42"),
///     ("content-type", b"application/json"),
/// ]);
/// let event = read(&headers, br#"{"total": 1.0}"#)?;
/// assert_eq!((event.source.as_str(), event.data_text.as_str()), ("/shop one", r#"{"total": 1.0}"#));
/// # Ok::<(), onceward::inbound::cloud_event::CloudEventError>(())
/// ```
///
/// # Errors
/// [`CloudEventError`] says what was refused and what to send.
pub fn read(headers: &Headers<'_>, body: &[u8]) -> Result<Event, CloudEventError> {
    let media_type = media_type::of(headers)?;
    match media_type.as_deref() {
        Some(found) if found.starts_with(BATCH_MEDIA_TYPE) => Err(CloudEventError::Batched),
        Some(JSON_MEDIA_TYPE) => structured(body),
        Some(found) if found.starts_with(MEDIA_TYPE) => {
            Err(CloudEventError::Format { found: media_type::shown(found) })
        }
        Some(found) if !media_type::is_json(found) => {
            Err(CloudEventError::ContentType { found: media_type::shown(found) })
        }
        _ if headers.any_begins(HEADER_PREFIX) => binary(headers, body),
        _ => Ok(Event::parse(body)?),
    }
}

fn structured(body: &[u8]) -> Result<Event, CloudEventError> {
    let envelope = Body::read(body, EVENT_LIMIT_BYTES)?;
    if let Value::Object(members) = envelope.value() {
        check_attributes(members)?;
    }
    Ok(Event::from_envelope(&envelope)?)
}

/// What the specification asks for beyond the envelope.
fn check_attributes(members: &Map<String, Value>) -> Result<(), CloudEventError> {
    let present = |name: &str| members.get(name).filter(|value| !value.is_null());
    for attribute in ["specversion", "id", "source"] {
        present(attribute).ok_or(CloudEventError::MissingAttribute { attribute })?;
    }
    if present("specversion").and_then(Value::as_str) != Some(SPEC_VERSION) {
        return Err(CloudEventError::SpecVersion);
    }
    if present("data_base64").is_some() {
        return Err(CloudEventError::DataBase64);
    }
    let is_json =
        |value: &Value| value.as_str().is_some_and(|text| media_type::is_json(&media_type::essence(text)));
    match present("datacontenttype") {
        Some(value) if !is_json(value) => Err(CloudEventError::DataContentType),
        _ => Ok(()),
    }
}

fn binary(headers: &Headers<'_>, body: &[u8]) -> Result<Event, CloudEventError> {
    let version = attribute(headers, "ce-specversion")?;
    if version.ok_or(CloudEventError::MissingAttribute { attribute: "specversion" })? != SPEC_VERSION {
        return Err(CloudEventError::SpecVersion);
    }
    let id = attribute(headers, "ce-id")?.ok_or(CloudEventError::MissingAttribute { attribute: "id" })?;
    let source =
        attribute(headers, "ce-source")?.ok_or(CloudEventError::MissingAttribute { attribute: "source" })?;
    let time = attribute(headers, "ce-time")?;
    let data = Body::read(body, EVENT_LIMIT_BYTES)?;
    Ok(Event::new(&source, Some(&id), time.as_deref(), data)?)
}

fn attribute(headers: &Headers<'_>, header: &'static str) -> Result<Option<String>, CloudEventError> {
    let decoded = headers.get(header)?.map(header_value::decode).transpose();
    decoded.map_err(|problem| CloudEventError::Encoding { header, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRUCTURED: (&str, &str) = ("content-type", "application/cloudevents+json; charset=utf-8");
    const VERSION: (&str, &str) = ("ce-specversion", "1.0");
    const ID: (&str, &str) = ("ce-id", "A234-1234-1234");
    const SOURCE: (&str, &str) = ("ce-source", "/mycontext");

    fn read_with(lines: &[(&str, &str)], body: &str) -> Result<Event, CloudEventError> {
        read(&Headers::new(lines.iter().map(|(name, value)| (*name, value.as_bytes()))), body.as_bytes())
    }

    #[track_caller]
    fn check_refused(lines: &[(&str, &str)], body: &str, says: &str) {
        let said = read_with(lines, body).expect_err(body).to_string();
        assert!(said.contains(says), "{body} with {lines:?} should say {says:?}, but says: {said}");
    }

    #[test]
    fn the_three_ways_to_send_an_event_are_one_event() {
        let structured = r#"{"specversion": "1.0", "type": "com.example.someevent", "source": "/mycontext",
            "id": "A234-1234-1234", "time": "2018-04-05T17:31:00Z", "comexampleextension1": "value",
            "datacontenttype": "application/json; charset=utf-8", "data": {"total": 1.0}}"#;
        let expected = read_with(&[STRUCTURED], structured).expect("structured mode");
        let key = (expected.source.as_str(), expected.id.as_deref(), expected.data_text.as_str());
        assert_eq!(key, ("/mycontext", Some("A234-1234-1234"), r#"{"total": 1.0}"#));

        let time = ("CE-Time", "2018-04-05T17:31:00Z");
        let json = ("content-type", "application/json");
        let binary = [VERSION, ID, SOURCE, ("ce-type", "com.example.someevent"), time, json];
        assert_eq!(read_with(&binary, r#" {"total": 1.0} "#).as_ref(), Ok(&expected));

        let envelope = r#"{"source": "/mycontext", "id": "A234-1234-1234", "time": "2018-04-05T19:31:00+02:00",
            "data": {"total": 1.0}}"#;
        assert_eq!(read_with(&[json], envelope).as_ref(), Ok(&expected));
        assert_eq!(read_with(&[], envelope).as_ref(), Ok(&expected));
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name() {
        check_refused(&[("content-type", "application/cloudevents-batch+json")], "[]", "batched mode");
        check_refused(
            &[("content-type", "application/cloudevents+avro")],
            "",
            "`application/cloudevents+avro`",
        );
        check_refused(
            &[("content-type", "application/x-www-form-urlencoded")],
            "{}",
            "x-www-form-urlencoded",
        );
        check_refused(
            &[VERSION, ID, SOURCE, ("content-type", "application/xml")],
            "<much/>",
            "`application/xml`",
        );
        check_refused(&[("content-type", "a/b"), ("content-type", "c/d")], "{}", "`content-type`");
        let with = |member: &str| format!(r#"{{"specversion": "1.0", "source": "s", "id": "1", {member}}}"#);
        check_refused(&[STRUCTURED], &with(r#""data_base64": "AAEC""#), "`data_base64`");
        check_refused(
            &[STRUCTURED],
            &with(r#""datacontenttype": "text/xml", "data": "<a/>""#),
            "`datacontenttype`",
        );
        check_refused(&[STRUCTURED], &with(r#""datacontenttype": 1, "data": 1"#), "`datacontenttype`");
        check_refused(&[STRUCTURED], &with(r#""type": "no.data""#), "no `data`");
    }

    #[test]
    fn an_attribute_that_is_missing_or_malformed_is_refused_by_name() {
        check_refused(&[ID, SOURCE], "{}", "no `specversion`");
        check_refused(&[("ce-specversion", "0.3"), ID, SOURCE], "{}", "`specversion`");
        check_refused(&[VERSION, SOURCE], "{}", "no `id`");
        check_refused(&[VERSION, ID], "{}", "no `source`");
        check_refused(&[VERSION, ID, SOURCE, ID], "{}", "`ce-id`");
        check_refused(&[VERSION, ID, ("ce-source", "%C0%A0")], "{}", "`ce-source` is no UTF-8");
        check_refused(&[VERSION, ID, ("ce-source", "%20")], "{}", "`source` is blank");
        check_refused(&[VERSION, SOURCE, ("ce-id", "a%00b")], "{}", "U+0000");
        check_refused(&[VERSION, ID, SOURCE, ("ce-time", "yesterday")], "{}", "`time`");
        check_refused(&[VERSION, ID, SOURCE], "", "JSON");
        check_refused(&[VERSION, ID, SOURCE], r#"{"a": 1, "a": 2}"#, "JSON");
        for (envelope, says) in [
            (r#"{"id": "1", "source": "s", "data": 1}"#, "no `specversion`"),
            (r#"{"specversion": 1.0, "id": "1", "source": "s", "data": 1}"#, "`specversion` is not"),
            (r#"{"specversion": "1.0", "id": null, "source": "s", "data": 1}"#, "no `id`"),
            (r#"{"specversion": "1.0", "id": "1", "data": 1}"#, "no `source`"),
            (r#"{"specversion": "1.0", "id": 1, "source": "s", "data": 1}"#, "`id` holds a number"),
            ("[]", "an array"),
        ] {
            check_refused(&[STRUCTURED], envelope, says);
        }
    }

    #[test]
    fn the_limit_is_that_of_every_event() {
        let large = format!("\"{}\"", "x".repeat(EVENT_LIMIT_BYTES));
        check_refused(&[VERSION, ID, SOURCE], &large, "limit of 1048576 bytes");
    }
}
