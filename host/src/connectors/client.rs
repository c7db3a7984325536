//! The HTTP client that every call to the outside goes through.
//!
//! Owns how a connection is made, checked and read: system certificates, name look-ups under an [`AddressPolicy`], a
//! time-out for connecting and one for the reply, a body that is read up to a limit and freed of the credential that was
//! sent. It refuses redirects, proxies from the environment, cookies, kept connections and the client's own retries: one
//! call of [`HttpClient::exchange`] is at most one request.
//!
//! It fails as [`NoReply`], which says whether the request may have reached the other side. What a reply means is the
//! caller's.

use crate::connectors::address_policy::AddressPolicy;
use crate::connectors::address_policy::AddressRefused;
use crate::connectors::address_policy::GuardedResolver;
use crate::connectors::address_policy::Lookup;
use crate::connectors::secret::Secret;
use reqwest::Client;
use reqwest::Request;
use reqwest::header;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use url::Host;
use url::Url;

/// A connection that does not stand after five seconds rarely comes at all, and nothing is lost by trying
/// later.
pub const DEFAULT_CONNECT_TIMEOUT_MS: u64 = 5_000;

/// CRMs have been seen to take twenty seconds and still apply the write, and models think for as long; giving up earlier
/// only makes doubt.
pub const DEFAULT_REQUEST_TIMEOUT_MS: u64 = 30_000;

/// The longest cause that is built from a system's own words, which may be anything.
const CAUSE_LIMIT_CHARS: usize = 200;

/// How calls are made.
#[derive(Clone, Copy, Debug)]
pub struct ClientSettings {
    /// Milliseconds for name look-up, connecting and TLS together; not zero.
    pub connect_timeout_ms: u64,
    /// Milliseconds from the standing connection to the last byte of the reply; not zero.
    pub request_timeout_ms: u64,
    /// A reply's body is read up to this many bytes and cut there.
    pub body_limit_bytes: usize,
    /// Which addresses may be called.
    pub policy: AddressPolicy,
}

/// Why there is no client.
#[derive(Debug, Error)]
pub enum ClientError {
    /// A time-out of zero would fail every call.
    #[error(
        "setting up calls: `{name}` is 0, which fails every call; give it in milliseconds, for instance 5000"
    )]
    ZeroTimeout {
        /// The setting.
        name: &'static str,
    },
    /// The HTTP client could not be built.
    #[error(
        "setting up calls: the HTTPS client can't start; \
         check that the system's CA certificates are installed (package `ca-certificates`, or `SSL_CERT_FILE`)"
    )]
    Client {
        /// What the client said.
        source: reqwest::Error,
    },
}

/// Why there is no whole reply. Each cause is one short line that never repeats the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoReply {
    /// The request can't be made as it is set up; nothing was sent.
    Misconfigured(String),
    /// Connecting failed, so that nothing was sent.
    NotSent(String),
    /// The request may have reached the other side, and its reply did not come back whole.
    Lost {
        /// The reply's status, where that much came.
        status: Option<u16>,
        /// What went wrong.
        cause: String,
    },
}

/// A reply that arrived whole, or cut at the limit.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The status code.
    pub status: u16,
    /// The `Retry-After` header, where there is one.
    pub retry_after: Option<String>,
    /// The body as text, without the credential that was sent; bytes that are not UTF-8 are replaced.
    pub body: String,
    /// Whether the body was cut at the limit.
    pub truncated: bool,
    /// Whether the body's bytes were UTF-8.
    pub valid_text: bool,
}

/// Makes calls, each on a connection of its own.
#[derive(Clone, Debug)]
pub struct HttpClient {
    client: Client,
    policy: AddressPolicy,
    body_limit_bytes: usize,
}

impl HttpClient {
    /// A client that looks names up with `lookup`.
    ///
    /// # Errors
    /// [`ClientError`], where the settings can't work or the client can't start.
    pub fn new(settings: ClientSettings, lookup: Arc<dyn Lookup>) -> Result<Self, ClientError> {
        for (name, value_ms) in [
            ("connect_timeout_ms", settings.connect_timeout_ms),
            ("request_timeout_ms", settings.request_timeout_ms),
        ] {
            if value_ms == 0 {
                return Err(ClientError::ZeroTimeout { name });
            }
        }
        let client = client(&settings, GuardedResolver::new(settings.policy, lookup))?;
        Ok(Self { client, policy: settings.policy, body_limit_bytes: settings.body_limit_bytes })
    }

