//! Words that must not be in any file: where somebody's machine keeps things.

use crate::source::Violation;
use crate::source::files;
use crate::source::none_of;
use crate::source::violation;

/// In two parts, so that this file does not hold them itself.
const MACHINE_PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

fn machine_paths(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for word in MACHINE_PATHS.iter().filter(|word| starts_a_path(line, word)) {
            let what =
                format!("it names `{word}`, a place on somebody's machine; say it relative to the checkout");
            found.push(violation(path, at + 1, what));
        }
    }
    found
}

/// A path starts with the word; a route such as `/v1/..` has it in its middle.
fn starts_a_path(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | '-' | '.' | '}'))
    })
}

#[test]
fn no_file_names_a_place_on_somebodys_machine() {
    let sources = files("");
    assert!(sources.len() > 20, "the walk found {} files", sources.len());
    let violations: Vec<_> =
        sources.iter().flat_map(|source| machine_paths(&source.path, &source.text)).collect();
    none_of(&violations);
}

#[cfg(test)]
mod tests {
    use super::machine_paths;

    #[test]
    fn a_machine_path_is_seen_and_a_route_is_not() {
        let [first, second, third] = super::MACHINE_PATHS;
        for (text, count) in [
            (format!("see\n{first}main"), 1),
            (format!("\"{second}.cargo\" and file://{third}x"), 2),
            (format!("GET /v1{first}41, {{base}}{first}41, docs{third}x"), 0),
            ("/usr/bin/rustc, target/guests".to_owned(), 0),
        ] {
            assert_eq!(machine_paths("a.md", &text).len(), count, "{text}");
        }
    }
}
