//! `test`: everything that can fail, run.
//!
//! Owns the order: guests, programs, documentation's examples, tests, the nodes in a real n8n. All of them run whether or not
//! one fails, and the last line on standard output is the sum of what the runners counted. Where a runner ends without a count, that line
//! is not printed: it would be a guess.
#![expect(clippy::print_stdout, reason = "the closing line is this program's output")]

use crate::command;
use crate::command::Stream;
use crate::guests;
use crate::n8n;
use crate::n8n::N8n;
use crate::paths::Paths;
use crate::summary;
use crate::summary::Summary;
use anyhow::bail;
use onceward_toolchain::program;
use std::io::IsTerminal;
use std::process::Command;
use std::process::ExitCode;

/// What cargo is told to build, always. Another selection gives shared dependencies other features, and then the wasm
/// compiler is built a second time, which takes minutes.
pub(crate) const SELECTION: [&str; 2] = ["--workspace", "--locked"];

/// Run all tests; failure where one of them failed.
pub(crate) fn run(paths: &Paths, n8n: N8n, runner_args: &[String]) -> anyhow::Result<ExitCode> {
    guests::build_all(paths)?;
    // The programs that tests run as processes; and, in the same breath, the tests.
    command::run(command::cargo(paths).arg("build").args(SELECTION).args(["--bins", "--tests"]))?;

    let mut docs = command::cargo(paths);
    docs.arg("test").args(SELECTION).args(["--doc", "--no-fail-fast"]);
    let docs = Run::libtest("the documentation's examples", docs)?;

    let mut cargo = command::cargo(paths);
    let tests = if program::on_path("cargo-nextest").is_some() {
        cargo.args(["nextest", "run"]).args(SELECTION).arg("--tests").args(runner_args);
        // Its lines come through a pipe, which it would take for a reader without colours.
        if std::io::stderr().is_terminal() {
            cargo.env("CARGO_TERM_COLOR", "always");
        }
        Run::nextest("the tests", cargo)?
    } else {
        eprintln!(
            "test: cargo-nextest is not installed, so the tests run under `cargo test`, one binary after another"
        );
        cargo.arg("test").args(SELECTION).args(["--tests", "--no-fail-fast"]).args(runner_args);
        Run::libtest("the tests", cargo)?
    };

    let mut runs = vec![docs, tests];
    match n8n::tests(paths, n8n)? {
        Some(nodes) => runs.push(Run::node("the nodes in n8n", nodes)?),
        None => eprintln!("test: the nodes are not tried in n8n, as was asked for"),
    }

    let mut total = Summary::default();
    for run in &runs {
        eprintln!("test: {}: {}", run.what, run.summary);
        total += run.summary;
    }
    println!("{total}");
    let good = runs.iter().all(|run| run.succeeded) && total.failed == 0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One runner's run.
#[derive(Debug)]
struct Run {
    what: &'static str,
    succeeded: bool,
    summary: Summary,
}

impl Run {
    /// nextest prints its one closing line on standard error.
    fn nextest(what: &'static str, command: Command) -> anyhow::Result<Self> {
        Self::heard(what, command, Stream::Error, summary::of_nextest)
    }

    /// The standard runner prints one for each binary, on standard output.
    fn libtest(what: &'static str, command: Command) -> anyhow::Result<Self> {
        Self::heard(what, command, Stream::Out, summary::of_libtest)
    }

    /// Node.js's runner prints one for each number, on standard output.
    fn node(what: &'static str, command: Command) -> anyhow::Result<Self> {
        Self::heard(what, command, Stream::Out, summary::of_node)
    }

    fn heard(
        what: &'static str,
        mut command: Command,
        stream: Stream,
        read: fn(&str) -> Option<Summary>,
    ) -> anyhow::Result<Self> {
        let mut told: Option<Summary> = None;
        let status = command::run_heard(&mut command, stream, |line| {
            if let Some(more) = read(line) {
                *told.get_or_insert_default() += more;
            }
        })?;
        let Some(summary) = told else {
            bail!(
                "running {what}: the runner ended with {status} and counted nothing; its own words are above"
            );
        };
        Ok(Self { what, succeeded: status.success(), summary })
    }
}

#[cfg(test)]
mod tests {
    use super::Run;
    use super::Summary;
    use std::process::Command;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_run_is_the_sum_of_its_closing_lines_and_its_end() {
        let line = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
        let run = Run::libtest("samples", shell(&format!("{line}; {line}; exit 101"))).expect("it counted");
        assert_eq!((run.summary, run.succeeded), (Summary { passed: 4, failed: 0 }, false));
    }

    #[test]
    fn a_run_that_counted_nothing_is_an_error_and_no_number() {
        for script in ["exit 0", "echo '3 passed, 0 failed'; exit 0", "exit 101"] {
            let told = Run::nextest("samples", shell(script)).expect_err(script).to_string();
            assert!(told.contains("counted nothing"), "{told}");
        }
    }
}
