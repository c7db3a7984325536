//! Who may name which crate.
//!
//! Each heavy dependency has one home, so that it can be replaced there. The host's rooms are meant; the other packages
//! say with their manifests what they use.

use crate::layers::HOST;
use crate::layers::room_of;
use crate::lexer::lex;
use crate::lexer::line_of;
use crate::lexer::places_of;
use crate::source::Violation;
use crate::source::check_rust;
use crate::source::violation;

struct Owner {
    /// As code writes it.
    name: &'static str,
    rooms: &'static [&'static str],
    why: &'static str,
}

const OWNERS: [Owner; 13] = [
    Owner { name: "rusqlite", rooms: &["store"], why: "SQL and its transactions are the store's" },
    Owner { name: "wasmtime", rooms: &["runtime"], why: "the rest of the host knows steps, not WebAssembly" },
    Owner {
        name: "wasmparser",
        rooms: &["runtime"],
        why: "the rest of the host knows steps, not WebAssembly",
    },
    Owner {
        name: "reqwest",
        rooms: &["connectors", "models"],
        why: "calls go out through the two outside doors",
    },
    Owner {
        name: "rustls",
        rooms: &["connectors", "models"],
        why: "calls go out through the two outside doors",
    },
    Owner { name: "axum", rooms: &["api", "console"], why: "routes and status codes belong to the faces" },
    Owner { name: "clap", rooms: &["cli", MAIN], why: "the command line is one face among several" },
    Owner { name: "anyhow", rooms: &["cli", MAIN], why: "a room says in its own errors what it attempted" },
    Owner { name: "tracing_subscriber", rooms: &["telemetry"], why: "one place decides where the log goes" },
    Owner { name: "rustix", rooms: &["crash_point", "store"], why: "signals and file locks have two homes" },
    Owner { name: "hmac", rooms: &["inbound"], why: "signatures are checked in one place, in constant time" },
    Owner {
        name: "base64",
        rooms: &["inbound", "api"],
        why: "signatures, their secrets and the service's tokens alone are written in it",
    },
    Owner { name: "fastrand", rooms: &["clock"], why: "randomness comes through the clock door" },
];

/// The program's root, which starts the command line.
const MAIN: &str = "main";

/// Crates that this file names and its room does not own.
fn foreign_crates(path: &str, text: &str) -> Vec<Violation> {
    let Some(room) = room_of(path).or_else(|| path.ends_with("/main.rs").then_some(MAIN)) else {
        return Vec::new();
    };
    let code = lex(text).code;
    let mut found = Vec::new();
    for owner in OWNERS.iter().filter(|owner| !owner.rooms.contains(&room)) {
        for at in places_of(&code, owner.name).filter(|at| is_crate(&code, *at, owner.name)) {
            let homes = owner.rooms.join(" and ");
            let what =
                format!("{room} names the crate `{}`, whose home is {homes}: {}", owner.name, owner.why);
            found.push(violation(path, line_of(&code, at), what));
        }
    }
    found
}

/// Whether this word is a crate's name: it starts a path, or is imported as a whole.
fn is_crate(code: &str, at: usize, name: &str) -> bool {
    let (before, after) = (code[..at].trim_end(), &code[at + name.len()..]);
    // `::name` is a crate as well; `a::name` is something in `a`.
    let inside_a_path = before
        .strip_suffix("::")
        .is_some_and(|path| path.ends_with(|character| crate::lexer::is_name(character) || character == '>'));
    let imported = before.ends_with("use") || before.ends_with("extern crate");
    !inside_a_path && (after.starts_with("::") || imported)
}

#[test]
fn each_heavy_crate_is_named_only_at_home() {
    check_rust(HOST, foreign_crates);
}

#[cfg(test)]
mod tests {
    use super::foreign_crates;

    #[test]
    fn a_crate_away_from_home_is_seen() {
        for (path, text, count) in [
            ("host/src/dispatch/step.rs", "use rusqlite::Connection;", 1),
            ("host/src/store/sqlite/tx.rs", "use rusqlite::Connection;", 0),
            ("host/src/dispatch/step.rs", "fn a() -> ::wasmtime::Result<()> { wasmtime::bail!() }", 2),
            (
                "host/src/dispatch/step.rs",
                "// wasmtime::x\nlet wasmtime = 1; wasmtime_wasi::x(); a::wasmtime::b();",
                0,
            ),
            ("host/src/dispatch/step.rs", "use wasmtime as w;", 1),
            ("host/src/dispatch/step.rs", "#[derive(clap::Parser)] struct A;", 1),
            ("host/src/main.rs", "fn main() -> anyhow::Result<()> {}", 0),
            ("host/src/main.rs", "use axum::Router;", 1),
        ] {
            assert_eq!(foreign_crates(path, text).len(), count, "{path}: {text}");
        }
    }
}
