//! An HTTP CRM that counts, against which a delivery system is proved.
//!
//! Owns the receiving side of the claim "once": a durable store in which every request and every
//! row survives a `SIGKILL`, an `Idempotency-Key` kept as
//! draft-ietf-httpapi-idempotency-key-header has it, and faults on demand that are true on the
//! wire. It refuses to share its directory with a second receiver. It knows nothing of the system
//! it proves. It fails loudly: what it can't write it does not acknowledge.
//!
//! The map, from the bottom up:
//! - `store`: the file, and its one writer; [`evidence`]: what the file proves.
//! - [`faults`], `fault_queue`, [`flaky`]: what can go wrong; `wire`: connections that can be cut;
//!   `crash`: how to die.
//! - `answer`, `reply`, `key`, `query`, `in_work`, `rate`: what a request says and is told.
//! - `write`, `search`, `http`: what is done, and where.
//! - [`Receiver`]: it all inside a test; [`process`]: it all as a process that can be killed.
//! - [`client`]: a client that tells what happened on the wire.

mod answer;
pub mod client;
mod crash;
pub mod evidence;
mod fault_queue;
pub mod faults;
pub mod flaky;
mod http;
mod in_work;
mod key;
pub mod process;
mod query;
mod rate;
mod reply;
mod search;
mod store;
mod wire;
mod write;

#[cfg(test)]
mod tests;

use std::io;
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::num::NonZeroU32;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use anyhow::anyhow;
use tokio::sync::Notify;

use crate::receiver::crash::Crash;
use crate::receiver::evidence::Counts;
use crate::receiver::evidence::Deal;
use crate::receiver::fault_queue::FaultQueue;
use crate::receiver::flaky::Flaky;
use crate::receiver::http::Crm;
use crate::receiver::in_work::InWork;
use crate::receiver::rate::Rate;
use crate::receiver::store::Store;

/// How often, and how long apart, a taken port is tried again. A child process that another thread
/// is starting holds copies of all sockets until it runs its own program, so a port may stay taken
/// for a moment after a stop.
const LISTEN_TRIES: u32 = 200;
const LISTEN_PAUSE_MS: u64 = 10;

/// How many threads answer. Two are enough for requests of one key to overlap.
const WORKER_THREADS: usize = 2;

/// What a receiver may be told at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The port on 127.0.0.1; 0 means any free one.
    pub port: u16,
    /// Whether a write without an `Idempotency-Key` creates a row instead of being refused.
    pub key_optional: bool,
    /// Random faults for the write requests that no fault was ordered for.
    pub flaky: Option<Flaky>,
    /// How many writes it lets in within a second; more get 429 with `Retry-After: 1`, before any
    /// fault. `None` means no limit.
    pub rate_per_second: Option<NonZeroU32>,
    /// How many milliseconds after its creation a row can be found by a search. A replaced body is
    /// found at once.
    pub search_lag_ms: u64,
    /// What the faults `crash-before-write` and `crash-after-write` do.
    pub on_crash: OnCrash,
}

/// What a crash takes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCrash {
    /// The receiver: the port closes and every connection breaks. For use inside a test.
    #[default]
    StopReceiver,
    /// The whole process, by `SIGABRT`. For the receiver's own process.
    AbortProcess,
}

