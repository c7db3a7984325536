//! The checkout's files, and what can be wrong with one.
//!
//! Owns which files the rules see: all text files but what cargo, git and editors keep for themselves. It fails with the
//! path that it could not read.

use std::fmt;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

/// What holds nothing of ours. In a linked worktree `.git` is a file.
const FOREIGN: [&str; 8] =
    ["generated", "target", ".git", ".idea", ".vscode", "node_modules", ".venv", "__pycache__"];

/// A text file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Below the checkout's root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// What is wrong, where, and why it matters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A violation, for short.
pub(crate) fn violation(path: &str, line: usize, what: impl Into<String>) -> Violation {
    Violation { path: path.to_owned(), line, what: what.into() }
}

/// Fail with all violations, if there are any.
#[track_caller]
pub(crate) fn none_of(violations: &[Violation]) {
    let told: Vec<_> = violations.iter().map(|violation| format!("  {violation}")).collect();
    assert!(told.is_empty(), "{} violation(s):\n{}", told.len(), told.join("\n"));
}

/// What one rule finds in all Rust files below a directory.
pub(crate) fn check_rust(below: &str, rule: impl Fn(&str, &str) -> Vec<Violation>) {
    let sources = rust_files(below);
    assert!(!sources.is_empty(), "there is no Rust file below {below:?}: the rule looks in the wrong place");
    let violations: Vec<_> = sources.iter().flat_map(|source| rule(&source.path, &source.text)).collect();
    none_of(&violations);
}

/// The Rust files below a directory, `""` for all.
pub(crate) fn rust_files(below: &str) -> Vec<Source> {
    files(below).into_iter().filter(|source| source.path.ends_with(".rs")).collect()
}

/// The text files below a directory, sorted by path.
pub(crate) fn files(below: &str) -> Vec<Source> {
    let root = root();
    let mut sources = Vec::new();
    let mut dirs = vec![root.join(below)];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).unwrap_or_else(|error| panic!("listing {}: {error}", dir.display())) {
            let entry = entry.unwrap_or_else(|error| panic!("listing {}: {error}", dir.display()));
            let (path, name) = (entry.path(), entry.file_name());
            let kind =
                entry.file_type().unwrap_or_else(|error| panic!("looking at {}: {error}", path.display()));
            if FOREIGN.iter().any(|foreign| name == *foreign) {
                continue;
            }
            if kind.is_dir() {
                dirs.push(path);
            } else if kind.is_file() {
                sources.extend(source(&root, &path));
            }
        }
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources
}

/// The text of one file, where there is such a file.
pub(crate) fn text_of(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// A file as text; none where it is not text.
fn source(root: &Path, path: &Path) -> Option<Source> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("reading {}: {error}", path.display()));
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    let path = path.strip_prefix(root).expect("the walk starts at the root");
    Some(Source { path: path.to_string_lossy().replace('\\', "/"), text })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are a package in a workspace").to_owned()
}
