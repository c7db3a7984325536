//! Readable keys: what a person sees in a list of works.
//!
//! Owns their spelling, `step:v1:value:value`. They are shown and never compared, so they may be escaped and
//! cut: whatever could disturb a terminal or a page (control characters, marks that change the direction of
//! writing) is written out. It can't fail.

use std::fmt::Write as _;

/// How long a readable key gets: a line in a list, not a payload.
pub const READABLE_KEY_LIMIT_CHARACTERS: usize = 200;

/// Stands at the end of a readable key that was cut.
pub const CUT_MARK: char = '…';

/// Joins step, version and values; the result has at most [`READABLE_KEY_LIMIT_CHARACTERS`], the [`CUT_MARK`]
/// included.
pub(crate) fn readable_key(step: &str, version: u32, values: &[String]) -> String {
    let whole = format!("{step}:v{version}:{}", values.join(":"));
    let mut shown = String::new();
    let mut length = 0;
    let mut cut_at = 0;
    for character in whole.chars() {
        let before = shown.len();
        push_escaped(&mut shown, character);
        length += shown[before..].chars().count();
        if length < READABLE_KEY_LIMIT_CHARACTERS {
            cut_at = shown.len();
        } else if length > READABLE_KEY_LIMIT_CHARACTERS {
            shown.truncate(cut_at);
            shown.push(CUT_MARK);
            break;
        }
    }
    shown
}

fn push_escaped(shown: &mut String, character: char) {
    let turns =
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}');
    if character.is_control() || turns || breaks {
        let written = write!(shown, "\\u{:04x}", u32::from(character));
        debug_assert!(written.is_ok(), "writing to a string can't fail");
    } else {
        shown.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, expected: &str) {
        assert_eq!(readable_key("s", 1, &[value.to_owned()]), expected);
    }

    #[test]
    fn what_disturbs_is_written_out() {
        check("a\n\0b", "s:v1:a\\u000a\\u0000b");
        check("\u{202e}\u{9b}é", "s:v1:\\u202e\\u009bé");
    }

    #[test]
    fn a_long_key_is_cut_with_a_mark() {
        let room = READABLE_KEY_LIMIT_CHARACTERS - "s:v1:".len();
        check(&"é".repeat(room), &format!("s:v1:{}", "é".repeat(room)));
        check(&"é".repeat(room + 1), &format!("s:v1:{}…", "é".repeat(room - 1)));
        check(&"\n".repeat(room), &format!("s:v1:{}…", "\\u000a".repeat((room - 1) / 6)));
    }
}
