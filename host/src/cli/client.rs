//! The command line as a client of the API: of the running host through its unix socket, and where none runs, of the same
//! routes in this process over the ledger file.
//!
//! So a verb is written once, and says the same either way. Two processes never own one file: a host that runs is asked, and
//! a file that another process owns without serving is refused as ever.

use crate::api::auth::NAMESPACE;
use crate::api::error::ProblemBody;
use crate::api::router::{Api, api};
use crate::api::verdict::REPLAYED;
use crate::cli::compose;
use crate::cli::compose::service::{answering, answering_with_steps};
use crate::cli::config::Config;
use crate::clock::SystemClock;
use anyhow::{Context as _, Result, anyhow, bail};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::UnixStream;
use url::Url;

/// Whom the command line asks.
pub(super) struct Client {
    way: Way,
    namespace: HeaderValue,
}

enum Way {
    /// The host that listens on this socket.
    Host(PathBuf),
    /// This process.
    Here(Api),
}

/// An answer that is no problem.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// Whether it is a stored result.
    pub(super) replayed: bool,
    /// The body.
    pub(super) body: Value,
}

impl Answer {
    /// The body as a value of the API.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(self.body.clone())
            .context("reading the host's answer: it has another shape; use the program that runs as the host")
    }
}

impl Client {
    /// For looking: the running host, or the file opened for reading alone.
    pub(super) async fn reading(config: &Config) -> Result<Self> {
        match Self::of_host(config).await? {
            Some(client) => Ok(client),
            None => {
                let service = answering(config, compose::read_only(config)?, Arc::new(SystemClock))?;
                Self::new(config, Way::Here(api(&service)))
            }
        }
    }

    /// For acting: the running host, or the file opened as its owner.
    pub(super) async fn acting(config: &Config) -> Result<Self> {
        match Self::of_host(config).await? {
            Some(client) => Ok(client),
            None => {
                let (store, clock) = compose::owner(config)?;
                Self::new(config, Way::Here(api(&answering(config, store, clock)?)))
            }
        }
    }

    /// For acting on steps: the running host, or the file opened as its owner and the steps loaded. Nothing runs by itself.
    pub(super) async fn acting_with_steps(config: &Config) -> Result<Self> {
        match Self::of_host(config).await? {
            Some(client) => Ok(client),
            None => {
                let (store, clock) = compose::owner(config)?;
                Self::new(config, Way::Here(api(&answering_with_steps(config, store, clock).await?)))
            }
        }
    }

    /// Of the running host, where one runs.
    pub(super) async fn of_host(config: &Config) -> Result<Option<Self>> {
        let socket = config.socket();
        match UnixStream::connect(&socket).await {
            Ok(_) => Self::new(config, Way::Host(socket)).map(Some),
            // Nobody listens: there is no socket, or its host has ended without taking it away.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                Ok(None)
            }
            Err(error) => Err(error).with_context(|| {
                format!(
                    "asking the running host: its socket {} can't be used; run this as the host's user",
                    socket.display()
                )
            }),
        }
    }

    fn new(config: &Config, way: Way) -> Result<Self> {
        let namespace = HeaderValue::from_bytes(config.namespace.as_bytes())
            .context("naming the namespace: it holds characters that no header can carry; rename it")?;
        Ok(Self { way, namespace })
    }

    /// Ask for something.
    pub(super) async fn get(&self, path: &[&str], query: &[(&str, String)]) -> Result<Answer> {
        self.send(Method::GET, path, query, None, None).await?.map_err(|problem| said(&problem))
    }

    /// Have something done.
    pub(super) async fn post(&self, path: &[&str], body: &impl Serialize) -> Result<Answer> {
        self.try_post(path, body, None).await?.map_err(|problem| said(&problem))
    }

    /// The same, under the identity of an action where it has one, and with the problem as a value.
    pub(super) async fn try_post(
        &self,
        path: &[&str],
        body: &impl Serialize,
        action: Option<&str>,
    ) -> Result<Result<Answer, Box<ProblemBody>>> {
        let body = serde_json::to_vec(body).context("writing a request")?;
        self.send(Method::POST, path, &[], Some(body), action).await
    }

    /// The same with a query, and with no identity of its own.
    pub(super) async fn try_post_with(
        &self,
        path: &[&str],
        query: &[(&str, String)],
        body: &impl Serialize,
    ) -> Result<Result<Answer, Box<ProblemBody>>> {
        let body = serde_json::to_vec(body).context("writing a request")?;
        self.send(Method::POST, path, query, Some(body), None).await
    }

    async fn send(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, String)],
        body: Option<Vec<u8>>,
        action: Option<&str>,
    ) -> Result<Result<Answer, Box<ProblemBody>>> {
        let target = target(path, query)?;
        let mut request =
            Request::builder().method(method).uri(target).header(NAMESPACE, self.namespace.clone());
        request = request.header(HOST, "localhost").header(CONTENT_TYPE, "application/json");
        if let Some(action) = action {
            request = request.header("idempotency-key", action);
        }
        let request = request.body(body.unwrap_or_default()).context("writing a request")?;
        let response = match &self.way {
            Way::Here(api) => api.answer(request).await.context("answering a request")?,
            Way::Host(socket) => over_socket(socket, request).await?,
        };
        read(&response)
    }
}

/// Send a request to the running host.
async fn over_socket(socket: &Path, request: Request<Vec<u8>>) -> Result<Response<Bytes>> {
    let doing = || format!("asking the running host through {}", socket.display());
    let stream = UnixStream::connect(socket).await.with_context(doing)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.with_context(doing)?;
    let driving = tokio::spawn(connection);
    let response = sender.send_request(request.map(|body| Full::new(Bytes::from(body)))).await;
    let (parts, body) = response.with_context(doing)?.into_parts();
    let body = body.collect().await.with_context(doing)?.to_bytes();
    driving.abort();
    Ok(Response::from_parts(parts, body))
}

fn read(response: &Response<Bytes>) -> Result<Result<Answer, Box<ProblemBody>>> {
    let unread = || format!("reading the host's answer {}", response.status());
    if response.status().is_success() {
        let body = match response.status() {
            StatusCode::NO_CONTENT => Value::Null,
            _ => serde_json::from_slice(response.body()).with_context(unread)?,
        };
        return Ok(Ok(Answer { replayed: response.headers().contains_key(REPLAYED), body }));
    }
    Ok(Err(Box::new(serde_json::from_slice(response.body()).with_context(unread)?)))
}

/// A problem as an error of the command line.
pub(super) fn said(problem: &ProblemBody) -> anyhow::Error {
    match &problem.remedy {
        Some(remedy) => anyhow!("{}; {remedy}", problem.detail),
        None => anyhow!("{}", problem.detail),
    }
}

/// The path and query of a request, with everything escaped that needs it.
fn target(path: &[&str], query: &[(&str, String)]) -> Result<String> {
    // No address can carry these as a name.
    if let Some(name) = path.iter().find(|part| matches!(**part, "" | "." | "..")) {
        bail!("naming something: {name:?} names nothing; take an id or a key as the lists show it");
    }
    let mut url = Url::parse("http://localhost").context("writing a request's address")?;
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.extend(path);
    }
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn a_name_can_hold_anything_and_stays_one_part_of_the_path() {
        let path = target(&["v1", "works", "crm-writer:v1:a/b?c#d ä"], &[("state", "in-doubt".to_owned())]);
        assert_eq!(path.unwrap(), "/v1/works/crm-writer:v1:a%2Fb%3Fc%23d%20%C3%A4?state=in-doubt");
    }
}
