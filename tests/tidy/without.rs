//! What a room must do without, though the order of the rooms would allow it.
//!
//! Each absence is a promise that a reader may rely on. Rooms without input and output read no clock and no file; their
//! tests may.

use crate::layers::HOST;
use crate::layers::edges;
use crate::layers::room_of;
use crate::lexer::leading_name;
use crate::lexer::lex;
use crate::lexer::line_of;
use crate::lexer::places_of;
use crate::lexer::without_tests;
use crate::source::Violation;
use crate::source::check_rust;
use crate::source::text_of;
use crate::source::violation;

struct Absence {
    rooms: &'static [&'static str],
    never: &'static [&'static str],
    why: &'static str,
}

const ABSENCES: [Absence; 5] = [
    Absence {
        rooms: &["runtime"],
        never: &["connectors"],
        why: "a step writes what it wants sent into the outbox; only a delivery sends",
    },
    Absence {
        rooms: &["connectors", "models"],
        never: &["store"],
        why: "what is outside learns a request and gives an answer; who calls it records both",
    },
    Absence {
        rooms: &["store"],
        never: &["connectors", "models", "runtime", "dispatch"],
        why: "the store never calls out, so that no transaction is open over a remote call",
    },
    Absence {
        rooms: &["identity", "contract"],
        never: &["clock"],
        why: "the same event must have the same identity whenever it is asked for",
    },
    Absence {
        rooms: &["inbound"],
        never: &["clock"],
        why: "the present that a signature is held against is its caller's, so that a test can set it",
    },
];

/// The rooms that only compute.
const PURE_ROOMS: [&str; 3] = ["identity", "contract", "inbound"];

/// Modules of std that reach the outside.
const STD_OUTSIDE: [&str; 5] = ["fs", "net", "process", "env", "thread"];

/// Names that mean a clock or a runtime, whichever path they come by.
const CLOCKS: [&str; 5] = ["tokio", "SystemTime", "Instant", "Timestamp::now", "Zoned::now"];

/// Edges that are forbidden by name.
fn forbidden_edges(path: &str, text: &str) -> Vec<Violation> {
    let Some(room) = room_of(path) else { return Vec::new() };
    let edges = edges(path, &lex(text).code);
    let mut found = Vec::new();
    for absence in ABSENCES.iter().filter(|absence| absence.rooms.contains(&room)) {
        for (line, name) in edges.iter().filter(|(_, name)| absence.never.contains(&name.as_str())) {
            found.push(violation(path, *line, format!("{room} -> {name} is forbidden: {}", absence.why)));
        }
    }
    found
}

/// Clocks, files and runtimes in a room that only computes.
fn impurities(path: &str, text: &str) -> Vec<Violation> {
    let Some(room) = room_of(path).filter(|room| PURE_ROOMS.contains(room)) else { return Vec::new() };
    let code = without_tests(&lex(text).code);
    let mut found = Vec::new();
    let mut refuse = |at: usize, what: &str| {
        let what = format!(
            "{room} only computes and has no input or output, and `{what}` is one; take it as a value"
        );
        found.push(violation(path, line_of(&code, at), what));
    };
    for name in CLOCKS {
        places_of(&code, name).for_each(|at| refuse(at, name));
    }
    for at in places_of(&code, "std") {
        let Some(rest) = code[at + "std".len()..].strip_prefix("::") else { continue };
        for module in modules(rest).filter(|module| STD_OUTSIDE.contains(module)) {
            refuse(at, &format!("std::{module}"));
        }
    }
    found
}

/// The module that a path goes on with, or all of a group's.
fn modules(rest: &str) -> impl Iterator<Item = &str> {
    let group = rest.strip_prefix('{').and_then(|group| group.split(['}', ';']).next());
    group.unwrap_or(leading_name(rest)).split(',').map(|part| leading_name(part.trim_start()))
}

/// Whether the file is compiled for tests alone, as the module above it says.
fn is_for_tests(path: &str) -> bool {
    let Some((dir, file)) = path.rsplit_once('/') else { return false };
    let name = file.trim_end_matches(".rs");
    let parents = [format!("{dir}/mod.rs"), format!("{dir}.rs")];
    let parent = parents.iter().find_map(|parent| text_of(parent)).unwrap_or_default();
    declares(&lex(&parent).code, name) && !declares(&without_tests(&lex(&parent).code), name)
}

fn declares(code: &str, name: &str) -> bool {
    places_of(code, &format!("mod {name}")).next().is_some()
}

#[test]
fn no_room_takes_a_forbidden_edge() {
    check_rust(HOST, forbidden_edges);
}

#[test]
fn identity_contract_and_inbound_only_compute() {
    check_rust(HOST, |path, text| if is_for_tests(path) { Vec::new() } else { impurities(path, text) });
}

#[cfg(test)]
mod tests {
    use super::forbidden_edges;
    use super::impurities;

    #[test]
    fn a_forbidden_edge_is_seen() {
        for (path, text, count) in [
            ("host/src/runtime/run.rs", "use crate::connectors::Connector;", 1),
            ("host/src/runtime/run.rs", "use crate::models::Model;", 0),
            ("host/src/models/http.rs", "use crate::store::Store;", 1),
            ("host/src/connectors/http.rs", "use crate::store::Store;", 1),
            ("host/src/store/mod.rs", "use crate::dispatch::step;\nuse crate::runtime::Engine;", 2),
            ("host/src/identity/time.rs", "use crate::clock::Clock;", 1),
        ] {
            assert_eq!(forbidden_edges(path, text).len(), count, "{path}: {text}");
        }
    }

    #[test]
    fn a_clock_or_a_file_in_a_room_that_only_computes_is_seen() {
        for (path, text, count) in [
            ("host/src/identity/time.rs", "use std::fs;", 1),
            ("host/src/identity/time.rs", "use std::{fmt, net::IpAddr};", 1),
            ("host/src/identity/time.rs", "use std::time::Duration;\nuse std::collections::BTreeMap;", 0),
            ("host/src/contract/window.rs", "let now = std::time::SystemTime::now();", 1),
            ("host/src/contract/window.rs", "tokio::spawn(a)", 1),
            ("host/src/identity/time.rs", "jiff::Timestamp::now()", 1),
            ("host/src/identity/time.rs", "#[cfg(test)]\nmod tests { use std::fs; }", 0),
            ("host/src/store/mod.rs", "use std::fs;", 0),
        ] {
            assert_eq!(impurities(path, text).len(), count, "{path}: {text}");
        }
    }
}
