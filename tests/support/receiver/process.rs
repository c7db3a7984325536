//! The receiver as a process of its own, which can be killed.
//!
//! Owns the child process: it waits until the child accepts, kills it with `SIGKILL` when told to
//! or dropped, and starts it again on the same directory and port. It reads the evidence from the
//! file, so it needs no living child for that. It fails where the program can't be started, or
//! says nothing for too long; the child's own words go to standard error.

use std::io::BufRead;
use std::io::BufReader;
use std::net::SocketAddr;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::ChildStdout;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Context;
use anyhow::bail;

use crate::receiver::client;
use crate::receiver::evidence;
use crate::receiver::evidence::Counts;
use crate::receiver::evidence::Deal;

/// What the process writes before its address once it accepts.
pub const LISTENING: &str = "listening on http://";

/// How long a new process may take until it accepts. A start takes milliseconds; a machine busy
/// with a build may need seconds.
const START_LIMIT_MS: u64 = 20_000;

/// A running receiver process, killed on drop.
#[derive(Debug)]
pub struct ReceiverProcess {
    program: PathBuf,
    dir: PathBuf,
    args: Vec<String>,
    address: SocketAddr,
    child: Child,
}

impl ReceiverProcess {
    /// Starts the program `bin` (in an integration test
    /// `env!("CARGO_BIN_EXE_onceward-receiver")`) on this directory and any free port, and waits
    /// until it accepts. `args` are further options, without `--dir` and `--port`.
    ///
    /// # Errors
    /// Where the program can't be started, or ends or stays silent instead of accepting.
    pub fn spawn(bin: &Path, dir: &Path, args: &[&str]) -> anyhow::Result<Self> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let (child, address) = start(bin, dir, &args, 0)?;
        Ok(Self { program: bin.to_owned(), dir: dir.to_owned(), args, address, child })
    }

    /// The address it listens, or last listened, on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path such as `/deals`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Orders faults for the next write requests, one each; with `search:` before the word, for the
    /// next searches. A restart forgets them.
    ///
    /// # Errors
    /// Where a word is no fault, or the process is not running.
    pub fn fault(&self, words: &[&str]) -> anyhow::Result<()> {
        let order = serde_json::json!({ "next": words }).to_string();
        let exchange = client::post(self.address, "/faults", None, order.as_bytes())?;
        if exchange.status() != Some(200) {
            let said = String::from_utf8_lossy(exchange.body());
            bail!("could not order the faults {words:?}: {said}");
        }
        Ok(())
    }

    /// Counts what came, also when the process is dead.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub fn counts(&self) -> anyhow::Result<Counts> {
        evidence::counts(&self.dir)
    }

    /// Every row in the order of writing, also when the process is dead.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub fn deals(&self) -> anyhow::Result<Vec<Deal>> {
        evidence::deals(&self.dir)
    }

    /// Kills it with `SIGKILL` and waits until it is gone. Killing a dead one does nothing.
    ///
    /// # Errors
    /// Where the operating system refuses.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill().context("could not kill the receiver")?;
        self.wait().map(drop)
    }

    /// Blocks until the process has ended by itself, as it does by a crash fault.
    ///
    /// # Errors
    /// Where the operating system refuses.
    pub fn wait(&mut self) -> anyhow::Result<ExitStatus> {
        self.child.wait().context("could not wait for the receiver's end")
    }

    /// Kills it if it lives, and starts it again on the same directory and port.
    ///
    /// # Errors
    /// As [`ReceiverProcess::kill`] and [`ReceiverProcess::spawn`].
    pub fn restart(&mut self) -> anyhow::Result<()> {
        self.kill()?;
        let port = self.address.port();
        (self.child, self.address) = start(&self.program, &self.dir, &self.args, port)?;
        Ok(())
    }
}

impl Drop for ReceiverProcess {
    fn drop(&mut self) {
        // A drop can only do its best; a child that can't be killed has ended already.
        let _ = self.kill();
    }
}

fn start(program: &Path, dir: &Path, args: &[String], port: u16) -> anyhow::Result<(Child, SocketAddr)> {
    let shown = program.display();
    let mut child = Command::new(program)
        .arg("--dir")
        .arg(dir)
        .args(["--port", &port.to_string()])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start the receiver {shown}; build it first"))?;
    let stdout = child.stdout.take().expect("the child's output was piped above");
    match first_line(stdout).and_then(|line| parse_address(&line)) {
        Ok(address) => Ok((child, address)),
        Err(error) => {
            // The first error is the one to tell.
            let _ = child.kill();
            let _ = child.wait();
            Err(error.context(format!("could not get the receiver {shown} to accept")))
        }
    }
}

