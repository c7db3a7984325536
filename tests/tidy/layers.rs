//! The order of the rooms.
//!
//! The order of the `mod` lines in `host/src/lib.rs` is the architecture: a room names itself and what is declared above
//! it. Test code keeps the rule as well, and a grouped `use` from the crate's root is refused because it hides edges.

use crate::lexer::leading_name;
use crate::lexer::lex;
use crate::lexer::line_of;
use crate::lexer::places_of;
use crate::source::Violation;
use crate::source::check_rust;
use crate::source::text_of;
use crate::source::violation;

/// The host's source.
pub(crate) const HOST: &str = "host/src";

const MAP: &str = "host/src/lib.rs";

/// The room of a file below the host's source; none for the two roots.
pub(crate) fn room_of(path: &str) -> Option<&str> {
    let below = path.strip_prefix(HOST)?.strip_prefix('/')?;
    let room = leading_name(below);
    (!matches!(below, "lib.rs" | "main.rs") && !room.is_empty()).then_some(room)
}

/// The rooms in the order in which the map declares them.
fn rooms_in(map: &str) -> Vec<String> {
    let code = lex(map).code;
    let room = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.trim().to_owned())
    };
    code.lines().filter_map(room).collect()
}

/// Each `crate::<name>` in a file's code, and in a room's first file each `super::<name>`, with its line.
pub(crate) fn edges(path: &str, code: &str) -> Vec<(usize, String)> {
    let is_first = room_of(path)
        .is_some_and(|room| path == format!("{HOST}/{room}.rs") || path == format!("{HOST}/{room}/mod.rs"));
    let mut edges = Vec::new();
    for root in if is_first { &["crate", "super"][..] } else { &["crate"][..] } {
        for at in places_of(code, root) {
            let Some(rest) = code[at + root.len()..].strip_prefix("::") else { continue };
            let name = leading_name(rest);
            // A macro stands at the crate's root wherever it is written.
            let is_macro = rest[name.len()..].starts_with('!');
            if !name.is_empty() && !is_macro {
                edges.push((line_of(code, at), name.to_owned()));
            }
        }
    }
    edges
}

/// Edges that point down the map, or nowhere.
fn out_of_order(rooms: &[String], path: &str, text: &str) -> Vec<Violation> {
    let Some(room) = room_of(path) else { return Vec::new() };
    let place = |name: &str| rooms.iter().position(|known| known == name);
    let Some(own) = place(room) else {
        return vec![violation(
            path,
            1,
            format!("`{room}` is not declared in {MAP}, so nothing compiles this file"),
        )];
    };
    let mut found = Vec::new();
    for (line, name) in edges(path, &lex(text).code) {
        match place(&name) {
            Some(at) if at > own => found.push(violation(
                path,
                line,
                format!("{room} -> {name}: {MAP} declares `{name}` below `{room}`, and a room uses only what is above it"),
            )),
            // In a room's first file `super` may also stand in an inline module, and mean the file.
            None if text_names_crate(text, line) => found.push(violation(
                path,
                line,
                format!("{room} -> {name}: {MAP} declares no `{name}`; name the room that owns it"),
            )),
            _ => {}
        }
    }
    found
}

fn text_names_crate(text: &str, line: usize) -> bool {
    text.lines().nth(line - 1).is_some_and(|line| line.contains("crate::"))
}

/// Uses that would hide an edge from the rule above.
fn grouped_uses(path: &str, text: &str) -> Vec<Violation> {
    let code = lex(text).code;
    let grouped = |at: &usize| {
        let rest = code[at + "crate".len()..].trim_start();
        rest.strip_prefix("::").is_some_and(|rest| rest.trim_start().starts_with(['{', '*']))
    };
    let what = "a grouped `use` from the crate's root hides which rooms are used; write one `use crate::<room>::...` a line";
    places_of(&code, "crate").filter(grouped).map(|at| violation(path, line_of(&code, at), what)).collect()
}

#[test]
fn a_room_uses_only_what_is_declared_above_it() {
    let rooms = rooms_in(&text_of(MAP).expect("the host has a map"));
    assert!(rooms.len() > 5, "the map was not understood: {rooms:?}");
    check_rust(HOST, |path, text| out_of_order(&rooms, path, text));
}

#[test]
fn no_use_from_the_crates_root_is_grouped() {
    check_rust("", grouped_uses);
}

#[cfg(test)]
mod tests {
    use super::grouped_uses;
    use super::out_of_order;
    use super::rooms_in;

    const MAP: &str =
        "//! mod none;\npub mod clock;\n// mod ghost;\nmod store;\npub(crate) mod runtime;\npub mod cli;\n";

    #[test]
    fn the_map_is_read_in_order_and_without_comments() {
        assert_eq!(rooms_in(MAP), ["clock", "store", "runtime", "cli"]);
    }

    #[test]
    fn an_edge_down_the_map_is_seen() {
        let rooms = rooms_in(MAP);
        for (path, text, lines) in [
            ("host/src/store/row.rs", "use crate::clock::Clock;\nuse crate::store::row;", &[][..]),
            ("host/src/store/row.rs", "use crate::clock::Clock;\nuse crate::runtime::Engine;", &[2]),
            ("host/src/store/row.rs", "// crate::cli\n/// [`crate::cli`]\nlet a = \"crate::cli\";", &[]),
            ("host/src/store/row.rs", "fn a(b: crate::cli::Config) {}", &[1]),
            ("host/src/store/row.rs", "use crate::missing::Thing;\ncrate::shout!(1);", &[1]),
            ("host/src/clock.rs", "use super::store::Row;\nmod tests { use super::Clock; }", &[1]),
            ("host/src/store/mod.rs", "pub(crate) fn a() {}\nuse super::cli;", &[2]),
            ("host/src/verify/mod.rs", "", &[1]),
            ("host/src/lib.rs", "use crate::cli::run;", &[]),
        ] {
            let found = out_of_order(&rooms, path, text);
            assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), lines, "{path}: {text}");
        }
        let told = out_of_order(&rooms, "host/src/store/row.rs", "use crate::runtime::Engine;");
        assert!(
            told[0].to_string().starts_with("host/src/store/row.rs:1: store -> runtime: "),
            "{}",
            told[0]
        );
    }

    #[test]
    fn a_grouped_use_is_seen() {
        for (text, count) in [
            ("use crate::{a, b};", 1),
            ("use crate::*;", 1),
            ("use crate::\n    {a};", 1),
            ("use crate::a::{b, c};", 0),
            ("// use crate::{a, b};", 0),
        ] {
            assert_eq!(grouped_uses("a.rs", text).len(), count, "{text}");
        }
    }
}
