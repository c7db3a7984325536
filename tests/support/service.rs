//! `onceward serve` as a process, and its API over real sockets.
//!
//! Owns the child process: it waits until the child listens, kills it with `SIGKILL` when told to or dropped. It asks with the
//! token that the child has shown, or one that a test gives it; where there is none, through the child's unix socket. What
//! can't be started or asked is the test's fault: it panics.

use crate::receiver::client;
use crate::receiver::client::Exchange;
use crate::workspace::Workspace;
use serde_json::Value;
use std::io::BufReader;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long a new process may take until it listens. It compiles its steps first, on a machine that may be busy.
const START_LIMIT_MS: u64 = 120_000;

/// A running host, killed on drop.
#[derive(Debug)]
pub struct Service {
    child: Child,
    address: SocketAddr,
    socket: PathBuf,
    token: Option<String>,
}

impl Service {
    /// Start a host on the workspace's configuration, at any free port, and wait until it listens.
    ///
    /// # Panics
    /// Where it does not come to that.
    #[must_use]
    pub fn start(workspace: &Workspace) -> Self {
        Self::spawn(workspace.command(&[]))
    }

    /// The same, of a command that has an environment or options of its own.
    ///
    /// # Panics
    /// As [`Self::start`].
    #[must_use]
    pub fn spawn(mut command: Command) -> Self {
        command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).stdout(Stdio::piped());
        let dir = command.get_current_dir().map(PathBuf::from).unwrap_or_default();
        let mut child = command.spawn().expect("onceward can be started");
        let stdout = child.stdout.take().expect("its output was piped above");
        let Some(told) = first_document(stdout) else {
            // The first failure is the one to tell.
            let _ = child.kill();
            panic!("the host did not listen: {:?}", child.wait());
        };
        let text = |name: &str| told[name].as_str().map(str::to_owned);
        let address = text("listening").and_then(|address| address.parse().ok());
        Self {
            child,
            address: address.unwrap_or_else(|| panic!("the host says no address: {told}")),
            socket: dir.join(text("socket").unwrap_or_else(|| panic!("the host says no socket: {told}"))),
            token: text("admin_token"),
        }
    }

    /// Ask with this token from now on.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The id of its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The token that it asks with. The first start of a host on a new ledger shows one.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Ask for a path.
    ///
    /// # Panics
    /// Where no answer comes.
    #[must_use]
    pub fn get(&self, path: &str) -> Exchange {
        self.send("GET", path, &[], b"")
    }

    /// How many outbox rows of the configuration's own namespace are in this state, by the host's figures.
    ///
    /// # Panics
    /// Where no answer comes.
    #[must_use]
    pub fn rows(&self, state: &str) -> usize {
        let figures = self.get("/metrics").text();
        let line = format!("onceward_outbox_rows{{namespace=\"default\",state=\"{state}\"}} ");
        let number = figures.lines().find_map(|found| found.strip_prefix(&line));
        number.map_or(0, |number| number.parse().expect("a figure is a number"))
    }

    /// Post JSON.
    ///
    /// # Panics
    /// Where no answer comes.
    pub fn post(&self, path: &str, body: &Value) -> Exchange {
        self.send("POST", path, &[], body.to_string().as_bytes())
    }

    /// Post JSON under the identity of an action: a repeat with the same key is the same act.
    ///
    /// # Panics
    /// Where no answer comes.
    pub fn act(&self, path: &str, key: &str, body: &Value) -> Exchange {
        self.send("POST", path, &[("Idempotency-Key", key)], body.to_string().as_bytes())
    }

    /// Send any request, with the token where there is one, else through the unix socket.
    ///
    /// # Panics
    /// Where no answer comes.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Exchange {
        match self.token.as_deref() {
            Some(token) => self.send_with(Some(token), method, path, headers, body),
            None => self.send_locally(method, path, headers, body),
        }
    }

    /// Send any request over the network with this token, or with none.
    ///
    /// # Panics
    /// Where no answer comes.
    pub fn send_with(
        &self,
        token: Option<&str>,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Exchange {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut all = headers.to_vec();
        all.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
        client::send(self.address, method, path, &all, body).expect("the host answers")
    }

    /// Send any request through the unix socket, as the command line does.
    ///
    /// # Panics
    /// Where no answer comes.
    pub fn send_locally(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Exchange {
        let mut stream = UnixStream::connect(&self.socket).expect("the host listens on its socket");
        client::exchange_on(&mut stream, &client::request(method, path, headers, body))
            .expect("the host answers")
    }

    /// Send a request through the unix socket, and leave without its answer by dropping the connection.
    ///
    /// # Panics
    /// Where it can't be sent.
    #[must_use]
    pub fn send_and_leave(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> UnixStream {
        let mut stream = UnixStream::connect(&self.socket).expect("the host listens on its socket");
        let request = client::request(method, path, headers, body);
        stream.write_all(&request).expect("the host takes the request");
        stream
    }

    /// Send these very bytes through the unix socket.
    ///
    /// # Panics
    /// Where nothing can be read.
    pub fn send_bytes(&self, bytes: &[u8]) -> Exchange {
        let mut stream = UnixStream::connect(&self.socket).expect("the host listens on its socket");
        client::exchange_on(&mut stream, bytes).expect("the host answers")
    }

    /// Send these very bytes over the network.
    ///
    /// # Panics
    /// Where nothing can be read.
    pub fn exchange_remotely(&self, bytes: &[u8]) -> Exchange {
        client::exchange(self.address, bytes).expect("the host answers")
    }

    /// Kill it with `SIGKILL`, and wait until it is gone.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a child can be waited for");
    }

    /// Wait until it ends by itself.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("a child can be waited for")
    }

    /// How it has ended, if it has.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be asked for")
    }

    /// Ask it to stop, with `SIGTERM`.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn ask_to_stop(&self) {
        self.signal("-TERM");
    }

    /// Let it stand still, with `SIGSTOP`: it does nothing, and nobody hears of it.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Let it go on, with `SIGCONT`.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("kill can be started");
        assert!(sent.success(), "the host is there to be sent {signal}");
    }

    /// Ask it to stop, and wait until it has.
    ///
    /// # Panics
    /// Where the system refuses.
    pub fn stop(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A drop can only do its best; a child that can't be killed has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first JSON document that it prints, read on a thread, because a pipe knows no time limit.
fn first_document(stdout: ChildStdout) -> Option<Value> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut documents =
            serde_json::Deserializer::from_reader(BufReader::new(stdout)).into_iter::<Value>();
        // Nobody listens any more where the limit has passed.
        let _ = sender.send(documents.next().and_then(Result::ok));
    });
    receiver.recv_timeout(Duration::from_millis(START_LIMIT_MS)).ok().flatten()
}
