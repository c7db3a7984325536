//! The way of a step's author with the real program: a new step, its native test, its component, and what is told where
//! something is missing.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use support::paths;

/// How long a line may take to come: a step is built meanwhile.
const PATIENCE: Duration = Duration::from_secs(300);

fn onceward(dir: &Path, args: &[&str]) -> Output {
    let mut onceward = Command::new(paths::binary("onceward"));
    onceward.current_dir(dir).env("XDG_CACHE_HOME", kept()).args(args).output().expect("it starts")
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn refused(dir: &Path, args: &[&str], words: &[&str]) {
    let output = onceward(dir, args);
    let said = told(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

/// Where the crates that steps are made of are built once, for this test and for its next run.
fn kept() -> PathBuf {
    paths::compile_cache().with_file_name("author")
}

#[test]
fn a_new_step_passes_its_own_test_builds_is_checked_and_stands_every_fault() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = onceward(dir.path(), &["new", "lead-router"]);
    assert!(made.status.success(), "{}", told(&made));
    let step = dir.path().join("lead-router");

    let tested = Command::new("cargo")
        .current_dir(&step)
        .env("CARGO_TARGET_DIR", kept().join("native"))
        .args(["test", "--quiet"])
        .output()
        .expect("cargo starts");
    assert!(told(&tested).contains("2 passed"), "{}", told(&tested));

    // The component's crates are kept as well.
    std::fs::create_dir_all(kept().join("step")).expect("a folder");
    std::fs::create_dir_all(step.join("target")).expect("a folder");
    std::os::unix::fs::symlink(kept().join("step"), step.join("target/step")).expect("a link");
    let built = onceward(&step, &["build", "--json"]);
    assert!(built.status.success(), "{}", told(&built));
    let looked: Value = serde_json::from_slice(&built.stdout).expect("JSON");
    assert_eq!(looked["contract"]["name"], "lead-router");
    assert_eq!(looked["file"], "./lead-router.wasm");

    let checked = onceward(&step, &["check", "lead-router.wasm"]);
    let said = told(&checked);
    for words in [
        "a step that a host takes",
        "destination crm (at least blind), model classifier",
        "decisions, journal, outbox",
    ] {
        assert!(checked.status.success() && said.contains(words), "{words:?} is not in: {said}");
    }
    let verified =
        onceward(&step, &["verify", "lead-router.wasm", "--event", "event.json", "--seconds", "0"]);
    assert!(verified.status.success() && told(&verified).contains("nothing found"), "{}", told(&verified));
    develops(&step);
    runs(dir.path());
}

/// The same way in the other languages, with their own tools.
fn goes_the_whole_way(lang: &str, test: &[&str], passed: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = onceward(dir.path(), &["new", "lead-router", "--lang", lang]);
    assert!(made.status.success(), "{}", told(&made));
    let step = dir.path().join("lead-router");
    if lang == "ts" {
        let installed =
            Command::new("npm").current_dir(&step).args(["ci", "--no-audit", "--no-fund"]).output();
        assert!(installed.as_ref().is_ok_and(|it| it.status.success()), "{installed:?}");
    }
    let tested = Command::new(test[0]).current_dir(&step).args(&test[1..]).output().expect("it starts");
    assert!(tested.status.success() && told(&tested).contains(passed), "{}", told(&tested));
    let built = onceward(&step, &["build", "--json"]);
    assert!(built.status.success(), "{}", told(&built));
    let looked: Value = serde_json::from_slice(&built.stdout).expect("JSON");
    assert_eq!(looked["contract"]["name"], "lead-router");
    let developed = onceward(&step, &["dev", "--once"]);
    assert!(told(&developed).contains("note: a deal with priority "), "{}", told(&developed));
    let verified =
        onceward(&step, &["verify", "lead-router.wasm", "--event", "event.json", "--seconds", "0"]);
    assert!(verified.status.success() && told(&verified).contains("nothing found"), "{}", told(&verified));
    runs(dir.path());
}

#[test]
fn a_new_step_in_typescript_passes_its_own_test_builds_and_stands_every_fault() {
    goes_the_whole_way("ts", &["npm", "test"], "# pass 2");
}

#[test]
fn a_new_step_in_python_passes_its_own_test_builds_and_stands_every_fault() {
    goes_the_whole_way("python", &["python3", "-m", "unittest"], "Ran 2 tests");
}

/// What the packages for TypeScript and Python, and the plugins in them, claim of themselves.
#[test]
fn the_tests_of_the_packages_and_plugins_in_other_languages_pass_natively() {
    let python_path = paths::source("guest-sdk/python").into_os_string();
    for dir in ["plugins/lead-classifier-ts", "tests/guests/acts-ts"] {
        let tested =
            Command::new("npm").current_dir(paths::source(dir)).arg("test").output().expect("npm starts");
        assert!(tested.status.success() && told(&tested).contains("# fail 0"), "{dir}: {}", told(&tested));
    }
    for dir in ["plugins/lead-classifier-py", "tests/guests/acts-py"] {
        let mut python = Command::new("python3");
        python
            .current_dir(paths::source(dir))
            .env("PYTHONPATH", &python_path)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        let tested = python
            .args(["-m", "unittest", "discover", "-t", ".", "-s", "tests"])
            .output()
            .expect("python starts");
        assert!(tested.status.success() && told(&tested).contains("\nOK"), "{dir}: {}", told(&tested));
    }
}

/// The end of the way in docs/first-step.md: the step in a configuration of its own, where a repeat is one.
fn runs(dir: &Path) {
    assert!(onceward(dir, &["init"]).status.success());
    let config = std::fs::read_to_string(dir.join("onceward.toml")).expect("a configuration");
    let page = include_str!("../../../docs/first-step.md");
    let (_, rest) = page.split_once("```toml\n").expect("the page has a configuration");
    let (own, _) = rest.split_once("```").expect("it ends");
    std::fs::write(dir.join("onceward.toml"), config + own).expect("it can be written");
    for _ in 0..2 {
        let run = onceward(dir, &["run", "lead-router/event.json", "--json"]);
        assert!(run.status.success(), "{}", told(&run));
    }
    let rows: Value =
        serde_json::from_slice(&onceward(dir, &["outbox", "list", "--json"]).stdout).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    assert!(rows[0]["payload"].as_str().is_some_and(|body| body.contains("\"high\"")), "{rows}");
}

/// The lines of a running program, as they come.
struct Lines {
    lines: mpsc::Receiver<String>,
    heard: Vec<String>,
}

impl Lines {
    fn of(pipe: impl Read + Send + 'static) -> Self {
        let (line, lines) = mpsc::channel();
        std::thread::spawn(move || {
            BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|it| line.send(it))
        });
        Self { lines, heard: Vec::new() }
    }

    fn until(&mut self, words: &str) {
        while !self.heard.last().is_some_and(|last| last.contains(words)) {
            let line = self.lines.recv_timeout(PATIENCE);
            self.heard.push(line.unwrap_or_else(|_| panic!("no {words:?} in {:#?}", self.heard)));
        }
        self.heard.push(String::new());
    }
}

/// What is saved is built and run again, also where it did not compile in between; and nothing is left in the folder.
fn develops(step: &Path) {
    let mut child = Command::new(paths::binary("onceward"))
        .current_dir(step)
        .arg("dev")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut out = Lines::of(child.stdout.take().expect("piped"));
    let mut error = Lines::of(child.stderr.take().expect("piped"));
    let source = step.join("src/lib.rs");
    let text = std::fs::read_to_string(&source).expect("a source");
    let save = |text: String| std::fs::write(&source, text).expect("it can be saved");
    let rests = "watching .; Ctrl-C ends it";
    out.until("note: a deal with priority ");
    error.until(rests);
    save(text.replace("let deal = Deal", "let deal = Deel"));
    error.until("error: running `cargo build");
    error.until(rests);
    save(text.replace("a deal with priority", "one more deal, priority"));
    out.until("note: one more deal, priority ");
    error.until(rests);
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.expect("kill is there").success());
    assert!(child.wait().expect("it ends").success());
    assert!(!step.join("onceward.db").exists());
}

