//! What the commands print: tables for people, JSON for programs. Data goes to standard output, the rest to standard
//! error.
#![expect(clippy::print_stdout, reason = "standard output is where the data of a command goes")]

use anyhow::Result;
use serde_json::Value;

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
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Print a line for people.
pub fn line(text: impl AsRef<str>) {
    println!("{}", text.as_ref());
}

/// Print a table with aligned columns.
pub fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) {
    let mut widths = head.map(|name| name.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let print = |cells: [&str; N]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        println!("{}", line.trim_end());
    };
    print(head);
    for row in rows {
        print(std::array::from_fn(|at| row[at].as_str()));
    }
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
