//! The shape of files: how long, and what they say first.
//!
//! Functions are clippy's part (`too_many_lines`).

use crate::layers::HOST;
use crate::source::Violation;
use crate::source::check_rust;
use crate::source::rust_files;
use crate::source::violation;

/// Longer files are refused: nobody holds more of a file in mind. It may only go down.
const FILE_LIMIT_LINES: usize = 700;

/// Longer files are questioned: most hold two subjects.
const FILE_QUESTIONED_LINES: usize = 400;

fn too_long(path: &str, text: &str) -> Vec<Violation> {
    let count = text.lines().count();
    if count <= FILE_LIMIT_LINES {
        return Vec::new();
    }
    let what = format!(
        "{count} lines, and {FILE_LIMIT_LINES} is the limit; give its second subject a file of its own"
    );
    vec![violation(path, count, what)]
}

fn without_a_head(path: &str, text: &str) -> Vec<Violation> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if first.starts_with("//! ") || first.starts_with("#![doc = include_str!(") {
        return Vec::new();
    }
    vec![violation(
        path,
        1,
        "it starts without `//!`; say what the module owns, what it refuses and how it fails",
    )]
}

#[test]
fn no_file_is_longer_than_a_reader_holds_in_mind() {
    for source in rust_files("") {
        let count = source.text.lines().count();
        if (FILE_QUESTIONED_LINES + 1..=FILE_LIMIT_LINES).contains(&count) {
            eprintln!(
                "note: {} has {count} lines; over {FILE_QUESTIONED_LINES} a file is questioned",
                source.path
            );
        }
    }
    check_rust("", too_long);
}

#[test]
fn every_module_of_the_host_says_first_what_it_owns() {
    check_rust(HOST, without_a_head);
}

#[cfg(test)]
mod tests {
    use super::FILE_LIMIT_LINES;
    use super::too_long;
    use super::without_a_head;

    #[test]
    fn one_line_too_many_is_seen() {
        assert_eq!(too_long("a.rs", &"\n".repeat(FILE_LIMIT_LINES)), []);
        assert_eq!(too_long("a.rs", &"\n".repeat(FILE_LIMIT_LINES + 1)).len(), 1);
    }

    #[test]
    fn a_missing_head_is_seen() {
        for (text, count) in [
            ("//! Owns time.\nuse a;", 0),
            ("\n//! Owns time.", 0),
            ("use a;\n//! Owns time.", 1),
            ("// Owns time.", 1),
            ("//!\n", 1),
            ("", 1),
        ] {
            assert_eq!(without_a_head("a.rs", text).len(), count, "{text}");
        }
    }
}