#[test]
fn what_can_not_be_made_built_or_checked_is_told_with_a_remedy() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(dir.path().join("there")).expect("a folder");
    std::fs::write(dir.path().join("text.wasm"), "no component").expect("a file");
    refused(
        dir.path(),
        &["new", "Lead_Router"],
        &["\"Lead_Router\"", "small letters", "such as lead-router"],
    );
    refused(dir.path(), &["new", "there"], &["it is there already", "choose another name"]);
    refused(
        dir.path(),
        &["build", "there"],
        &["there is none of Cargo.toml, package.json, pyproject.toml", "onceward new"],
    );
    refused(dir.path(), &["check", "none.wasm"], &["none.wasm", "it can't be read", "build it first"]);
    refused(
        dir.path(),
        &["check", "text.wasm"],
        &["it is no step for this host", "not a WebAssembly component"],
    );
}

#[test]
fn a_crate_that_does_not_compile_is_told_of_in_the_compilers_words() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(dir.path().join("src")).expect("a folder");
    let manifest =
        "[package]\nname = \"broken\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n";
    std::fs::write(dir.path().join("Cargo.toml"), manifest).expect("a file");
    std::fs::write(dir.path().join("src/lib.rs"), "fn broken( {}").expect("a file");
    refused(dir.path(), &["build"], &["src/lib.rs:1", "running `cargo build", "its own words are above"]);
    std::fs::write(dir.path().join("src/lib.rs"), "").expect("a file");
    refused(dir.path(), &["build"], &["it exports no onceward:step/guest"]);
}
