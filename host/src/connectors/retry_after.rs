//! `Retry-After`: how long a receiver asks to be left alone.
//!
//! Owns reading the header in all its forms (RFC 9110, 10.2.3 and 5.6.7: seconds and three kinds of date) and
//! keeping the wait between a floor and a ceiling. What is none of them is refused as `None`, and the caller
//! falls back to its schedule. It can't fail or overflow on any input.

use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The shortest wait, also for `0` and for dates that have passed: a receiver that has just said "later" gets
/// at least a second, so that its answer can never make a hot loop.
pub const FLOOR_MS: u64 = 1_000;

/// The longest wait: a day covers the daily quotas that CRMs have, and a rubbish number parks a row no longer
/// than that.
pub const CEILING_MS: u64 = 24 * 60 * 60 * 1_000;

/// A two-digit year that would lie further ahead than this belongs to the century before (RFC 9110, 5.6.7).
const TWO_DIGIT_YEAR_HORIZON_YEARS: i32 = 50;

/// The first day of Unix time.
const EPOCH: Date = jiff::civil::date(1970, 1, 1);

/// The wait in milliseconds that `value` asks for at `now_ms` (milliseconds since the Unix epoch).
///
/// ```
/// use onceward::connectors::retry_after::parse;
/// assert_eq!(parse("120", 0), Some(120_000));
/// assert_eq!(parse("Thu, 01 Jan 1970 00:00:30 GMT", 10_000), Some(20_000));
/// assert_eq!(parse("soon", 0), None);
/// ```
#[must_use]
pub fn parse(value: &str, now_ms: i64) -> Option<u64> {
    let value = value.trim_matches([' ', '\t']);
    let wait_ms = match seconds(value) {
        Some(seconds) => seconds.saturating_mul(1_000),
        None => u64::try_from(date_ms(value, now_ms)?.saturating_sub(now_ms)).unwrap_or(0),
    };
    Some(wait_ms.clamp(FLOOR_MS, CEILING_MS))
}

/// `delay-seconds`: digits and nothing else, however many.
fn seconds(value: &str) -> Option<u64> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // The only error left is too large a number, which the ceiling takes care of.
    Some(value.parse().unwrap_or(u64::MAX))
}

/// The instant that an HTTP date names, in milliseconds since the Unix epoch.
fn date_ms(value: &str, now_ms: i64) -> Option<i64> {
    let words: Vec<&str> = value.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let (year, month, day, time) = match words[..] {
        // Sun Nov  6 08:49:37 1994
        [weekday, month, day, time, year] if is_short_weekday(weekday) && !value.contains(',') => {
            (number(year, 4)?, month, day, time)
        }
        // Sun, 06 Nov 1994 08:49:37 GMT
        [weekday, day, month, year, time, "GMT"] if is_short_weekday(weekday) => {
            (number(year, 4)?, month, day, time)
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        [weekday, day, month, year, time, "GMT"] if is_long_weekday(weekday) => {
            (full_year(number(year, 2)?, now_ms), month, day, time)
        }
        _ => return None,
    };
    let date = Date::new(i16::try_from(year).ok()?, month_number(month)?, day_number(day)?).ok()?;
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else { return None };
    // A leap second is a legal date that the calendar has no place for; one second less is harmless in a
    // wait.
    let second = number(second, 2).filter(|second| *second <= 60)?.min(59);
    let (hour, minute) = (number(hour, 2)?, number(minute, 2)?);
    if hour > 23 || minute > 59 {
        return None;
    }
    let clock_ms = i64::from((hour * 60 + minute) * 60 + second) * 1_000;
    // Counted in days of the calendar, since an instant of jiff ends a day before the year 9999 does.
    let midnight_ms = date.duration_since(EPOCH).as_secs() * 1_000;
    Some(midnight_ms + clock_ms)
}

fn full_year(two_digits: i32, now_ms: i64) -> i32 {
    let this_year = jiff::Timestamp::from_millisecond(now_ms)
        .map_or(1970, |now| i32::from(now.to_zoned_datetime(TimeZone::UTC).year()));
    let year = this_year - this_year.rem_euclid(100) + two_digits;
    if year > this_year + TWO_DIGIT_YEAR_HORIZON_YEARS { year - 100 } else { year }
}

fn number(digits: &str, length: usize) -> Option<i32> {
    if digits.len() != length || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn day_number(day: &str) -> Option<i8> {
    let day = if day.len() == 1 { number(day, 1)? } else { number(day, 2)? };
    i8::try_from(day).ok()
}

fn month_number(name: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let index = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))?;
    i8::try_from(index + 1).ok()
}

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

