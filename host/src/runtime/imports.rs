//! What a component imports, by what becomes of a call to it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The package of every interface that a step may import, with the version that this host offers.
pub const PACKAGE: &str = "onceward:step";

/// The version of the interfaces.
pub const VERSION: &str = "0.1.0";

/// The interfaces a step may import.
pub const INTERFACES: [&str; 6] = ["context", "decisions", "journal", "ledger", "outbox", "progress"];

/// How the names of WASI's interfaces begin.
const WASI: &str = "wasi:";

/// The versions of WASI whose interfaces are answered: all of them fit one another.
const WASI_VERSIONS: &str = "0.2.";

/// The interfaces of WASI that the host answers.
const WASI_ANSWERED: [&str; 18] = [
    "cli/environment",
    "cli/exit",
    "cli/stderr",
    "cli/stdin",
    "cli/stdout",
    "cli/terminal-input",
    "cli/terminal-output",
    "cli/terminal-stderr",
    "cli/terminal-stdin",
    "cli/terminal-stdout",
    "clocks/monotonic-clock",
    "clocks/wall-clock",
    "io/error",
    "io/poll",
    "io/streams",
    "random/insecure",
    "random/insecure-seed",
    "random/random",
];

/// The interfaces of WASI that run-time systems ask when they start, and that are answered with nothing.
const WASI_EMPTY: [&str; 1] = ["filesystem/preopens"];

/// What becomes of calls to an interface that a step may import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// It is one of the primitives.
    Primitive,
    /// It is WASI's, and answered from the work.
    Answered,
    /// It is WASI's, and answered with an empty list.
    Empty,
    /// It is WASI's, and linked so that the step loads. Each of its functions ends the run.
    Absent,
}

/// What an imported interface is to a step; none where a step may not import it.
///
/// ```
/// use onceward::runtime::imports::{import, Import};
///
/// assert_eq!(import("onceward:step/outbox@0.1.0"), Some(Import::Primitive));
/// assert_eq!(import("wasi:clocks/wall-clock@0.2.3"), Some(Import::Answered));
/// assert_eq!(import("wasi:http/outgoing-handler@0.2.3"), Some(Import::Absent));
/// assert_eq!(import("example:files/read@1.0.0"), None);
/// ```
#[must_use]
pub fn import(name: &str) -> Option<Import> {
    if INTERFACES.iter().any(|interface| name == format!("{PACKAGE}/{interface}@{VERSION}")) {
        return Some(Import::Primitive);
    }
    let (interface, version) = name.strip_prefix(WASI)?.split_once('@').unwrap_or_default();
    let patch = version.strip_prefix(WASI_VERSIONS).unwrap_or_default();
    let is_known = !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit());
    Some(match interface {
        _ if is_known && WASI_ANSWERED.contains(&interface) => Import::Answered,
        _ if is_known && WASI_EMPTY.contains(&interface) => Import::Empty,
        _ => Import::Absent,
    })
}

/// The interfaces that a step imports, by what becomes of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Imports {
    /// The primitives, each with its version.
    pub primitives: Vec<String>,
    /// What of WASI is answered from the work.
    pub answered: Vec<String>,
    /// What of WASI is linked so that the step loads. A call of it ends the run.
    pub absent: Vec<String>,
}

impl Imports {
    /// These imports, or those of them that a step may not have.
    ///
    /// # Errors
    /// The imports that are neither primitives nor WASI's.
    pub fn of(names: Vec<String>) -> Result<Self, Vec<String>> {
        let (mut imports, mut foreign) = (Self::default(), Vec::new());
        for name in names {
            match import(&name) {
                Some(Import::Primitive) => &mut imports.primitives,
                Some(Import::Answered | Import::Empty) => &mut imports.answered,
                Some(Import::Absent) => &mut imports.absent,
                None => &mut foreign,
            }
            .push(name);
        }
        if foreign.is_empty() { Ok(imports) } else { Err(foreign) }
    }

    /// Interfaces for people: `outbox` of `onceward:step/outbox@0.1.0`, `http/types` of `wasi:http/types@0.2.3`, each once.
    #[must_use]
    pub fn short(names: &[String]) -> Vec<&str> {
        let mut short: Vec<&str> = names
            .iter()
            .map(|name| {
                let interface = name.split_once('@').map_or(name.as_str(), |(interface, _)| interface);
                let interface = interface.strip_prefix(PACKAGE).unwrap_or(interface).trim_start_matches('/');
                interface.strip_prefix(WASI).unwrap_or(interface)
            })
            .collect();
        short.sort_unstable();
        short.dedup();
        short
    }
}

#[cfg(test)]
mod tests {
    use super::{Import, Imports, WASI_ANSWERED, import};

    #[test]
    fn what_is_answered_is_what_the_host_links() {
        let world = include_str!("../../../wit/wasi_0.2/world.wit");
        let mut linked: Vec<&str> = world
            .lines()
            .filter_map(|line| line.trim().strip_prefix("import wasi:")?.strip_suffix("@0.2.12;"))
            .collect();
        linked.sort_unstable();
        assert_eq!(linked, WASI_ANSWERED);
    }

    #[test]
    fn another_version_of_wasi_is_absent_and_no_import_has_two_places() {
        for (name, expected) in [
            ("wasi:io/poll@0.2.0", Some(Import::Answered)),
            ("wasi:io/poll@0.2.12", Some(Import::Answered)),
            ("wasi:io/poll@0.2.0-rc-2023-12-05", Some(Import::Absent)),
            ("wasi:io/poll@0.20.1", Some(Import::Absent)),
            ("wasi:io/poll@0.3.0", Some(Import::Absent)),
            ("wasi:io/poll", Some(Import::Absent)),
            ("wasi:filesystem/preopens@0.2.3", Some(Import::Empty)),
            ("wasi:", Some(Import::Absent)),
            ("wasix:io/poll@0.2.0", None),
            ("onceward:step/outbox@0.2.0", None),
        ] {
            assert_eq!(import(name), expected, "{name}");
        }
    }

    #[test]
    fn people_read_each_interface_once() {
        let names = ["wasi:io/poll@0.2.12", "onceward:step/outbox@0.1.0", "wasi:io/poll@0.2.3"];
        assert_eq!(Imports::short(&names.map(str::to_owned)), ["io/poll", "outbox"]);
    }
}