/// A receiver inside this process, on threads of its own.
///
/// It stops when it is dropped. What it wrote stays in its directory.
///
/// ```
/// use support::receiver::Receiver;
/// use support::receiver::client;
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let dir = tempfile::tempdir()?;
/// let mut receiver = Receiver::start(dir.path())?;
/// receiver.fault(&["lose-reply"])?;
/// let post = || client::post(receiver.address(), "/deals", Some("key-1"), b"{}");
/// assert_eq!(post()?.status(), None);
/// assert_eq!(post()?.status(), Some(200));
///
/// receiver.restart().await?;
/// let counts = receiver.counts().await?;
/// assert_eq!((counts.requests, counts.created, counts.replayed), (2, 1, 1));
/// # anyhow::Ok(())
/// # })?;
/// # anyhow::Ok(())
/// ```
#[derive(Debug)]
pub struct Receiver {
    dir: PathBuf,
    options: Options,
    address: SocketAddr,
    faults: Arc<FaultQueue>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl Receiver {
    /// Starts on any free port of 127.0.0.1 with the store in this directory, which is made if
    /// need be. It accepts when this returns.
    ///
    /// # Errors
    /// Where the store can't be opened, another receiver holds it, or the port is taken.
    pub fn start(dir: &Path) -> anyhow::Result<Self> {
        Self::start_with(dir, Options::default())
    }

    /// Starts with options of the caller's.
    ///
    /// # Errors
    /// As [`Receiver::start`].
    pub fn start_with(dir: &Path, mut options: Options) -> anyhow::Result<Self> {
        let store = Store::open(dir)?;
        let listener = listen(options.port)
            .with_context(|| format!("could not listen on 127.0.0.1:{}", options.port))?;
        listener.set_nonblocking(true).context("could not prepare the listening socket")?;
        let address = listener.local_addr().context("could not ask for the listening socket's port")?;
        options.port = address.port();
        let faults = Arc::new(FaultQueue::new(options.flaky));
        let stop = Arc::new(Notify::new());
        let crm = Arc::new(Crm {
            dir: dir.to_owned(),
            store,
            faults: faults.clone(),
            in_work: InWork::default(),
            key_optional: options.key_optional,
            rate: Rate::new(options.rate_per_second),
            search_lag_ms: options.search_lag_ms,
            crash: match options.on_crash {
                OnCrash::StopReceiver => Crash::Stop(stop.clone()),
                OnCrash::AbortProcess => Crash::Abort,
            },
        });
        let thread_stop = stop.clone();
        let thread = std::thread::Builder::new()
            .name("receiver".to_owned())
            .spawn(move || serve(listener, crm, &thread_stop))
            .context("could not start the receiver's thread")?;
        Ok(Self { dir: dir.to_owned(), options, address, faults, stop, thread: Some(thread) })
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

    /// Orders faults for the next write requests, one each, behind those ordered before; with
    /// `search:` before the word, for the next searches. A restart forgets them.
    ///
    /// # Errors
    /// Where a word is no fault; then none of them is ordered.
    pub fn fault(&self, words: &[&str]) -> anyhow::Result<()> {
        self.faults.order(words.iter().copied()).map(drop)
    }

    /// Counts what came, also when the receiver is down.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub async fn counts(&self) -> anyhow::Result<Counts> {
        let dir = self.dir.clone();
        http::blocking(move || evidence::counts(&dir)).await
    }

    /// Every row of every kind in the order of writing, also when the receiver is down. Unlike
    /// `GET /deals` it is not counted as a read.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub async fn deals(&self) -> anyhow::Result<Vec<Deal>> {
        let dir = self.dir.clone();
        http::blocking(move || evidence::deals(&dir)).await
    }

    /// Stops at once: the port closes, connections break, requests in work end where they are.
    /// Stopping one that is down, by a crash or a stop, does nothing.
    ///
    /// # Errors
    /// Where the receiver had failed before.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        self.stop.notify_one();
        match self.thread.take() {
            Some(thread) => http::blocking(move || join(thread)).await,
            None => Ok(()),
        }
    }

    /// Stops, and starts again on the same directory and port.
    ///
    /// # Errors
    /// As [`Receiver::stop`] and [`Receiver::start`].
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        self.stop().await?;
        *self = Self::start_with(&self.dir, self.options)?;
        Ok(())
    }

    /// Blocks until the receiver ends by itself, as it does by a crash or a failure.
    ///
    /// # Errors
    /// What it failed with.
    pub fn wait(mut self) -> anyhow::Result<()> {
        self.thread.take().map_or(Ok(()), join)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // Whoever wants the error calls `stop`; a drop may happen in the middle of a panic.
            let _ = join(thread);
        }
    }
}

/// Listens on a port of 127.0.0.1, patiently where it was given up only just now.
fn listen(port: u16) -> io::Result<TcpListener> {
    for _ in 1..LISTEN_TRIES {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => pause(),
            bound => return bound,
        }
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

fn join(thread: JoinHandle<anyhow::Result<()>>) -> anyhow::Result<()> {
    thread.join().unwrap_or_else(|_| Err(anyhow!("the receiver's thread panicked")))
}

/// Serves until told to stop. The port closes first, then every connection and all work in
/// progress go with the runtime, and the store last; so once a client sees its connection break,
/// nobody is served any more.
fn serve(listener: TcpListener, crm: Arc<Crm>, stop: &Notify) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .thread_name("receiver-worker")
        .enable_all()
        .build()
        .context("could not start the receiver's runtime")?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)
            .context("could not hand the listening socket to the runtime")?;
        let routes = http::routes(crm).into_make_service_with_connect_info::<wire::Fuse>();
        tokio::select! {
            served = axum::serve(wire::Door(listener), routes) => {
                served.context("could not go on serving")
            }
            () = stop.notified() => Ok(()),
        }
    })
}

#[allow(
    clippy::disallowed_methods,
    reason = "a port that a dying process holds gives no signal when it is free"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(LISTEN_PAUSE_MS));
}

/// Sleeps while the receiver runs: a wait that a test ordered, or the pause after a failed accept.
#[allow(
    clippy::disallowed_methods,
    reason = "a slow receiver is slow in real time; that is the fault it plays"
)]
async fn wait(time: Duration) {
    tokio::time::sleep(time).await;
}
