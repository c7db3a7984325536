//! What the test runners say about their own runs.
//!
//! Owns the reading of their closing lines, and invents nothing: a run that does not say how it ended is unknown, and
//! unknown is an error for whoever asks.

use std::fmt;
use std::ops::AddAssign;

/// Tests, counted by the runner that ran them. Written as the line that CI reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that did not pass, for whatever reason.
    pub(crate) failed: u64,
}

impl AddAssign for Summary {
    fn add_assign(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// What nextest's closing line says: `Summary [ 1.2s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 3 skipped`.
pub(crate) fn of_nextest(line: &str) -> Option<Summary> {
    let line = plain(line);
    let (_, counts) = line.trim_start().strip_prefix("Summary [")?.split_once(" run: ")?;
    let mut summary = Summary::default();
    // What stands in parentheses says more about a number before it, and is none of its own.
    for count in outside_parentheses(counts).split(',') {
        let (number, what) = count.trim().split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match what.trim() {
            "passed" => summary.passed += number,
            "skipped" => {}
            // Failed, timed out, exec failed, and whatever else is not a pass.
            _ => summary.failed += number,
        }
    }
    Some(summary)
}

/// What one closing line of the standard test runner says: `test result: ok. 3 passed; 0 failed; ...`.
pub(crate) fn of_libtest(line: &str) -> Option<Summary> {
    let line = plain(line);
    let (_, counts) = line.trim_start().strip_prefix("test result: ")?.split_once(". ")?;
    let number =
        |what: &str| counts.split(';').find_map(|count| count.trim().strip_suffix(what)?.trim().parse().ok());
    Some(Summary { passed: number(" passed")?, failed: number(" failed")? })
}

/// What one closing line of Node.js's test runner says: `ℹ pass 3`, or `# fail 1` where it writes TAP. It has a line for each
/// number.
pub(crate) fn of_node(line: &str) -> Option<Summary> {
    let line = plain(line);
    let count = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "))?;
    let (what, number) = count.trim_end().split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    match what {
        "pass" => Some(Summary { passed: number, failed: 0 }),
        "fail" | "cancelled" => Some(Summary { passed: 0, failed: number }),
        _ => None,
    }
}

fn outside_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    let outside = |character: &char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(outside).collect()
}

/// The line without colours: an escape sequence starts with ESC and ends with a letter.
fn plain(line: &str) -> String {
    let mut escaped = false;
    let keep = |character: &char| {
        if escaped {
            escaped = !character.is_ascii_alphabetic();
            return false;
        }
        escaped = *character == '\u{1b}';
        !escaped
    };
    line.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::Summary;
    use super::of_libtest;
    use super::of_nextest;
    use super::of_node;

    fn counted(passed: u64, failed: u64) -> Option<Summary> {
        Some(Summary { passed, failed })
    }

    #[test]
    fn nextest_is_taken_at_its_word() {
        for (line, expected) in [
            ("     Summary [   0.006s] 3 tests run: 3 passed, 0 skipped", counted(3, 0)),
            ("     Summary [   0.006s] 1 test run: 1 passed, 0 skipped", counted(1, 0)),
            (
                "     Summary [   9.006s] 2/9 tests run: 1 passed (1 slow, 1 leaky), 1 failed, 0 skipped",
                counted(1, 1),
            ),
            (
                "     Summary [ 1.0s] 4 tests run: 1 passed, 1 failed, 1 exec failed, 1 timed out, 0 skipped",
                counted(1, 3),
            ),
            (
                "\u{1b}[32;1m     Summary\u{1b}[0m [ 1.0s] \u{1b}[1m2\u{1b}[0m tests run: \u{1b}[1m2\u{1b}[0m passed, 0 skipped",
                counted(2, 0),
            ),
            ("     Summary [   0.006s] no tests run", None),
            ("a test that prints Summary [ 1s] 3 tests run: 3 passed", None),
        ] {
            assert_eq!(of_nextest(line), expected, "{line}");
        }
    }

    #[test]
    fn the_standard_runner_is_taken_at_its_word() {
        for (line, expected) in [
            (
                "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s",
                counted(3, 0),
            ),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", counted(3, 2)),
            ("test result: ok", None),
            ("3 passed; 0 failed", None),
        ] {
            assert_eq!(of_libtest(line), expected, "{line}");
        }
    }

    #[test]
    fn the_runner_of_node_is_taken_at_its_word() {
        for (line, expected) in [
            ("ℹ pass 70", counted(70, 0)),
            ("# fail 2", counted(0, 2)),
            ("\u{1b}[34mℹ cancelled 1\u{1b}[39m", counted(0, 1)),
            ("ℹ tests 70", None),
            ("ℹ skipped 1", None),
            ("ℹ duration_ms 78.1", None),
            ("# pass the salt", None),
            ("  ✔ a test that says pass 3", None),
        ] {
            assert_eq!(of_node(line), expected, "{line}");
        }
    }

    #[test]
    fn the_closing_line_is_the_one_that_ci_reads() {
        let mut total = Summary { passed: 2, failed: 0 };
        total += Summary { passed: 3, failed: 1 };
        assert_eq!(total.to_string(), "5 passed, 1 failed");
    }
}
