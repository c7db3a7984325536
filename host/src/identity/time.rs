//! Times: one text for one instant, and the instant as a number.
//!
//! Owns the reading of RFC 3339 date-times with an offset. It reads no clock: the only times here are those
//! that an event carries.
//!
//! Refuses a date-time without an offset (it names no instant), a leap second (`:60`; Unix time has no number
//! for it, and counting it as its neighbour would join two instants), more than nine digits of fraction, and
//! results outside the years 0000 to 9999 in UTC. Each [`TimeError`] says what to send instead.

use jiff::SignedDuration;
use jiff::civil::DateTime;

/// The finest fraction that is kept: nanoseconds. More digits are refused, since cutting them could join two
/// instants.
pub const FRACTION_LIMIT_DIGITS: usize = 9;

/// Normal forms always show milliseconds, so that most times have one length.
const SHOWN_FRACTION_DIGITS: usize = 3;

/// The start of Unix time.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Why a text could not be read as an instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// The text does not have the shape of an RFC 3339 date-time.
    #[error("read a time: it is no RFC 3339 date-time; write it like `2026-11-29T10:00:00.000Z`")]
    Syntax,
    /// There is no offset from UTC.
    #[error(
        "read a time: it has no offset and so names no instant; \
         append `Z` for UTC or an offset such as `+01:00`"
    )]
    NoOffset,
    /// The date, the time of day or the offset does not exist.
    #[error("read a time: the shape is right but the date, time or offset does not exist; check each number")]
    NoSuchTime,
    /// The second is 60.
    #[error(
        "read a time: second 60 is a leap second, which Unix time can't name; \
         send second 59 or the next minute"
    )]
    LeapSecond,
    /// The fraction of the second has more than [`FRACTION_LIMIT_DIGITS`] digits.
    #[error(
        "read a time: the fraction has more than 9 digits and would have to be cut; send nanoseconds at most"
    )]
    TooPrecise,
    /// In UTC the instant lies outside the years 0000 to 9999.
    #[error("read a time: in UTC it lies outside the years 0000 to 9999; send an instant within them")]
    OutOfRange,
}

impl TimeError {
    /// The stable name of the refusal, as the shared vectors write it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::NoOffset => "no-offset",
            Self::NoSuchTime => "no-such-time",
            Self::LeapSecond => "leap-second",
            Self::TooPrecise => "too-precise",
            Self::OutOfRange => "out-of-range",
        }
    }
}

/// Reads a date-time as Unix time in milliseconds; what is finer than a millisecond is cut towards the past.
///
/// ```
/// use onceward::identity::time::parse;
///
/// assert_eq!(parse("1970-01-01T01:00:00.0019+01:00"), Ok(1));
/// ```
///
/// # Errors
/// [`TimeError`] says why the text names no instant.
pub fn parse(text: &str) -> Result<i64, TimeError> {
    let since_epoch = read_utc(text)?.duration_since(EPOCH);
    Ok(i64::try_from(since_epoch.as_nanos().div_euclid(1_000_000))
        .expect("the years 0000 to 9999 fit i64 milliseconds"))
}

/// Gives the normal form: UTC, milliseconds, and finer digits only where they are not zero (up to
/// nanoseconds).
///
/// ```
/// use onceward::identity::time::normalise;
///
/// assert_eq!(normalise("2026-11-29T11:00:00+01:00")?, "2026-11-29T10:00:00.000Z");
/// assert_eq!(normalise("2026-11-29T10:00:00.1234500Z")?, "2026-11-29T10:00:00.12345Z");
/// # Ok::<(), onceward::identity::time::TimeError>(())
/// ```
///
/// # Errors
/// [`TimeError`] says why the text names no instant.
pub fn normalise(text: &str) -> Result<String, TimeError> {
    Ok(format_utc(read_utc(text)?))
}

/// Writes Unix time in nanoseconds in the normal form, with all its digits.
///
/// ```
/// use onceward::identity::time::normalise_unix_ns;
///
/// assert_eq!(normalise_unix_ns(1_500_000), Ok("1970-01-01T00:00:00.0015Z".to_owned()));
/// ```
///
/// # Errors
/// [`TimeError::OutOfRange`] where it lies outside the years 0000 to 9999.
pub fn normalise_unix_ns(unix_ns: i128) -> Result<String, TimeError> {
    let seconds = i64::try_from(unix_ns.div_euclid(1_000_000_000)).map_err(|_| TimeError::OutOfRange)?;
    let below = i32::try_from(unix_ns.rem_euclid(1_000_000_000)).expect("less than 10^9 fits 32 bits");
    let at = EPOCH.checked_add(SignedDuration::new(seconds, below)).map_err(|_| TimeError::OutOfRange)?;
    if at.year() < 0 { Err(TimeError::OutOfRange) } else { Ok(format_utc(at)) }
}

/// Writes Unix milliseconds in the normal form. Numbers outside the years 0000 to 9999 show the nearest end
/// of that range, so this text is for people and must not decide an identity.
///
/// ```
/// assert_eq!(onceward::identity::time::format_ms(-1), "1969-12-31T23:59:59.999Z");
/// ```
pub fn format_ms(unix_ms: i64) -> String {
    let first = DateTime::constant(0, 1, 1, 0, 0, 0, 0);
    let at = EPOCH.saturating_add(SignedDuration::from_millis(unix_ms)).max(first);
    format_utc(at)
}

