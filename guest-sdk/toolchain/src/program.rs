//! Other programs, asked and heard.

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

/// A program that gave no answer. The error names the whole command line and how it ended; what the program itself said has
/// gone to standard error by then.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// It can't be started.
    #[error("starting {command}")]
    Start {
        /// The command line.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// It ended without success.
    #[error("running {command}: it ended with {status}; its own words are above")]
    Ended {
        /// The command line.
        command: String,
        /// How.
        status: ExitStatus,
    },
    /// What it says is no text.
    #[error("reading the output of {command}")]
    Text {
        /// The command line.
        command: String,
        /// Why.
        source: std::string::FromUtf8Error,
    },
}

/// Run to the end; anything but success is an error.
///
/// # Errors
/// [`Failed`].
pub fn run(command: &mut Command) -> Result<(), Failed> {
    let status = command.status().map_err(|source| Failed::Start { command: shown(command), source })?;
    must_succeed(command, status)
}

/// Run to the end and return its standard output.
///
/// # Errors
/// [`Failed`].
pub fn output(command: &mut Command) -> Result<String, Failed> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Failed::Start { command: shown(command), source })?;
    must_succeed(command, output.status)?;
    String::from_utf8(output.stdout).map_err(|source| Failed::Text { command: shown(command), source })
}

/// The first file of that name on `PATH`.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// Refuse an end that is no success.
///
/// # Errors
/// [`Failed::Ended`].
pub fn must_succeed(command: &Command, status: ExitStatus) -> Result<(), Failed> {
    if status.success() {
        return Ok(());
    }
    Err(Failed::Ended { command: shown(command), status })
}

/// The command line, for people.
#[must_use]
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    format!("`{}`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::run;
    use std::process::Command;

    #[test]
    fn a_failure_names_the_command_line_and_its_end() {
        let told = run(Command::new("sh").args(["-c", "exit 3"])).expect_err("it exits with 3").to_string();
        assert!(told.contains("`sh -c exit 3`") && told.contains("exit status: 3"), "{told}");
    }
}