/// Reads the first line, on a thread, because a pipe knows no time limit.
fn first_line(stdout: ChildStdout) -> anyhow::Result<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        // Nobody listens any more where the limit has passed.
        let _ = sender.send(read.map(|_| line));
    });
    receiver
        .recv_timeout(Duration::from_millis(START_LIMIT_MS))
        .with_context(|| format!("it said nothing for {START_LIMIT_MS} ms"))?
        .context("its first line could not be read")
}

fn parse_address(line: &str) -> anyhow::Result<SocketAddr> {
    line.trim_end()
        .strip_prefix(LISTENING)
        .and_then(|address| address.parse().ok())
        .with_context(|| format!("it said {line:?} instead of `{LISTENING}ADDRESS`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program beside this test's own. Cargo builds it before any test of this package runs,
    /// save under `--lib`, and tells its place to integration tests alone.
    fn program() -> PathBuf {
        let own = std::env::current_exe().unwrap();
        let target = own.parent().unwrap().parent().unwrap();
        target.join(format!("onceward-receiver{}", std::env::consts::EXE_SUFFIX))
    }

    fn spawn(dir: &Path, args: &[&str]) -> ReceiverProcess {
        ReceiverProcess::spawn(&program(), dir, args).unwrap()
    }

    fn post(process: &ReceiverProcess, key: Option<&str>) -> Option<u16> {
        client::post(process.address(), "/deals", key, b"{}").unwrap().status()
    }

    #[test]
    fn a_killed_receiver_has_counted_everything_and_goes_on_at_the_same_address() {
        let dir = tempfile::tempdir().unwrap();
        let mut process = spawn(dir.path(), &[]);
        let address = process.address();
        assert_eq!(post(&process, Some("a")), Some(201));
        process.fault(&["status:500"]).unwrap();
        assert_eq!(post(&process, Some("b")), Some(500));
        process.kill().unwrap();
        assert!(client::get(address, "/counts").is_err());
        let counts = process.counts().unwrap();
        assert_eq!((counts.requests, counts.created, counts.refused), (2, 1, 1));
        process.restart().unwrap();
        assert_eq!(process.address(), address);
        assert_eq!(post(&process, Some("a")), Some(200));
        assert_eq!(process.deals().unwrap().len(), 1);
    }

    #[test]
    fn a_crash_fault_aborts_the_process_before_or_after_the_write() {
        for (fault, created, resent) in [("crash-before-write", 0, 201), ("crash-after-write", 1, 200)] {
            let dir = tempfile::tempdir().unwrap();
            let mut process = spawn(dir.path(), &[]);
            process.fault(&[fault]).unwrap();
            assert_eq!(post(&process, Some("k")), None, "{fault}");
            assert!(!process.wait().unwrap().success(), "{fault}");
            let counts = process.counts().unwrap();
            assert_eq!((counts.requests, counts.created), (1, created), "{fault}");
            process.restart().unwrap();
            assert_eq!(post(&process, Some("k")), Some(resent), "{fault}");
        }
    }

    #[test]
    fn the_options_reach_the_process_and_the_port_file_names_its_port() {
        let dir = tempfile::tempdir().unwrap();
        let port_file = dir.path().join("port");
        let path = port_file.to_str().unwrap();
        let args = ["--key-optional", "--flaky", "100", "--seed", "3", "--port-file", path];
        let process = spawn(dir.path(), &args);
        let port = std::fs::read_to_string(&port_file).unwrap();
        assert_eq!(port, process.address().port().to_string());
        for _ in 0..10 {
            assert_ne!(post(&process, None), Some(201));
        }
        process.fault(&["slow:0"]).unwrap();
        assert_eq!(post(&process, None), Some(201));
    }

    #[test]
    fn the_rate_and_the_search_lag_reach_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let process = spawn(dir.path(), &["--rate", "1", "--search-lag", "3600000"]);
        let write = |_| {
            let body = br#"{"external_id":"X"}"#;
            client::post(process.address(), "/plain/leads", None, body).unwrap().status()
        };
        assert_eq!((0..1_000).map(write).find(|status| *status != Some(201)), Some(Some(429)));
        process.fault(&["search:status:500"]).unwrap();
        let search = || client::get(process.address(), "/search/leads?field=/external_id&value=X").unwrap();
        assert_eq!(search().status(), Some(500));
        assert_eq!(search().body(), br#"{"found":[]}"#);
    }

    #[test]
    fn a_program_that_does_not_accept_is_an_error_that_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let _holder = spawn(dir.path(), &[]);
        let error = ReceiverProcess::spawn(&program(), dir.path(), &[]).unwrap_err();
        assert!(format!("{error:#}").contains("instead of `listening on"), "{error:#}");
        let nowhere = dir.path().join("nothing-here");
        let error = ReceiverProcess::spawn(&nowhere, dir.path(), &[]).unwrap_err();
        assert!(format!("{error:#}").contains("build it first"), "{error:#}");
    }
}
