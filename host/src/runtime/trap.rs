//! What a trap says to the step's author: what happened, the panic's own words, and the functions it happened in.

use crate::runtime::wasi::STDERR;
use rustc_demangle::demangle;
use wasmtime::{Trap, WasmBacktrace};

/// Functions that are told at most, from the innermost on.
const FUNCTIONS_MAX: usize = 6;

/// The longest name that is told whole, in characters; generic code has longer ones.
const NAME_MAX_CHARS: usize = 120;

/// How much is told of what was written to standard error, in characters: with Python's first lines the error is in it.
const STDERR_MAX_CHARS: usize = 300;

/// How the SDK notes a panic.
const PANIC: &str = "panic: ";

/// How an interpreted language's SDK goes on with the functions that an error happened in. Those of the interpreter, in which the trap
/// was, say nothing then.
const IN_FUNCTIONS: &str = "; in ";

/// How the engine begins the words of a trap of its own.
const ENGINES: &str = "wasm trap: ";

/// How the names of the language's own functions begin, which say nothing about the step.
const FOREIGN: [&str; 12] = [
    "std::",
    "core::",
    "alloc::",
    "<std::",
    "<core::",
    "<alloc::",
    "__rust",
    "rust_",
    "__rustc",
    "onceward_guest::",
    "<onceward_guest::",
    "cabi_",
];

/// The words of a trap, with the run's notes, of which the last may be the panic's. Run-time systems of other languages say what was
/// wrong on standard error.
pub(super) fn words(error: &wasmtime::Error, notes: &[String]) -> String {
    let cause = error.root_cause().to_string();
    let mut words = cause.strip_prefix(ENGINES).unwrap_or(&cause).to_owned();
    if let Some(remedy) = error.downcast_ref::<Trap>().and_then(remedy) {
        words = format!("{words}: {remedy}");
    }
    if let Some(panic) = notes.last().filter(|note| note.starts_with(PANIC)) {
        if panic.contains(IN_FUNCTIONS) {
            return panic.clone();
        }
        words = format!("{panic} ({words})");
    } else if let Some(said) = on_stderr(notes) {
        words = format!("{words}; it wrote to stderr: {said}");
    }
    let functions = functions(error);
    if functions.is_empty() { words } else { format!("{words}; in {}", functions.join(", called by ")) }
}

/// What a trap means for the step's author, where the engine's words do not say it.
const fn remedy(trap: &Trap) -> Option<&'static str> {
    match trap {
        Trap::StackOverflow => Some(
            "its functions call one another too deeply; look for a recursion without end, or go through a list of what is left to do",
        ),
        // The language's own stack lies at the beginning of the memory, and grows down.
        Trap::MemoryOutOfBounds => Some(
            "it reached outside of its memory; mostly its stack has overflowed, by a recursion without end or by large values in local variables",
        ),
        _ => None,
    }
}

/// The step's own functions that the trap happened in, the innermost first; none where the component has no names.
fn functions(error: &wasmtime::Error) -> Vec<String> {
    let Some(trace) = error.downcast_ref::<WasmBacktrace>() else { return Vec::new() };
    // Without the crates' hashes.
    let names = trace.frames().iter().filter_map(|frame| Some(format!("{:#}", demangle(frame.func_name()?))));
    let own = names.filter(|name| is_own(name)).map(|name| shortened(&name, NAME_MAX_CHARS));
    let mut own: Vec<String> = own.collect();
    // A recursion is named once.
    own.dedup();
    own.truncate(FUNCTIONS_MAX);
    own
}

/// The beginning of what was written to standard error, in one line.
fn on_stderr(notes: &[String]) -> Option<String> {
    let lines = notes.iter().filter_map(|note| note.strip_prefix(STDERR));
    let said = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    (!said.is_empty()).then(|| shortened(&said, STDERR_MAX_CHARS))
}

fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn is_own(name: &str) -> bool {
    // What exports a step is called as its interface is.
    !name.contains('#') && !FOREIGN.iter().any(|foreign| name.starts_with(foreign))
}

#[cfg(test)]
mod tests {
    use super::{is_own, on_stderr};

    #[test]
    fn what_was_written_to_stderr_is_told_in_one_line() {
        let notes = ["stdout: hello", "stderr: Traceback:", "stderr:   line 12", "stderr: ValueError: why"];
        let said = on_stderr(&notes.map(str::to_owned));
        assert_eq!(said.as_deref(), Some("Traceback: line 12 ValueError: why"));
        assert_eq!(on_stderr(&["noted".to_owned()]), None);
        let long = on_stderr(&[format!("stderr: {}", "é".repeat(1_000))]).unwrap();
        assert_eq!(long.chars().count(), 301, "{long}");
    }

    #[test]
    fn the_languages_own_functions_say_nothing_about_a_step() {
        for name in
            ["lead_router::route", "<lead_router::Lead as onceward_guest::step::Step>::handle", "qualify"]
        {
            assert!(is_own(name), "{name}");
        }
        for name in [
            "core::panicking::panic_fmt",
            "__rust_start_panic",
            "onceward:step/guest@0.1.0#handle",
            "cabi_realloc",
        ] {
            assert!(!is_own(name), "{name}");
        }
    }
}