// A weekday that does not fit its date is not checked: the date is what counts, and rubbish is told by its
// shape.
fn is_short_weekday(word: &str) -> bool {
    WEEKDAYS.iter().any(|day| day[..3].eq_ignore_ascii_case(word))
}

fn is_long_weekday(word: &str) -> bool {
    WEEKDAYS.iter().any(|day| day.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 1994-11-06T08:49:07Z, thirty seconds before RFC 9110's example date.
    const NOW_MS: i64 = 784_111_747_000;

    fn check(cases: &[(&str, Option<u64>)]) {
        for (value, expected) in cases {
            assert_eq!(parse(value, NOW_MS), *expected, "{value:?}");
        }
    }

    #[test]
    fn s17_seconds_are_honoured_between_floor_and_ceiling() {
        check(&[
            ("30", Some(30_000)),
            (" 30\t", Some(30_000)),
            ("0030", Some(30_000)),
            ("0", Some(FLOOR_MS)),
            ("86401", Some(CEILING_MS)),
            ("1000000000000000000000000000000", Some(CEILING_MS)),
            ("18446744073709551615", Some(CEILING_MS)),
            // In milliseconds this is just beyond 64 bits, so that wrapping would make it short.
            ("18446744073709552", Some(CEILING_MS)),
        ]);
    }

    #[test]
    fn s17_all_three_http_dates_are_honoured() {
        check(&[
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30_000)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30_000)),
            ("Sun Nov  6 08:49:37 1994", Some(30_000)),
            ("Sun, 06 Nov 1994 08:49:60 GMT", Some(52_000)),
            ("Sun, 06 Nov 1994 08:49:07 GMT", Some(FLOOR_MS)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(FLOOR_MS)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(CEILING_MS)),
        ]);
    }

    #[test]
    fn a_two_digit_year_far_ahead_belongs_to_the_past_century() {
        let in_2026 = 1_795_000_000_000;
        assert_eq!(parse("Sunday, 06-Nov-94 08:49:37 GMT", in_2026), Some(FLOOR_MS));
        assert_eq!(parse("Sunday, 06-Nov-70 08:49:37 GMT", in_2026), Some(CEILING_MS));
    }

    #[test]
    fn s17_rubbish_falls_back_to_the_schedule() {
        check(&[
            ("", None),
            ("inf", None),
            ("NaN", None),
            ("soon", None),
            ("-5", None),
            ("+5", None),
            ("1.5", None),
            ("1e3", None),
            ("٣", None),
            ("Sun, 06 Nov 1994 08:49:37", None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 31 Feb 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 24:00:00 GMT", None),
            ("Sun, 06 Nov 94 08:49:37 GMT", None),
            ("1994-11-06T08:49:37Z", None),
        ]);
    }

    proptest! {
        #[test]
        fn no_value_at_any_time_leaves_the_bounds(value in "\\PC{0,40}|[0-9]{1,60}", now_ms: i64) {
            if let Some(wait_ms) = parse(&value, now_ms) {
                prop_assert!((FLOOR_MS..=CEILING_MS).contains(&wait_ms));
            }
        }

        #[test]
        fn no_date_at_any_time_leaves_the_bounds(now_ms: i64, day in 0_u32..40, year in 0_u32..10_000) {
            let short_year = year % 100;
            for value in [
                format!("Sun, {day:02} Nov {year:04} 08:49:37 GMT"),
                format!("Sunday, {day:02}-Nov-{short_year:02} 08:49:37 GMT"),
            ] {
                if let Some(wait_ms) = parse(&value, now_ms) {
                    prop_assert!((FLOOR_MS..=CEILING_MS).contains(&wait_ms));
                }
            }
        }
    }
}
