//! When a message was written, in one form.
//!
//! It owns the reading of times and reads no clock. It refuses a time that names no instant; the step then takes the
//! event's own.

use crate::message::Time;
use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Larger numbers are milliseconds: as seconds they would lie three thousand years ahead.
const UNIX_SECONDS_MAX: u64 = 100_000_000_000;

/// The instant in RFC 3339 and UTC; none where the sender's words name no instant.
pub(crate) fn normal(time: &Time) -> Option<String> {
    let at = match time {
        Time::Text(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| rfc2822::DateTimeParser::new().parse_timestamp(text).ok())
        }
        Time::Unix(number) if number.unsigned_abs() < UNIX_SECONDS_MAX => {
            Timestamp::from_second(*number).ok()
        }
        Time::Unix(number) => Timestamp::from_millisecond(*number).ok(),
    };
    at.map(|at: Timestamp| at.to_string())
}

/// Unix milliseconds in RFC 3339 and UTC; none outside the years that it can write.
pub(crate) fn of_ms(unix_ms: i64) -> Option<String> {
    Timestamp::from_millisecond(unix_ms).ok().map(|at| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::Time;
    use super::normal;
    use super::of_ms;

    #[test]
    fn one_instant_has_one_form_however_it_was_written() {
        for time in [
            Time::Text("2026-11-29T10:00:00Z".into()),
            Time::Text(" 2026-11-29T11:00:00.000+01:00".into()),
            Time::Text("Sun, 29 Nov 2026 11:00:00 +0100".into()),
            Time::Unix(1_795_946_400),
            Time::Unix(1_795_946_400_000),
        ] {
            assert_eq!(normal(&time).as_deref(), Some("2026-11-29T10:00:00Z"), "{time:?}");
        }
    }

    #[test]
    fn a_time_that_names_no_instant_is_none() {
        for text in ["", "yesterday", "2026-11-29T10:00:00", "2026-13-01T00:00:00Z", "29.11.2026"] {
            assert_eq!(normal(&Time::Text(text.into())), None, "{text}");
        }
        assert_eq!(normal(&Time::Unix(i64::MAX)), None);
        assert_eq!(of_ms(-1).as_deref(), Some("1969-12-31T23:59:59.999Z"));
    }
}
