//! `onceward serve`: the host as a service, until it is told to stop.
//!
//! It stops at SIGTERM or SIGINT: no connection is taken any more, runs and deliveries come to their end within the
//! configured time, and claims of runs that do not are given back. A second signal ends the process at once, which loses
//! nothing either. Where the ledger stops (its disk has failed), the host stops too.

use crate::api::auth::new_token;
use crate::api::router::api;
use crate::api::serve;
use crate::api::serve::{Door, Terms};
use crate::cli::Ending;
use crate::cli::compose;
use crate::cli::compose::service::Composed;
use crate::cli::config::Config;
use crate::cli::output;
use crate::cli::output::Format;
use crate::connectors::otlp::OtlpClient;
use crate::dispatch::duty::keep;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::token;
use crate::store::token::{NewToken, TokenCreated, Verb};
use crate::telemetry;
use crate::telemetry::traces::Traces;
use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Listen here instead of where the configuration says.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
}

pub(super) async fn serve(config: &Config, args: &Args, verbose: bool, format: Format) -> Result<Ending> {
    let traces = traces(config)?;
    telemetry::init(verbose, traces.as_ref());
    let ending = until_stopped(config, args, format).await;
    if let Some(traces) = traces {
        // It blocks, and the last batch is sent on this runtime.
        tokio::task::spawn_blocking(move || traces.end()).await.context("ending the traces")?;
    }
    ending
}

/// Where traces go, where the operator names a collector.
fn traces(config: &Config) -> Result<Option<Traces>> {
    let Some(address) = &config.telemetry.traces else { return Ok(None) };
    let doing = "setting up [telemetry] traces";
    let client = OtlpClient::new(Handle::current()).context(doing)?;
    let headers = config.telemetry.headers(config)?;
    Ok(Some(Traces::to(address, headers, Arc::new(client)).context(doing)?))
}

async fn until_stopped(config: &Config, args: &Args, format: Format) -> Result<Ending> {
    let mut asked = AskedToStop::listen()?;
    let (store, clock) = compose::owner(config)?;
    let stop = CancellationToken::new();
    let Composed { service, duties, executors } =
        compose::service::service(config, Arc::clone(&store), clock, &stop).await?;
    let (network, socket) = doors(config, args).await?;
    let address = network.address()?.context("the network's door has no address")?;
    // After everything that can fail: a token that nobody was shown would be the only one.
    let first_token = first_token(config, &*store).await?;
    tell(address, config, first_token.as_deref(), format)?;

    let mut background = JoinSet::new();
    for duty in duties {
        let (service, stop, nudged) = (Arc::clone(&service), stop.clone(), service.nudge.listen());
        background.spawn(async move { keep(&*duty, &*service.clock, &nudged, &stop).await });
    }
    let bound = Duration::from_millis(config.serve.drain_ms);
    let terms =
        Terms { connections_max: config.serve.connections, head_timeout_ms: config.serve.arrival_timeout_ms };
    let mut faces = JoinSet::new();
    let api = api(&service);
    for door in [network, socket] {
        faces.spawn(serve::serve(door, api.clone(), terms, stop.clone(), bound));
    }
    let failed = tokio::select! {
        () = asked.next() => None,
        failed = first_failure(&mut background) => Some(failed),
        // No duty may have anything to write for hours, and until then nobody would start the host again.
        Err(stopped) = store.ledger_watch() => Some(stopped.into()),
    };
    output::progress("stopping: no more is taken, and what is under way comes to its end");
    tokio::spawn(async move {
        // A second signal is meant.
        asked.next().await;
        std::process::exit(1);
    });
    let until = Instant::now() + bound;
    service.stop();
    stop.cancel();
    executors.iter().for_each(|executor| executor.close());
    // The faces first: what they still take in is started, and comes to its end with the rest.
    while faces.join_next().await.is_some() {}
    let mut runs = JoinSet::new();
    for executor in executors {
        runs.spawn(async move { executor.drain(until).await });
    }
    while runs.join_next().await.is_some() {}
    let deliveries = async { while background.join_next().await.is_some() {} };
    if tokio::time::timeout_at(until, deliveries).await.is_err() {
        tracing::warn!("a delivery did not end in time; its row is taken over at the next start");
    }
    let _ = std::fs::remove_file(config.socket());
    match failed {
        Some(error) => Err(error).context("serving: the ledger has stopped, and the host with it"),
        None => Ok(Ending::Done),
    }
}

async fn doors(config: &Config, args: &Args) -> Result<(Door, Door)> {
    let listen = args.listen.unwrap_or(config.serve.listen);
    let network = Door::tcp(listen).await.with_context(|| {
        format!(
            "listening on {listen}: the address can't be had; choose another with --listen or [serve] listen"
        )
    })?;
    let socket = config.socket();
    let local = Door::unix(&socket).with_context(|| {
        format!(
            "listening on {}: the socket can't be made; shorten or correct [store] path",
            socket.display()
        )
    })?;
    Ok((network, local))
}

/// A ledger without any token gets one for an administrator, which is shown once.
async fn first_token(config: &Config, store: &dyn Store) -> Result<Option<String>> {
    if store.token_any().await? {
        return Ok(None);
    }
    let token = new_token().context("making a token: the system has no randomness to give")?;
    let new = NewToken {
        id: "first".to_owned(),
        namespace: config.namespace.clone(),
        name: "admin".to_owned(),
        person: None,
        // Approving is a person's, and this token names none.
        verbs: Verb::ALL.into_iter().filter(|verb| *verb != Verb::Approve).collect(),
        hash: token::hash(&token),
    };
    let actor = Actor { name: "onceward".to_owned(), reason: "the first start".to_owned(), action: None };
    match store.token_create(new, actor).await? {
        TokenCreated::Applied => Ok(Some(token)),
        refused => bail!("making the first token: it was refused ({refused:?})"),
    }
}

fn tell(address: SocketAddr, config: &Config, token: Option<&str>, format: Format) -> Result<()> {
    if format == Format::Json {
        return output::json(&json!({
            "listening": address.to_string(),
            "socket": config.socket(),
            "admin_token": token,
        }));
    }
    output::line(format!("listening on http://{address}"))?;
    if let Some(token) = token {
        output::line(format!("admin token, shown this once: {token}"))?;
    }
    Ok(())
}

/// Being asked to stop. It is listened for before anybody is told that the host is there.
struct AskedToStop {
    terminate: Signal,
    interrupt: Signal,
}

impl AskedToStop {
    fn listen() -> Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("listening for SIGTERM")?,
            interrupt: signal(SignalKind::interrupt()).context("listening for SIGINT")?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// The first duty that ends although nobody has asked for it.
async fn first_failure(background: &mut JoinSet<Result<(), StoreError>>) -> anyhow::Error {
    match background.join_next().await {
        Some(Ok(Err(error))) => error.into(),
        Some(Err(panic)) => anyhow::Error::new(panic).context("a background duty has failed"),
        Some(Ok(Ok(()))) | None => anyhow::anyhow!("a background duty has ended"),
    }
}
