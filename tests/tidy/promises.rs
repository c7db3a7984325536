//! The page of guarantees: each promise stands beside a test that shows it, and each test that it names is there.
//!
//! A promise is an item of a list. A test is named in backquotes as `file::name`, the file as seen from one of [`ROOTS`].

use crate::claims::tests_of;
use crate::lexer::lex;
use crate::lexer::places_of;
use crate::source::Violation;
use crate::source::none_of;
use crate::source::text_of;
use crate::source::violation;

const PAGE: &str = "docs/guarantees.md";

/// Where the files of tests are looked for, one after the other.
const ROOTS: [&str; 3] = ["tests/it/", "tests/", "host/src/"];

/// The store's cases: functions of which a macro makes tests, those that its list names.
const CASES: &str = "tests/it/conformance/";
const LIST_OF_CASES: &str = "tests/it/conformance/mod.rs";

/// Sections that promise nothing: what no test can show, what a tool of ours does, and counts.
const NO_PROMISES: [&str; 3] =
    ["What is not in the host's hands", "What `onceward verify` shows", "The last long run"];

/// An item of a list: its line, and its text up to the next item, paragraph or section.
struct Promise<'a> {
    line: usize,
    text: Vec<&'a str>,
}

impl<'a> Promise<'a> {
    /// The tests that it names, by file and name.
    fn tests(&self) -> Vec<(&'a str, &'a str)> {
        let quoted = self.text.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
        quoted
            .filter(|quoted| quoted.contains(".rs::"))
            .filter_map(|quoted| quoted.rsplit_once("::"))
            .collect()
    }
}

/// The lines of a page that promise something, numbered from 1.
fn promising(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut promises = true;
    page.lines().enumerate().filter_map(move |(at, line)| {
        if let Some(section) = line.strip_prefix("## ") {
            promises = !NO_PROMISES.contains(&section);
        }
        promises.then_some((at + 1, line))
    })
}

fn promises(page: &str) -> Vec<Promise<'_>> {
    let mut found: Vec<Promise<'_>> = Vec::new();
    let mut last = 0;
    for (at, line) in promising(page) {
        if ["- ", "* ", "+ "].iter().any(|mark| line.trim_start().starts_with(mark)) {
            found.push(Promise { line: at, text: vec![line] });
            last = at;
        } else if let Some(promise) = found.last_mut().filter(|_| line.starts_with(' ') && at == last + 1) {
            promise.text.push(line);
            last = at;
        }
    }
    found
}

/// Promises that no test stands beside, and tests that are not there. `text_of` gives the text of a file of this path.
fn empty_promises(page: &str, text_of: impl Fn(&str) -> Option<String>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (line, text) in promising(page) {
        if text.starts_with('|') {
            found.push(violation(
                PAGE,
                line,
                "a table has no place for tests; make its rows items of a list",
            ));
        }
    }
    for promise in promises(page) {
        let tests = promise.tests();
        if tests.is_empty() {
            let what = "no test shows this; name one as `file.rs::name`, or say that it is not promised";
            found.push(violation(PAGE, promise.line, what));
        }
        for (file, name) in tests {
            let there = ROOTS.iter().map(|root| format!("{root}{file}")).find(|path| text_of(path).is_some());
            let Some(path) = there else {
                found.push(violation(
                    PAGE,
                    promise.line,
                    format!("there is no file {file}, in none of {ROOTS:?}"),
                ));
                continue;
            };
            if !is_test(&path, name, &text_of) {
                found.push(violation(PAGE, promise.line, format!("{path} has no test {name}")));
            }
        }
    }
    found
}

/// Whether the file has a test of this name: a function that is marked as one, or a case that is in the list of cases.
fn is_test(path: &str, name: &str, text_of: impl Fn(&str) -> Option<String>) -> bool {
    let code = |path: &str| lex(&text_of(path).unwrap_or_default()).code;
    let has = |code: &str, text: &str| places_of(code, text).next().is_some();
    if path.starts_with(CASES) && path != LIST_OF_CASES {
        return has(&code(path), &format!("fn {name}")) && has(&code(LIST_OF_CASES), name);
    }
    tests_of(&code(path)).iter().any(|(_, test)| *test == name)
}

#[test]
fn every_promise_stands_beside_a_test_that_is_there() {
    let page = text_of(PAGE).expect("the page of guarantees is there");
    assert!(promises(&page).len() > 50, "the rule looks in the wrong place");
    none_of(&empty_promises(&page, text_of));
}

#[cfg(test)]
mod tests {
    use super::empty_promises;

    /// A small checkout.
    fn text_of(path: &str) -> Option<String> {
        let text = match path {
            "tests/it/protocol/rows.rs" => "#[tokio::test]\nasync fn a_row_goes_out() {}\nfn a_helper() {}",
            "tests/it/conformance/mod.rs" => "conformance!(work: [work_claim_inserts,]) // work_claim_gone",
            "tests/it/conformance/work.rs" => {
                "pub(super) async fn work_claim_inserts() {}\nfn work_claim_gone() {}"
            }
            "tests/model/src/checked.rs" | "host/src/identity/url.rs" => "#[test]\nfn a_form_is_normal() {}",
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn a_promise_without_a_test_and_a_test_that_is_not_there_are_seen() {
        for (page, lines) in [
            ("# A\n- It holds.\\\n  `protocol/rows.rs::a_row_goes_out`\n", &[][..]),
            (
                "- It holds.\\\n  `model/src/checked.rs::a_form_is_normal` `identity/url.rs::a_form_is_normal`",
                &[],
            ),
            ("- It holds, `conformance/work.rs::work_claim_inserts`", &[]),
            ("- It holds.\n- It holds too, `protocol/rows.rs::a_row_goes_out`\n", &[1]),
            ("- It holds.\n\n  `protocol/rows.rs::a_row_goes_out`\n", &[1]),
            ("a\n- It holds, by `a_row_goes_out` of `protocol/rows.rs`", &[2]),
            ("- It holds.\\\n  `protocol/rows.rs::a_row_goes`\n", &[1]),
            ("- It holds.\\\n  `protocol/rows.rs::a_helper`\n", &[1]),
            ("- It holds.\\\n  `protocol/gone.rs::a_row_goes_out`\n", &[1]),
            ("- It holds.\\\n  `conformance/work.rs::work_claim_gone`\n", &[1]),
            (
                "- It holds.\\\n  `protocol/rows.rs::a_row_goes_out` `protocol/rows.rs::b` `protocol/rows.rs::c`",
                &[1, 1],
            ),
            ("## The disk\n\n| promise |\n|---|\n", &[3, 4]),
            ("## The last long run\n\n| kills |\n\n- 1\n\n## The disk\n\n- It holds.\n", &[9]),
            ("It is so.\n\n## What is not in the host's hands\n\n- a disk that lies\n", &[]),
        ] {
            let seen: Vec<_> = empty_promises(page, text_of).iter().map(|violation| violation.line).collect();
            assert_eq!(seen, lines, "{page}");
        }
    }
}