fn format_utc(at: DateTime) -> String {
    let digits = format!("{:09}", at.subsec_nanosecond());
    let kept = digits.trim_end_matches('0').len().max(SHOWN_FRACTION_DIGITS);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{}Z",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        &digits[..kept],
    )
}

fn read_utc(text: &str) -> Result<DateTime, TimeError> {
    let shape = split(text).ok_or(TimeError::Syntax)?;
    let [year, month, day, hour, minute, second] = shape.numbers;
    let offset = shape.offset.ok_or(TimeError::NoOffset)?;
    if shape.fraction.len() > FRACTION_LIMIT_DIGITS {
        return Err(TimeError::TooPrecise);
    }
    if second == 60 {
        return Err(TimeError::LeapSecond);
    }
    let nanosecond = format!("{:0<9}", shape.fraction).parse().map_err(|_| TimeError::Syntax)?;
    let small = |number: i16| i8::try_from(number).map_err(|_| TimeError::NoSuchTime);
    let local = DateTime::new(
        year,
        small(month)?,
        small(day)?,
        small(hour)?,
        small(minute)?,
        small(second)?,
        nanosecond,
    )
    .map_err(|_| TimeError::NoSuchTime)?;
    let (sign, hours, minutes) = offset;
    if hours > 23 || minutes > 59 {
        return Err(TimeError::NoSuchTime);
    }
    let east = SignedDuration::from_mins(sign * (i64::from(hours) * 60 + i64::from(minutes)));
    let utc = local.checked_sub(east).map_err(|_| TimeError::OutOfRange)?;
    if utc.year() < 0 { Err(TimeError::OutOfRange) } else { Ok(utc) }
}

/// A date-time cut into its numbers; which of them exist is not checked yet.
struct Shape<'a> {
    numbers: [i16; 6],
    fraction: &'a str,
    offset: Option<(i64, i16, i16)>,
}

/// Cuts `YYYY-MM-DDThh:mm:ss[.fraction][offset]`; `T` and `Z` in any case, and a space for `T`, as RFC 3339
/// allows.
fn split(text: &str) -> Option<Shape<'_>> {
    let (date_time, rest) = text.split_at_checked(19)?;
    let bytes = date_time.as_bytes();
    let marks = (bytes[4], bytes[7], bytes[13], bytes[16]);
    if marks != (b'-', b'-', b':', b':') || !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let number = |from: usize, to: usize| date_time.get(from..to).and_then(digits);
    let numbers =
        [number(0, 4)?, number(5, 7)?, number(8, 10)?, number(11, 13)?, number(14, 16)?, number(17, 19)?];
    let (fraction, rest) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let end = rest.find(|mark: char| !mark.is_ascii_digit()).unwrap_or(rest.len());
            rest.split_at_checked(end).filter(|(fraction, _)| !fraction.is_empty())?
        }
    };
    let offset = match (rest, rest.as_bytes()) {
        ("", _) => None,
        ("Z" | "z", _) => Some((1, 0, 0)),
        (_, [sign @ (b'+' | b'-'), _, _, b':', _, _]) => {
            Some((if *sign == b'+' { 1 } else { -1 }, digits(rest.get(1..3)?)?, digits(rest.get(4..6)?)?))
        }
        _ => return None,
    };
    Some(Shape { numbers, fraction, offset })
}

/// A number of ASCII digits alone, since `parse` would take a sign too.
fn digits(text: &str) -> Option<i16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_and_the_text_name_one_instant() {
        for unix_ms in [0, -1, 999, -62_167_219_200_000, 253_402_300_799_999, 1_796_551_200_123] {
            assert_eq!(parse(&format_ms(unix_ms)), Ok(unix_ms));
        }
    }

    #[test]
    fn nanoseconds_and_their_text_are_one_instant() {
        for unix_ms in [0, -1, 999, -62_167_219_200_000, 253_402_300_799_999, 1_796_551_200_123] {
            assert_eq!(normalise_unix_ns(i128::from(unix_ms) * 1_000_000), Ok(format_ms(unix_ms)));
        }
        assert_eq!(normalise_unix_ns(-1).as_deref(), Ok("1969-12-31T23:59:59.999999999Z"));
        for beyond in [i128::MIN, i128::MAX, -62_167_219_200_000_000_001, 253_402_300_800_000_000_000] {
            assert_eq!(normalise_unix_ns(beyond), Err(TimeError::OutOfRange), "{beyond}");
        }
    }

    #[test]
    fn numbers_beyond_the_calendar_show_its_ends() {
        assert_eq!(format_ms(i64::MIN), "0000-01-01T00:00:00.000Z");
        assert!(format_ms(i64::MAX).starts_with("9999-12-31T23:59:59.999"));
    }

    #[test]
    fn no_cut_text_panics() {
        let text = "2026-11-29T10:00:00.123456789+01:00";
        for end in 0..text.len() {
            let _ = parse(&text[..end]);
            let _ = parse(&format!("{}é{}", &text[..end], &text[end..]));
            assert_ne!(parse(&format!("{}é{}", &text[..end], &text[end..])), parse(text));
        }
    }
}
