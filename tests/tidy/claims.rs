//! Tests are claims, and each of them runs.

use crate::lexer::leading_name;
use crate::lexer::lex;
use crate::lexer::line_of;
use crate::lexer::places_of;
use crate::source::Violation;
use crate::source::check_rust;
use crate::source::violation;

/// Each attribute of the code: where it starts, and what stands between its brackets.
fn attributes(code: &str) -> Vec<(usize, &str)> {
    let inside = |(at, mark): (usize, &str)| {
        let body = &code[at + mark.len()..];
        let mut depth = 1_u32;
        let end = body.char_indices().find_map(|(at, character)| {
            match character {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        });
        (at, &body[..end.unwrap_or(body.len())])
    };
    code.match_indices("#[").map(inside).collect()
}

/// Whether the attribute makes a test: `test`, `tokio::test`, either with arguments.
fn makes_a_test(attribute: &str) -> bool {
    let path = attribute.split('(').next().unwrap_or_default().trim();
    path.rsplit("::").next() == Some("test")
}

/// The tests of this code, by name, and where the attribute stands that makes one of each.
pub(crate) fn tests_of(code: &str) -> Vec<(usize, &str)> {
    let named = |(at, attribute): (usize, &str)| {
        let rest = &code[at..];
        let function = places_of(rest, "fn").next().filter(|_| makes_a_test(attribute))?;
        Some((at, leading_name(rest[function + "fn".len()..].trim_start())))
    };
    attributes(code).into_iter().filter_map(named).collect()
}

fn prefixed_tests(path: &str, text: &str) -> Vec<Violation> {
    let code = lex(text).code;
    let found = tests_of(&code).into_iter().filter(|(_, name)| name.starts_with("test_"));
    let told = |(at, name)| {
        let what = format!("`{name}` has the prefix `test_`; name the claim that the test proves");
        violation(path, line_of(&code, at), what)
    };
    found.map(told).collect()
}

fn ignored_tests(path: &str, text: &str) -> Vec<Violation> {
    let code = lex(text).code;
    let ignores = |attribute: &str| {
        let first = leading_name(attribute.trim_start());
        first == "ignore" || (first == "cfg_attr" && places_of(attribute, "ignore").next().is_some())
    };
    let found = attributes(&code).into_iter().filter(|(_, attribute)| ignores(attribute));
    let what = "a test that is ignored proves nothing and looks as if it did; run it, or remove it";
    found.map(|(at, _)| violation(path, line_of(&code, at), what)).collect()
}

#[test]
fn tests_are_named_as_claims() {
    check_rust("", prefixed_tests);
}

#[test]
fn no_test_is_ignored() {
    check_rust("", ignored_tests);
}

#[cfg(test)]
mod tests {
    use super::ignored_tests;
    use super::prefixed_tests;

    #[test]
    fn a_prefixed_name_is_seen() {
        for (text, count) in [
            ("#[test]\nfn test_claim() {}", 1),
            ("#[tokio::test(flavor = \"multi_thread\")]\nasync fn test_claim() {}", 1),
            ("#[test]\n#[should_panic]\nfn test_claim() {}", 1),
            ("#[test]\nfn a_claim_holds() {}\nfn test_host() {}", 0),
            ("fn test_host() {}", 0),
            ("// #[test]\nfn test_host() {}", 0),
        ] {
            assert_eq!(prefixed_tests("a.rs", text).len(), count, "{text}");
        }
    }

    #[test]
    fn an_ignored_test_is_seen() {
        for (text, count) in [
            ("#[ignore]\n#[test]\nfn a() {}", 1),
            ("#[ignore = \"slow\"]", 1),
            ("#[cfg_attr(not(unix), ignore)]", 1),
            ("#[serde(ignore)]\n#[cfg(test)]", 0),
            ("// #[ignore]\nlet a = \"#[ignore]\";", 0),
        ] {
            assert_eq!(ignored_tests("a.rs", text).len(), count, "{text}");
        }
    }
}