    /// The address, if it may be called; else why not, in the words of `setting`, which holds it.
    ///
    /// # Errors
    /// What is wrong, without the address, since some hold a token in their path.
    pub fn target(&self, setting: &str, url: &str) -> Result<Url, String> {
        let url = Url::parse(url).map_err(|error| {
            format!("{setting} can't be read ({error}): give an absolute http or https address")
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!(
                "{setting} has the scheme `{}`: only http and https are called",
                url.scheme()
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("{setting} holds a credential: put it into an account and name the account"));
        }
        // The client connects to literal addresses without asking its resolver, so they are checked here.
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            Some(Host::Domain(_)) | None => None,
        };
        if let Some(address) = literal {
            self.policy
                .check(url.host_str().unwrap_or_default(), address)
                .map_err(|refused| refused.to_string())?;
        }
        Ok(url)
    }

    /// One request and its whole reply. Where the request carries a credential, `secret` is that, so that a reply that
    /// echoes it is freed of it.
    ///
    /// # Errors
    /// [`NoReply`].
    pub async fn exchange(&self, request: Request, secret: Option<&Secret>) -> Result<Exchange, NoReply> {
        let mut response = self.client.execute(request).await.map_err(|error| without_reply(&error))?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let (bytes, truncated) = match read(&mut response, self.body_limit_bytes).await {
            Ok(read) => read,
            Err(error) => {
                let cause = format!("the reply ({status}) was cut short: {}", innermost(&error));
                return Err(NoReply::Lost { status: Some(status), cause });
            }
        };
        // The rest of a cut body is not read: the connection ends here.
        drop(response);
        let text = String::from_utf8_lossy(&bytes);
        let body = secret.map_or_else(|| text.to_string(), |secret| secret.redact(&text));
        // A cut may fall into the middle of a character, which does not make the rest less of a text.
        let valid_text = std::str::from_utf8(&bytes)
            .map_or_else(|error| truncated && error.error_len().is_none(), |_| true);
        Ok(Exchange { status, retry_after, body, truncated, valid_text })
    }
}

fn client(settings: &ClientSettings, resolver: GuardedResolver) -> Result<Client, ClientError> {
    // The client takes its cryptography from the process's default. That one is already installed is no
    // fault: it is then as good.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let whole_ms = settings.connect_timeout_ms.saturating_add(settings.request_timeout_ms);
    Client::builder()
        .user_agent(concat!("onceward/", env!("CARGO_PKG_VERSION")))
        .http1_only()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .pool_max_idle_per_host(0)
        .dns_resolver(resolver)
        .connect_timeout(Duration::from_millis(settings.connect_timeout_ms))
        // The client's total starts before connecting; with both added up, a slow connection always ends as
        // "not sent", and a request has its full time.
        .timeout(Duration::from_millis(whole_ms))
        .build()
        .map_err(|source| ClientError::Client { source })
}

/// What is known where no reply came. Connecting is the only phase that certainly comes before the request.
fn without_reply(error: &reqwest::Error) -> NoReply {
    if let Some(refused) = sources(error).find_map(|source| source.downcast_ref::<AddressRefused>()) {
        return NoReply::Misconfigured(refused.to_string());
    }
    let words = innermost(error);
    if error.is_builder() {
        return NoReply::Misconfigured(format!("the request can't be made: {words}"));
    }
    if error.is_connect() {
        return NoReply::NotSent(format!("connecting failed before the request was sent: {words}"));
    }
    let cause = format!("no reply came after the request may have been sent: {words}");
    NoReply::Lost { status: None, cause }
}

fn sources<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let first: &(dyn StdError + 'static) = error;
    std::iter::successors(Some(first), |error| (**error).source())
}

/// The words of the deepest source, which say what happened and, unlike the outer ones, never repeat the
/// address.
fn innermost(error: &reqwest::Error) -> String {
    let words = sources(error).skip(1).last().map_or_else(|| "unknown".to_owned(), ToString::to_string);
    words.chars().take(CAUSE_LIMIT_CHARS).collect()
}

/// The body up to `limit_bytes`, and whether there was more.
async fn read(
    response: &mut reqwest::Response,
    limit_bytes: usize,
) -> Result<(Vec<u8>, bool), reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let room = limit_bytes - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}
