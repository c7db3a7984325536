//! SQL files and the code that includes them: none without the other.

use crate::lexer::lex;
use crate::lexer::line_of;
use crate::source::Source;
use crate::source::Violation;
use crate::source::files;
use crate::source::none_of;
use crate::source::violation;
use std::collections::BTreeSet;

/// The backend whose queries are files.
const BACKEND: &str = "host/src/store/sqlite";

/// Each `include_str!("queries/...")` of a file: its line, and the path of the query from the root.
fn included(path: &str, text: &str) -> Vec<(usize, String)> {
    let text = lex(text).uncommented;
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let query = |(at, mark): (usize, &str)| {
        let inside = text[at + mark.len()..].trim_start().strip_prefix('"')?;
        let name = inside.split('"').next()?;
        name.contains("queries/").then(|| (line_of(&text, at), from_root(dir, name)))
    };
    text.match_indices("include_str!(").filter_map(query).collect()
}

/// A path relative to a directory, from the root.
fn from_root(dir: &str, name: &str) -> String {
    let mut parts: Vec<&str> = dir.split('/').collect();
    for part in name.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// Queries that nothing includes, and inclusions of what is not there.
fn unmatched(sources: &[Source]) -> Vec<Violation> {
    let queries: BTreeSet<_> =
        sources.iter().map(|source| source.path.as_str()).filter(|path| is_query(path)).collect();
    let mut used = BTreeSet::new();
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.path.ends_with(".rs")) {
        for (line, query) in included(&source.path, &source.text) {
            if !queries.contains(query.as_str()) {
                found.push(violation(&source.path, line, format!("it includes {query}, which is not there")));
            }
            used.insert(query);
        }
    }
    let unused = queries.into_iter().filter(|query| !used.contains(*query));
    found.extend(unused.map(|query| violation(query, 1, "nothing includes it; remove it, or use it")));
    found
}

fn is_query(path: &str) -> bool {
    path.contains("/queries/") && path.ends_with(".sql")
}

#[test]
fn every_query_is_a_file_and_every_such_file_is_used() {
    let sources = files(BACKEND);
    assert!(sources.iter().any(|source| is_query(&source.path)), "the rule looks in the wrong place");
    none_of(&unmatched(&sources));
}

#[cfg(test)]
mod tests {
    use super::unmatched;
    use crate::source::Source;

    #[test]
    fn a_query_without_code_and_code_without_a_query_are_seen() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let sources = [
            source("s/queries/work_take.sql", "SELECT 1"),
            source("s/queries/work_lost.sql", "SELECT 1"),
            source(
                "s/queue.rs",
                "a(include_str!(\"queries/work_take.sql\"));\n// include_str!(\"queries/work_lost.sql\")",
            ),
            source("s/deep/queue.rs", "include_str!(\n    \"../queries/work_take.sql\"\n)"),
            source("s/ledger.rs", "\ninclude_str!(\"queries/work_gone.sql\")"),
        ];
        let told: Vec<_> = unmatched(&sources).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "s/ledger.rs:2: it includes s/queries/work_gone.sql, which is not there",
                "s/queries/work_lost.sql:1: nothing includes it; remove it, or use it",
            ]
        );
    }
}
