//! Places: where a message has its id and its time, and how the time is written.
//!
//! Owns the reading of a header or a field as a text that can stand in a key. A field that is absent or null is none; one that
//! is there and holds something else than a text or a whole number is refused, never turned into a text by guessing.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::identity::event::Body;
use crate::identity::pointer::Pointer;
use crate::identity::rules::kind;
use crate::identity::time::FRACTION_LIMIT_DIGITS;
use crate::identity::time::TimeError;
use crate::identity::time::normalise_unix_ns;
use crate::inbound::headers::HeaderError;
use crate::inbound::headers::Headers;

/// Where something stands in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a header, named in any case.
    Header(String),
    /// In the body, as JSON.
    Body(Pointer),
}

/// Where a time stands, and how it is written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimePlace {
    /// Where.
    pub place: Place,
    /// How.
    pub format: TimeFormat,
}

/// How a time is written. It is never guessed: seconds and milliseconds look alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeFormat {
    /// A date-time with an offset, as in RFC 3339.
    #[default]
    Rfc3339,
    /// Unix time in seconds, perhaps with a fraction; a number or a text.
    UnixS,
    /// Unix time in milliseconds, perhaps with a fraction; a number or a text.
    UnixMs,
}

/// Why something could not be read from its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The header can't be read.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The field holds something else.
    #[error(
        "read {place}: it holds {found}, and must hold a text or a whole number; correct the sender, or name another place"
    )]
    WrongKind {
        /// Where it stands.
        place: String,
        /// What was found.
        found: &'static str,
    },
    /// The field holds an empty text.
    #[error("read {place}: it is blank; send a value, or leave it out")]
    Blank {
        /// Where it stands.
        place: String,
    },
    /// The time can't be read.
    #[error(
        "read {place}: it is no time as the source's `time` says; correct its `format`, or name another place"
    )]
    Time {
        /// Where it stands.
        place: String,
        /// What is wrong with it.
        #[source]
        source: TimeError,
    },
}

impl Place {
    /// The text at this place; none where there is nothing.
    pub(super) fn id(&self, headers: &Headers<'_>, body: &Body) -> Result<Option<String>, PlaceError> {
        self.text(headers, body, |number| number.is_i64() || number.is_u64())
    }

    fn text(
        &self,
        headers: &Headers<'_>,
        body: &Body,
        counts: impl Fn(&serde_json::Number) -> bool,
    ) -> Result<Option<String>, PlaceError> {
        let pointer = match self {
            Self::Header(name) => return Ok(headers.get(name)?.map(str::to_owned)),
            Self::Body(pointer) => pointer,
        };
        match body.value().pointer(pointer.as_str()) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => {
                Err(PlaceError::Blank { place: self.to_string() })
            }
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) if counts(number) => Ok(Some(number.to_string())),
            Some(other) => Err(PlaceError::WrongKind { place: self.to_string(), found: kind(other) }),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(out, "the header `{name}`"),
            Self::Body(pointer) => write!(out, "`{}` of the body", pointer.as_str()),
        }
    }
}

impl TimePlace {
    /// The time at this place as an RFC 3339 date-time; none where there is nothing.
    pub(super) fn time(&self, headers: &Headers<'_>, body: &Body) -> Result<Option<String>, PlaceError> {
        let is_unix = self.format != TimeFormat::Rfc3339;
        let Some(text) = self.place.text(headers, body, |_| is_unix)? else { return Ok(None) };
        let read = match self.format {
            TimeFormat::Rfc3339 => crate::identity::time::normalise(&text),
            TimeFormat::UnixS => from_unix(&text, FRACTION_LIMIT_DIGITS),
            TimeFormat::UnixMs => from_unix(&text, FRACTION_LIMIT_DIGITS - 3),
        };
        read.map(Some).map_err(|source| PlaceError::Time { place: self.place.to_string(), source })
    }
}

/// A decimal Unix time whose unit has so many digits of fraction down to a nanosecond.
fn from_unix(text: &str, fraction_digits: usize) -> Result<String, TimeError> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return Err(TimeError::Syntax),
        None => (text, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return Err(TimeError::Syntax);
    }
    if fraction.len() > fraction_digits {
        return Err(TimeError::TooPrecise);
    }
    let nanoseconds = format!("{whole}{fraction:0<fraction_digits$}");
    normalise_unix_ns(nanoseconds.parse().map_err(|_| TimeError::OutOfRange)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(format: TimeFormat, value: &str) -> Result<Option<String>, PlaceError> {
        let body = Body::read(format!("{{\"at\": {value}}}").as_bytes(), 1_000).expect(value);
        let place = Place::Body(Pointer::parse("/at").expect("a pointer"));
        TimePlace { place, format }.time(&Headers::new([]), &body)
    }

    #[test]
    fn a_time_is_read_as_it_is_written_there_and_never_guessed() {
        let check = |format, value: &str, expected: &str| {
            assert_eq!(time(format, value), Ok(Some(expected.to_owned())), "{value}");
        };
        let (seconds, milliseconds) = (TimeFormat::UnixS, TimeFormat::UnixMs);
        check(seconds, "1355517523", "2012-12-14T20:38:43.000Z");
        check(seconds, "\"1355517523.000005\"", "2012-12-14T20:38:43.000005Z");
        check(seconds, "1355517523.25", "2012-12-14T20:38:43.250Z");
        check(milliseconds, "1355517523005", "2012-12-14T20:38:43.005Z");
        check(milliseconds, "\"1355517523005.000001\"", "2012-12-14T20:38:43.005000001Z");
        check(seconds, "0", "1970-01-01T00:00:00.000Z");
        check(TimeFormat::Rfc3339, "\"2012-12-14T21:38:43+01:00\"", "2012-12-14T20:38:43.000Z");
        assert_eq!(time(seconds, "null"), Ok(None));
    }

    #[test]
    fn what_is_no_time_there_is_refused_with_its_place() {
        let check = |format, value: &str, says: &str| {
            let error = time(format, value).expect_err(value);
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            let said = format!("{error}: {source}");
            assert!(said.contains("`/at` of the body") && said.contains(says), "{value}: {said}");
        };
        let (seconds, milliseconds) = (TimeFormat::UnixS, TimeFormat::UnixMs);
        check(TimeFormat::Rfc3339, "1355517523", "holds a number");
        check(TimeFormat::Rfc3339, "\"yesterday\"", "RFC 3339");
        check(seconds, "\"2012-12-14T20:38:43Z\"", "`format`");
        check(seconds, "-1", "`format`");
        check(seconds, "1e300", "`format`");
        check(seconds, "\"1.\"", "`format`");
        check(seconds, "\".5\"", "`format`");
        check(seconds, "\" \"", "blank");
        check(seconds, "true", "true or false");
        check(seconds, "1355517523005", "0000 to 9999");
        check(seconds, "\"99999999999999999999999999999999999999999999\"", "0000 to 9999");
        check(seconds, "\"1.0000000001\"", "9 digits");
        check(milliseconds, "\"1.0000001\"", "9 digits");
    }
}
