//! `fuzz`: libFuzzer on each target for a fixed time, guided by what an input reaches in the host.
//!
//! Owns how the targets are built and run, and what is told of each. Only the workspace's own packages are instrumented, with
//! flags that a stable compiler takes, so that the wasm compiler is not built once more. What an input has found stays in the
//! target directory for the next run. It fails where a target does, and names the input to run it again with.
#![expect(clippy::print_stdout, reason = "what became of each target is this program's output")]

use crate::command;
use crate::command::Stream;
use crate::guests;
use crate::paths::Paths;
use crate::test::SELECTION;
use anyhow::Context;
use anyhow::bail;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::ExitCode;

/// The targets: the programs of the package `onceward-fuzz`.
pub(crate) const TARGETS: [&str; 5] =
    ["canonical_json", "retry_after", "signature_headers", "configuration", "component_bytes"];

/// The target that mutates a real step.
const OF_COMPONENTS: &str = "component_bytes";

/// The step that it begins with: the smallest one, since each mutation of it is compiled.
const STEP: &str = "echo.wasm";

/// How long one input may take, in seconds. A contract is read within two.
const INPUT_LIMIT_S: u64 = 30;

/// What the process may hold, in MiB: the engine reserves its memories anew for each input.
const MEMORY_LIMIT_MB: u64 = 4_096;

/// Run the targets, all or one, each for so many seconds.
pub(crate) fn run(paths: &Paths, target: Option<&str>, seconds: u64) -> anyhow::Result<ExitCode> {
    let targets: Vec<&str> =
        TARGETS.into_iter().filter(|name| target.is_none_or(|one| one == *name)).collect();
    if targets.is_empty() {
        bail!(
            "choosing a target: there is no {:?}; take one of {}",
            target.unwrap_or_default(),
            TARGETS.join(", ")
        );
    }
    if targets.contains(&OF_COMPONENTS) {
        guests::build(paths)?;
    }
    build(paths, &targets)?;
    let mut failures = Vec::new();
    for target in targets {
        let ran = Fuzzing::of(paths, target)?.run(seconds)?;
        println!("{target}: {ran}");
        if let Some(input) = ran.failed_on {
            failures.push(format!("{} {}", paths.program(target).display(), input.display()));
        }
    }
    for failure in &failures {
        eprintln!("fuzz: run it again with `{failure}`; once it is mended, keep the input in fuzz/seeds");
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(paths: &Paths, targets: &[&str]) -> anyhow::Result<()> {
    eprintln!("fuzz: building the host once more, instrumented; its dependencies stay as they are");
    let mut cargo = command::cargo(paths);
    cargo.env("RUSTC_WORKSPACE_WRAPPER", paths.root.join("fuzz/instrument.sh"));
    cargo.arg("build").args(SELECTION).args(["--features", "onceward-fuzz/libfuzzer"]);
    for target in targets {
        cargo.args(["--bin", target]);
    }
    command::run(&mut cargo)
}

/// A target with its places.
struct Fuzzing {
    program: PathBuf,
    seeds: PathBuf,
    corpus: PathBuf,
    failures: PathBuf,
}

impl Fuzzing {
    fn of(paths: &Paths, target: &str) -> anyhow::Result<Self> {
        let dir = paths.target.join("fuzz").join(target);
        let (corpus, failures) = (dir.join("corpus"), dir.join("failures"));
        for dir in [&corpus, &failures] {
            std::fs::create_dir_all(dir).with_context(|| format!("making {}", dir.display()))?;
        }
        if target == OF_COMPONENTS {
            let (from, to) = (paths.steps().join(STEP), corpus.join(STEP));
            std::fs::copy(&from, to).with_context(|| format!("copying the step {}", from.display()))?;
        }
        let seeds = paths.root.join("fuzz/seeds").join(target);
        Ok(Self { program: paths.program(target), seeds, corpus, failures })
    }

    fn run(&self, seconds: u64) -> anyhow::Result<Ran> {
        let mut command = Command::new(&self.program);
        command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={INPUT_LIMIT_S}"));
        command.arg(format!("-rss_limit_mb={MEMORY_LIMIT_MB}")).arg("-print_final_stats=1");
        // A folder: the names of inputs are put behind it.
        command.arg(format!("-artifact_prefix={}/", self.failures.display()));
        command.arg(&self.corpus).arg(&self.seeds);
        let mut ran = Ran { seconds, ..Ran::default() };
        let status = command::run_heard(&mut command, Stream::Error, |line| ran.hear(line))?;
        if !status.success() && ran.failed_on.is_none() {
            bail!(
                "fuzzing {}: it ended with {status} and names no input; its own words are above",
                self.program.display()
            );
        }
        Ok(ran)
    }
}

/// What a run came to, as libFuzzer tells it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ran {
    seconds: u64,
    inputs: u64,
    edges: u64,
    failed_on: Option<PathBuf>,
}

impl Ran {
    /// `#4096 pulse  cov: 573 ft: 2230 ...`, `stat::number_of_executed_units: 4096`, and where an input fails
    /// `artifact_prefix='...'; Test unit written to PATH`.
    fn hear(&mut self, line: &str) {
        if let Some((_, number)) = line.split_once("stat::number_of_executed_units:") {
            self.inputs = number.trim().parse().unwrap_or(self.inputs);
        } else if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.failed_on = Some(Path::new(path.trim()).to_owned());
        } else if line.starts_with('#')
            && let Some((_, rest)) = line.split_once(" cov: ")
        {
            let edges = rest.split(' ').next().and_then(|number| number.parse().ok());
            self.edges = edges.unwrap_or(self.edges);
        }
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{} inputs in {} s, {} edges of the host reached, ",
            self.inputs, self.seconds, self.edges
        )?;
        match &self.failed_on {
            None => write!(out, "no failure"),
            Some(input) => write!(out, "FAILED on {}", input.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ran;
    use super::TARGETS;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn a_run_is_told_by_its_last_numbers_and_its_failing_input() {
        let mut ran = Ran::default();
        for line in [
            "INFO: Seed: 1",
            "#2\tINITED cov: 573 ft: 574 corp: 1/1b exec/s: 0 rss: 60Mb",
            "#4096\tpulse  cov: 601 ft: 2230 corp: 9/90b exec/s: 1000 rss: 60Mb",
            "stat::number_of_executed_units: 5000",
        ] {
            ran.hear(line);
        }
        assert_eq!(ran, Ran { seconds: 0, inputs: 5_000, edges: 601, failed_on: None });
        ran.hear("artifact_prefix='/t/'; Test unit written to /t/crash-0a");
        assert_eq!(ran.failed_on.as_deref(), Some(Path::new("/t/crash-0a")));
        assert!(ran.to_string().ends_with("FAILED on /t/crash-0a"), "{ran}");
    }

    #[test]
    fn every_target_has_its_program_and_its_seeds() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
        let names = |dir: &str| -> BTreeSet<String> {
            let listed = std::fs::read_dir(fuzz.join(dir)).expect("a folder");
            let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
            listed.map(|entry| name(entry).to_string_lossy().trim_end_matches(".rs").to_owned()).collect()
        };
        let targets: BTreeSet<String> = TARGETS.into_iter().map(str::to_owned).collect();
        assert_eq!((names("fuzz_targets"), names("seeds")), (targets.clone(), targets));
    }
}
