//! How far a search is, on standard error: a line that moves on a terminal, and one line a phase elsewhere.
//!
//! The line stays one line however narrow the terminal is: what does not fit is not shown, and the figures come first.

use crate::verify::search::{Phase, Progress};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The bar's width in characters.
const WIDTH: usize = 30;

/// The place for what is told before the bar, in characters.
const TOLD: usize = 30;

/// Clears the line from here on; ends and begins that a long line goes on in the next one (ECMA-48 EL; DEC private mode 7).
const CLEAR: &str = "\x1b[K";
const WRAP_OFF: &str = "\x1b[?7l";
const WRAP_ON: &str = "\x1b[?7h";

/// The shortest time between two pictures.
const PICTURE: Duration = Duration::from_millis(100);

/// The bar.
pub(super) struct Bar {
    terminal: bool,
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    shown: Option<Instant>,
    phase: Option<Phase>,
}

impl Bar {
    pub(super) fn new() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), last: Mutex::default() }
    }

    /// Show how far it is.
    pub(super) fn show(&self, progress: Progress) {
        let Progress { phase, done, of } = progress;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = last.phase.replace(phase) != Some(phase);
        if !self.terminal {
            if begins {
                write(&format!("{}: {of} runs\n", name(phase)));
            }
            return;
        }
        if done < of && !begins && last.shown.is_some_and(|shown| shown.elapsed() < PICTURE) {
            return;
        }
        last.shown = Some(Instant::now());
        let filled = WIDTH * done / of.max(1);
        let told = format!("{} {done}/{of}", name(phase));
        write(&format!("\r{WRAP_OFF}{told:<TOLD$} [{:<WIDTH$}]{CLEAR}{WRAP_ON}", "#".repeat(filled)));
    }

    /// The search has ended.
    pub(super) fn end(&self) {
        if self.terminal {
            write(&format!("\r{CLEAR}"));
        }
    }
}

/// A phase, for people.
pub(super) const fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Single => "single faults",
        Phase::Pairs => "pairs",
        Phase::Deep => "deep, by chance",
    }
}

/// There is nobody to tell where this fails.
fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
