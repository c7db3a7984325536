//! Readable keys: what a person sees in a list of works.
//!
//! Owns their spelling, `step:v1:value:value`. They are shown and never compared, so they may be escaped and
//! cut: whatever could disturb a terminal or a page (control characters, marks that change the direction of
//! writing), and whatever nobody sees and so makes two keys look alike, is written out. It can't fail.

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

/// The readable key of something that has no identity of its own: where it came from, and the sender's id.
pub(crate) fn named(step: &str, version: u32, source: &str, id: Option<&str>) -> String {
    let values: Vec<String> = [Some(source), id].into_iter().flatten().map(str::to_owned).collect();
    readable_key(step, version, &values)
}

/// The same key for another step or version, as for what descends from a work: source and id stay.
///
/// ```
/// use onceward::identity::readable_key::under;
///
/// assert_eq!(under("lead:v1:web:7", "reply", 2), "reply:v2:web:7");
/// ```
#[must_use]
pub fn under(readable_key: &str, step: &str, version: u32) -> String {
    let values = readable_key.splitn(3, ':').nth(2).unwrap_or(readable_key);
    format!("{step}:v{version}:{values}")
}

fn push_escaped(shown: &mut String, character: char) {
    let code = u32::from(character);
    let written = match code {
        _ if !character.is_control() && !is_unseen(character) => {
            shown.push(character);
            return;
        }
        0..=0xffff => write!(shown, "\\u{code:04x}"),
        _ => write!(shown, "\\U{code:08x}"),
    };
    debug_assert!(written.is_ok(), "writing to a string can't fail");
}

/// Characters without a picture of their own: they turn or break the line, join or hide their neighbours.
const fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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
        check("\u{2028}\u{2066}\u{feff}", "s:v1:\\u2028\\u2066\\ufeff");
    }

    #[test]
    fn what_nobody_sees_is_written_out() {
        check("a\u{200b}b", "s:v1:a\\u200bb");
        check("\u{ad}\u{61c}\u{2060}", "s:v1:\\u00ad\\u061c\\u2060");
        check("\u{e0041}", "s:v1:\\U000e0041");
        check("日本 \u{1f600}", "s:v1:日本 \u{1f600}");
    }

    #[test]
    fn a_long_key_is_cut_with_a_mark() {
        let room = READABLE_KEY_LIMIT_CHARACTERS - "s:v1:".len();
        check(&"é".repeat(room), &format!("s:v1:{}", "é".repeat(room)));
        check(&"é".repeat(room + 1), &format!("s:v1:{}…", "é".repeat(room - 1)));
        check(&"\n".repeat(room), &format!("s:v1:{}…", "\\u000a".repeat((room - 1) / 6)));
    }
}
