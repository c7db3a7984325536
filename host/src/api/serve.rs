//! Listening: connections over TCP and the unix socket, each with a time for its head, and an end when the host stops.
//!
//! A connection that is refused (too many at once) is closed; its sender tries again. When the host stops, no connection is
//! taken any more, idle ones are closed, and those that are answering may finish within a bound.

use crate::api::router::Api;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// The wait after a connection could not be accepted (no file descriptors are left, mostly), in milliseconds.
const ACCEPT_REST_MS: u64 = 100;

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Somebody who may open the ledger's folder, and so has every right already: the unix socket, or this process.
    Local,
    /// Somebody over the network, who needs a token.
    Remote(SocketAddr),
}

/// Where connections come from.
pub enum Door {
    /// The network.
    Tcp(TcpListener),
    /// A socket in the file system, and the user whose it is.
    Unix(UnixListener, u32),
}

/// The user who may do everything anyway.
const ROOT: u32 = 0;

impl Door {
    /// Listen on an address.
    ///
    /// # Errors
    /// [`io::Error`], where the address can't be had.
    pub async fn tcp(address: SocketAddr) -> io::Result<Self> {
        TcpListener::bind(address).await.map(Self::Tcp)
    }

    /// Listen on a path. Only the host's own user may connect. The owner of the ledger calls this, so that a socket that is
    /// there already belongs to nobody any more.
    ///
    /// # Errors
    /// [`io::Error`], where the path can't be had.
    pub fn unix(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        use std::os::unix::fs::PermissionsExt as _;
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Self::Unix(listener, std::fs::metadata(path)?.uid()))
    }

    /// The address, where it is one.
    ///
    /// # Errors
    /// [`io::Error`], where the system does not say it.
    pub fn address(&self) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Some),
            Self::Unix(..) => Ok(None),
        }
    }
}

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Connections at once.
    pub connections_max: usize,
    /// How long a request's head may take, and so how long an idle connection is kept, in milliseconds.
    pub head_timeout_ms: u64,
}

/// Answer connections until the host stops, and then let those that are answering finish, at most for `bound`.
pub async fn serve(door: Door, api: Api, terms: Terms, stop: CancellationToken, bound: Duration) {
    let places = Arc::new(Semaphore::new(terms.connections_max));
    let head_timeout = Duration::from_millis(terms.head_timeout_ms);
    let connections = TaskTracker::new();
    loop {
        let Some(place) = (tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place.ok(),
            () = stop.cancelled() => None,
        }) else {
            break;
        };
        let api = api.clone();
        let stop = stop.clone();
        match &door {
            Door::Tcp(listener) => match accept(listener.accept(), &stop).await {
                Some(Ok((stream, peer))) => {
                    let _ = stream.set_nodelay(true);
                    connections.spawn(async move {
                        connection(stream, api, Peer::Remote(peer), head_timeout, stop).await;
                        drop(place);
                    });
                }
                Some(Err(error)) => failed(&error).await,
                None => break,
            },
            Door::Unix(listener, owner) => match accept(listener.accept(), &stop).await {
                // Asked of the system as well, since the file could be opened before its permissions were set.
                Some(Ok((stream, _)))
                    if !stream.peer_cred().is_ok_and(|peer| [*owner, ROOT].contains(&peer.uid())) =>
                {
                    tracing::warn!("another user's connection to the socket was refused");
                }
                Some(Ok((stream, _))) => {
                    connections.spawn(async move {
                        connection(stream, api, Peer::Local, head_timeout, stop).await;
                        drop(place);
                    });
                }
                Some(Err(error)) => failed(&error).await,
                None => break,
            },
        }
    }
    connections.close();
    if tokio::time::timeout(bound, connections.wait()).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "the time to shut down is over; connections are closed"
        );
    }
}

async fn accept<T>(
    accepted: impl Future<Output = io::Result<T>>,
    stop: &CancellationToken,
) -> Option<io::Result<T>> {
    tokio::select! {
        accepted = accepted => Some(accepted),
        () = stop.cancelled() => None,
    }
}

async fn failed(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(ACCEPT_REST_MS)).await;
}

async fn connection<S>(stream: S, api: Api, peer: Peer, head_timeout: Duration, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = tower::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(peer);
        api.0.clone().oneshot(request.map(Body::new))
    });
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head_timeout)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
    );
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
    };
    if let Err(error) = served {
        // Senders go away; the request that was cut short has been answered to nobody.
        tracing::debug!(%error, "a connection ended early");
    }
}
