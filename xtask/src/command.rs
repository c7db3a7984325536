//! Other programs, run and watched.
//!
//! Owns how a program is started, waited for and blamed. An error names the whole command line and how it ended; what
//! the program itself said has gone to standard error by then.

use crate::paths::Paths;
use crate::paths::TARGET_VARIABLE;
use anyhow::Context;
use anyhow::bail;
use onceward_toolchain::program;
use onceward_toolchain::program::must_succeed;
use onceward_toolchain::program::shown;
use std::ffi::OsString;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

/// What `cargo run` tells xtask about itself. Handed on, it would look to build scripts (ring's, for one) like a
/// changed environment, and the host would be built again after each verb.
const ABOUT_XTASK: [&str; 5] = [
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_BIN_NAME",
    "CARGO_CRATE_NAME",
    "CARGO_PRIMARY_PACKAGE",
];

/// Cargo in the workspace's root, with the user's environment and not xtask's own.
pub(crate) fn cargo(paths: &Paths) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(&paths.root);
    for name in ABOUT_XTASK {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_")) {
            command.env_remove(&name);
        }
    }
    // Absolute, because tests run in their package's directory and read it there.
    if std::env::var_os(TARGET_VARIABLE).is_some() {
        command.env(TARGET_VARIABLE, &paths.target);
    }
    command
}

/// Run to the end; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    Ok(program::run(command)?)
}

/// Run to the end and return its standard output.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    Ok(program::output(command)?)
}

/// Whether the program can be started and succeeds. It is not heard.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Which of a program's two streams is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Out,
    Error,
}

/// Run to the end; pass each line of one stream on to standard error, and to `heard`.
pub(crate) fn run_heard(
    command: &mut Command,
    stream: Stream,
    mut heard: impl FnMut(&str),
) -> anyhow::Result<ExitStatus> {
    match stream {
        Stream::Out => command.stdout(Stdio::piped()),
        Stream::Error => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().with_context(|| format!("starting {}", shown(command)))?;
    let pipe: Box<dyn Read> = match stream {
        Stream::Out => Box::new(child.stdout.take().context("the program's standard output was not piped")?),
        Stream::Error => Box::new(child.stderr.take().context("the program's standard error was not piped")?),
    };
    // Lines as bytes: a test may print what is not UTF-8, and that ends no run.
    for line in BufReader::new(pipe).split(b'\n') {
        let line = line.with_context(|| format!("reading from {}", shown(command)))?;
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        heard(&line);
    }
    child.wait().with_context(|| format!("waiting for {}", shown(command)))
}

/// Run, but no longer than `limit`: then it is stopped, and that is an error.
pub(crate) fn run_bounded(command: &mut Command, limit: Duration) -> anyhow::Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("starting {}", shown(command)))?;
    let mut pipe = child.stdout.take().context("the program's standard output was not piped")?;
    // The pipe's end is the signal that the program has ended.
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || {
        let copied = std::io::copy(&mut pipe, &mut std::io::stderr());
        // Nobody listens any more once the time is up, and then nobody needs to know.
        let _ = ended.send(copied);
    });
    if end.recv_timeout(limit).is_err() {
        // It may have ended in this very moment; the wait below says how.
        let _ = child.kill();
        let _ = child.wait();
        bail!("running {}: not done within {} s, so it was stopped", shown(command), limit.as_secs());
    }
    let status = child.wait().with_context(|| format!("waiting for {}", shown(command)))?;
    Ok(must_succeed(command, status)?)
}

#[cfg(test)]
mod tests {
    use super::Stream;
    use super::run_bounded;
    use super::run_heard;
    use std::process::Command;
    use std::time::Duration;
    use std::time::Instant;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_that_hangs_is_stopped_when_its_time_is_up() {
        let begun = Instant::now();
        let told = run_bounded(&mut shell("exec sleep 60"), Duration::from_millis(50)).expect_err("it hangs");
        assert!(told.to_string().contains("stopped"), "{told}");
        assert!(begun.elapsed() < Duration::from_secs(30), "the kill came too late");
    }

    #[test]
    fn a_program_within_its_time_ends_as_it_ends() {
        let minute = Duration::from_secs(60);
        assert!(run_bounded(&mut shell("exit 0"), minute).is_ok());
        assert!(run_bounded(&mut shell("exit 1"), minute).is_err());
    }

    #[test]
    fn one_stream_is_heard_line_by_line_even_where_it_is_not_text() {
        for (stream, expected) in [(Stream::Out, ["out", "x\u{fffd}"]), (Stream::Error, ["err", "y"])] {
            let mut lines = Vec::new();
            let mut command = shell("printf 'out\\nx\\377\\n'; printf 'err\\ny\\n' >&2; exit 5");
            let status = run_heard(&mut command, stream, |line| lines.push(line.to_owned()));
            assert_eq!(lines, expected, "{stream:?}");
            assert_eq!(status.expect("it starts").code(), Some(5));
        }
    }
}
