//! The tests' guests: each is built, and each is run by a test.

use crate::lexer::lex;
use crate::source::Violation;
use crate::source::none_of;
use crate::source::rust_files;
use crate::source::text_of;
use crate::source::violation;

const EXAMPLES: &str = "tests/guests/examples";
/// Steps with a planted mistake. Their components' names say so, and their files' names need not.
const BAD: &str = "tests/guests/bad";
const MANIFEST: &str = "tests/guests/Cargo.toml";
const TESTS: &str = "tests/it";

/// What is missing around this guest. `tests` is the tests' code, without comments.
fn neglected(path: &str, manifest: &str, tests: &str) -> Vec<Violation> {
    let file = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
    let name = if path.starts_with(BAD) { format!("bad_{file}") } else { file.to_owned() };
    let mut found = Vec::new();
    let entry = format!("name = \"{name}\"");
    if !manifest.lines().any(|line| line.trim() == entry) {
        found.push(violation(path, 1, format!("{MANIFEST} has no [[example]] for it, so it is never built")));
    }
    // In quotes, since a word such as `conflicts` stands in many a sentence and many a name.
    if !tests.contains(&format!("\"{name}\"")) && !tests.contains(&format!("\"{name}.wasm\"")) {
        let what = format!("no test below {TESTS} names it, as \"{name}\", so what it does is not proved");
        found.push(violation(path, 1, what));
    }
    found
}

#[test]
fn every_guest_is_built_and_run_by_a_test() {
    let manifest = text_of(MANIFEST).expect("the guests are a package");
    let tests: Vec<_> = rust_files(TESTS).iter().map(|source| lex(&source.text).uncommented).collect();
    let tests = tests.join("\n");
    let mut violations = Vec::new();
    for folder in [EXAMPLES, BAD] {
        let guests = rust_files(folder);
        assert!(!guests.is_empty(), "the rule looks in the wrong place: {folder}");
        violations.extend(guests.iter().flat_map(|guest| neglected(&guest.path, &manifest, &tests)));
    }
    none_of(&violations);
}

#[cfg(test)]
mod tests {
    use super::neglected;

    #[test]
    fn a_guest_that_is_not_built_or_not_run_is_seen() {
        let (path, entry) = ("tests/guests/examples/echo.rs", "[[example]]\nname = \"echo\"\n");
        for (manifest, tests, count) in [
            (entry, "run(\"echo\")", 0),
            (entry, "load(\"echo.wasm\")", 0),
            (entry, "run(\"echo_twice\"); fn echo() {}", 1),
            ("[[example]]\nname = \"echoes\"", "run(\"echo\")", 1),
            ("", "", 2),
        ] {
            assert_eq!(neglected(path, manifest, tests).len(), count, "{manifest} {tests}");
        }
        let bad = neglected("tests/guests/bad/echo.rs", "name = \"bad_echo\"", "run(\"bad_echo\")");
        assert_eq!(bad, []);
    }
}
