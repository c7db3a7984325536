//! Notes for people: which branch was taken, and why.
//!
//! It owns the sugar of the host's `journal` interface. A note cannot fail; lines past the host's limit are dropped,
//! and the evidence says so.

use crate::host;

/// Add a line to the work's evidence.
///
/// ```no_run
/// # let confidence = 0.4;
/// onceward_guest::journal::note(format!("confidence {confidence} is under 0.6: for review"));
/// ```
pub fn note(text: impl AsRef<str>) {
    host::note(text.as_ref());
}
