//! `Retry-After`: a wait between the floor and the ceiling, or rubbish.

use onceward::connectors::retry_after::{CEILING_MS, FLOOR_MS, parse};

/// The first line is the present in Unix milliseconds, the rest is the header's value. Every wait lies between floor and
/// ceiling, seconds are what they say at any time, white space around them does not count, and a moment that comes nearer is
/// waited for less.
///
/// # Panics
/// Where that does not hold.
pub fn check(bytes: &[u8]) {
    let Some((now_ms, value)) = std::str::from_utf8(bytes).ok().and_then(|text| text.split_once('\n')) else {
        return;
    };
    let Ok(now_ms) = now_ms.parse::<i64>() else { return };
    let wait_ms = parse(value, now_ms);
    assert!(wait_ms.is_none_or(|ms| (FLOOR_MS..=CEILING_MS).contains(&ms)), "{wait_ms:?} for {value:?}");
    assert_eq!(parse(&format!(" \t{value}\t "), now_ms), wait_ms, "white space counts around {value:?}");

    let bare = value.trim_matches([' ', '\t']);
    let is_number = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
    let later_ms = now_ms.saturating_add(1_000);
    if is_number {
        let asked_ms = bare.parse().map_or(u64::MAX, |seconds: u64| seconds.saturating_mul(1_000));
        assert_eq!(wait_ms, Some(asked_ms.clamp(FLOOR_MS, CEILING_MS)), "{value:?}");
        assert_eq!(parse(value, later_ms), wait_ms, "{value:?} is no moment");
    } else if has_whole_year(bare) {
        assert_eq!(wait_ms.is_some(), parse(value, later_ms).is_some(), "{value:?} is a date at any time");
        assert!(parse(value, later_ms) <= wait_ms, "{value:?} comes nearer");
    }
}

/// A year of two digits is read by the present, and moves by a century when that comes.
fn has_whole_year(value: &str) -> bool {
    value.split([' ', ',', '-']).any(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
}
