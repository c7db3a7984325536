//! The target, from rustup.
//!
//! Owns one bounded attempt. Failure is an answer and not an error: many machines cannot reach rustup's server.

use crate::command;
use onceward_toolchain::TARGET;
use onceward_toolchain::program;
use std::process::Command;
use std::time::Duration;

/// Long enough for some 20 MB on a slow line, short enough to wait for where the server cannot be reached.
const ADD_LIMIT_S: u64 = 60;

/// Add the target to the active toolchain; what stands in the way, where something does.
pub(crate) fn add_target() -> Result<(), String> {
    if program::on_path("rustup").is_none() {
        return Err("rustup is not installed".to_owned());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]);
    command::run_bounded(&mut rustup, Duration::from_secs(ADD_LIMIT_S)).map_err(|error| format!("{error:#}"))
}
