//! What the commands print: tables for people, JSON for programs. Data goes to standard output, the rest to standard
//! error.
//!
//! Text for people often comes from strangers (sources, keys, causes, receipts). Its control characters are shown and not
//! passed on, so that nobody's event can move a cursor, change a title or hide a line. JSON is left as it is. A reader who
//! has gone away ends the printing and nothing else: the exit code still says how the work stands. Any other failure to
//! print is an error.

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::io::{ErrorKind, Write as _};

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Print a JSON document.
pub fn json(value: &Value) -> Result<()> {
    print(serde_json::to_string_pretty(value)?)
}

/// Print a line for people.
pub fn line(text: impl AsRef<str>) -> Result<()> {
    print(shown(text.as_ref()))
}

/// Print a table with aligned columns.
pub fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> Result<()> {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| std::array::from_fn(|at| shown(row[at].as_str()))).collect();
    let mut widths = head.map(|name| name.chars().count());
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let print = |cells: [&str; N]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        line.truncate(line.trim_end().len());
        print(line)
    };
    print(head)?;
    rows.iter().try_for_each(|row| print(std::array::from_fn(|at| row[at].as_str())))
}

fn print(mut text: String) -> Result<()> {
    text.push('\n');
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => {
            written.context("printing: standard output can't be written; what was done is in the ledger")
        }
    }
}

/// Print a line about what is going on to standard error, for people who wait.
pub fn progress(text: impl AsRef<str>) {
    error_line(text);
}

/// Print an error's line to standard error. There is nobody to tell where that fails.
pub fn error_line(text: impl AsRef<str>) {
    let mut lines = text.as_ref().lines().map(shown);
    let mut all = lines.next().unwrap_or_default();
    for further in lines {
        // Set in, so that foreign text can't pass for an error of its own.
        all.push_str("\n    ");
        all.push_str(&further);
    }
    let _ = writeln!(std::io::stderr().lock(), "{all}");
}

/// The text with everything escaped that a terminal would obey instead of show.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if c.is_control() || turns_text(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Whether it changes the direction of text, so that a line reads as something else than it says, or breaks a line.
const fn turns_text(c: char) -> bool {
    matches!(
        c,
        '\u{061c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

/// A time for people: RFC 3339 in UTC.
#[must_use]
pub fn time(unix_ms: i64) -> String {
    crate::identity::time::format_ms(unix_ms)
}

/// JSON text as a value, so that it nests; text that is no JSON stays text.
#[must_use]
pub fn nested(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The longest remark in a table, in characters; `show` and `--json` have it whole.
const REMARK_MAX_CHARS: usize = 100;

/// A remark, cut to what a table's line can hold.
#[must_use]
pub fn cut(remark: &str) -> String {
    if remark.chars().count() <= REMARK_MAX_CHARS {
        return remark.to_owned();
    }
    remark.chars().take(REMARK_MAX_CHARS - 1).chain(['…']).collect()
}

/// The beginning of an id, enough to name it.
#[must_use]
pub fn short(id: impl std::fmt::Display) -> String {
    id.to_string().chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("Käse für 3 € 🧀", "Käse für 3 € 🧀");
        check("\u{1b}[2Jgone", "\\u{1b}[2Jgone");
        check("a\nb\r\tc\u{7}", "a\\nb\\r\\tc\\u{7}");
        check("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}");
        check("\u{202e}cod.exe\u{2066}", "\\u{202e}cod.exe\\u{2066}");
    }
}
