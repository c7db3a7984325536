//! Deliveries over HTTP/1.1.
//!
//! Owns the one place that puts requests on the wire, the credentials on their way there, and what is known
//! about a request that has no whole reply. One call, one request: redirects, proxies from the environment,
//! cookies and the client's own retries are off.
//!
//! *Why connections are not kept.* The client below sends a request again by itself when a kept connection
//! turns out to be closed before the request was written, and there is no switch for that in its public
//! settings; and a server that closes a kept connection while a request travels makes every such loss
//! ambiguous. With a fresh connection for each delivery neither can happen: what fails while connecting is
//! certainly not applied, and everything after it is ambiguous. The price is a handshake for each delivery,
//! and a destination's rate limit is far below where that would be felt.
//!
//! | noticed | class |
//! |---|---|
//! | bad address, forbidden address, bad header name | misconfigured, nothing was sent |
//! | a payload that does not fill the address | permanent, nothing was sent |
//! | account not configured | unauthorised, nothing was sent |
//! | name look-up, connecting, TLS, their time-out | not applied |
//! | reset, close, time-out after that, reply cut short | ambiguous |
//! | a reply | `classify` |

use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Client;
use reqwest::Request;
use reqwest::header;
use reqwest::header::HeaderValue;
use thiserror::Error;

use crate::clock::Clock;
use crate::connectors::Connector;
use crate::connectors::address_policy::AddressPolicy;
use crate::connectors::address_policy::AddressRefused;
use crate::connectors::address_policy::GuardedResolver;
use crate::connectors::address_policy::Lookup;
use crate::connectors::address_policy::SystemLookup;
use crate::connectors::answer::Answer;
use crate::connectors::answer::Fault;
use crate::connectors::classify::Reply;
use crate::connectors::classify::classify;
use crate::connectors::envelope::Delivery;
use crate::connectors::look_up;
use crate::connectors::look_up::Found;
use crate::connectors::look_up::Query;
use crate::connectors::secret::Secret;
use crate::connectors::template;

mod request;

/// A connection that does not stand after five seconds rarely comes at all, and nothing is lost by trying
/// later.
pub const DEFAULT_CONNECT_TIMEOUT_MS: u64 = 5_000;

/// CRMs have been seen to take twenty seconds and still apply the write; giving up earlier only makes doubt.
pub const DEFAULT_REQUEST_TIMEOUT_MS: u64 = 30_000;

/// Receipts are stored; 64 KiB is far more than a record's id and its fields need.
pub const DEFAULT_RECEIPT_LIMIT_BYTES: usize = 64 * 1024;

/// The longest cause that is built from a system's own words, which may be anything.
const CAUSE_LIMIT_CHARS: usize = 200;

/// How the connector behaves, and the credentials it may use.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Milliseconds for name look-up, connecting and TLS together; not zero.
    pub connect_timeout_ms: u64,
    /// Milliseconds from the standing connection to the last byte of the reply; not zero.
    pub request_timeout_ms: u64,
    /// A receipt's body is read up to this many bytes and cut there.
    pub receipt_limit_bytes: usize,
    /// Whether destinations may be in the operator's own network.
    pub allow_private_addresses: bool,
    /// `Authorization` values by account name.
    pub accounts: HashMap<String, Secret>,
}

impl Default for HttpSettings {
    fn default() -> HttpSettings {
        HttpSettings {
            connect_timeout_ms: DEFAULT_CONNECT_TIMEOUT_MS,
            request_timeout_ms: DEFAULT_REQUEST_TIMEOUT_MS,
            receipt_limit_bytes: DEFAULT_RECEIPT_LIMIT_BYTES,
            allow_private_addresses: false,
            accounts: HashMap::new(),
        }
    }
}

impl HttpSettings {
    /// The longest time in milliseconds that one delivery can take; a row's lease must be longer.
    #[must_use]
    pub fn longest_delivery_ms(&self) -> u64 {
        self.connect_timeout_ms.saturating_add(self.request_timeout_ms)
    }
}

/// Why a connector could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HttpConnectorError {
    /// A time-out of zero would fail every delivery.
    #[error(
        "setting up deliveries: `{name}` is 0, which fails every delivery; give it in milliseconds, for instance 5000"
    )]
    ZeroTimeout {
        /// The setting.
        name: &'static str,
    },
    /// A credential can't be sent as a header.
    #[error(
        "setting up deliveries: the credential of account `{account}` can't be an Authorization header; \
         look for a line break or other control characters in it"
    )]
    Credential {
        /// The account's name.
        account: String,
    },
    /// The HTTP client could not be built.
    #[error(
        "setting up deliveries: the HTTPS client can't start; \
         check that the system's CA certificates are installed (package `ca-certificates`, or `SSL_CERT_FILE`)"
    )]
    Client {
        /// What the client said.
        source: reqwest::Error,
    },
}

/// Sends deliveries over HTTP/1.1, each on a connection of its own.
pub struct HttpConnector {
    client: Client,
    policy: AddressPolicy,
    receipt_limit_bytes: usize,
    accounts: HashMap<String, (Secret, HeaderValue)>,
    clock: Arc<dyn Clock>,
}

impl HttpConnector {
    /// A connector that uses the system's name service; `clock` is needed for dates in `Retry-After`.
    ///
    /// # Errors
    /// [`HttpConnectorError`], where the settings can't work or the client can't start.
    pub fn new(settings: HttpSettings, clock: Arc<dyn Clock>) -> Result<HttpConnector, HttpConnectorError> {
        HttpConnector::with_lookup(settings, clock, Arc::new(SystemLookup))
    }

    /// The same with another name service.
    ///
    /// # Errors
    /// As [`HttpConnector::new`].
    pub fn with_lookup(
        settings: HttpSettings,
        clock: Arc<dyn Clock>,
        lookup: Arc<dyn Lookup>,
    ) -> Result<HttpConnector, HttpConnectorError> {
        for (name, value_ms) in [
            ("connect_timeout_ms", settings.connect_timeout_ms),
            ("request_timeout_ms", settings.request_timeout_ms),
        ] {
            if value_ms == 0 {
                return Err(HttpConnectorError::ZeroTimeout { name });
            }
        }
        let policy = AddressPolicy { allow_private: settings.allow_private_addresses };
        let client = client(&settings, GuardedResolver::new(policy, lookup))?;
        let mut accounts = HashMap::new();
        for (name, secret) in settings.accounts {
            let Ok(value) = secret.header() else {
                return Err(HttpConnectorError::Credential { account: name });
            };
            accounts.insert(name, (secret, value));
        }
        Ok(HttpConnector {
            client,
            policy,
            receipt_limit_bytes: settings.receipt_limit_bytes,
            accounts,
            clock,
        })
    }

    /// The request of a delivery and the credential in it, or the answer where it can't be made.
    fn request(&self, delivery: &Delivery<'_>) -> Result<(Request, Option<&Secret>), Answer> {
        let envelope = delivery.envelope;
        let permanent = |cause| Answer::Permanent(Fault::without_reply(cause));
        let url = self.target(&envelope.url, delivery.key, delivery.body)?;
        let mut request = Request::new(request::method(envelope.method), url);
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let (name, key) = request::key_header(&envelope.key_header, delivery.key)
            .map_err(|cause| Answer::Misconfigured(Fault::without_reply(cause)))?;
        headers.insert(name, key);
        let body = match &envelope.fingerprint {
            Some(place) => {
                template::with_fingerprint(delivery.body, place, delivery.key).map_err(permanent)?
            }
            None => delivery.body.to_vec(),
        };
        *request.body_mut() = Some(body.into());
        let secret = self.sign(&mut request, envelope.account.as_deref())?;
        Ok((request, secret))
    }

    /// The request of a look-up, or the answer where it can't be made.
    fn look_up_request(&self, query: &Query<'_>) -> Result<(Request, Option<&Secret>), Answer> {
        let url = self.target(&query.look_up.url, query.key, query.body)?;
        let mut request = Request::new(reqwest::Method::GET, url);
        let secret = self.sign(&mut request, query.account)?;
        Ok((request, secret))
    }

    /// The address with its places filled. A place that the payload leaves empty is the row's fault, everything else the
    /// destination's.
    fn target(&self, url: &str, key: &str, body: &[u8]) -> Result<url::Url, Answer> {
        let filled =
            template::fill(url, key, body).map_err(|cause| Answer::Permanent(Fault::without_reply(cause)))?;
        request::target(self.policy, &filled)
            .map_err(|cause| Answer::Misconfigured(Fault::without_reply(cause)))
    }

    /// Add the account's credential.
    fn sign(&self, request: &mut Request, account: Option<&str>) -> Result<Option<&Secret>, Answer> {
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        let Some(account) = account else { return Ok(None) };
        let Some((secret, value)) = self.accounts.get(account) else {
            let cause = format!(
                "no credential is configured for the account `{account}`: add it, then resume the destination"
            );
            return Err(Answer::Unauthorised(Fault::without_reply(cause)));
        };
        headers.insert(header::AUTHORIZATION, value.clone());
        Ok(Some(secret))
    }

    /// One request and its whole reply, or what is known where there is none.
    async fn exchange(&self, request: Request, secret: Option<&Secret>) -> Result<Exchange, Answer> {
        let mut response = self.client.execute(request).await.map_err(|error| without_reply(&error))?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let (bytes, truncated) = match read(&mut response, self.receipt_limit_bytes).await {
            Ok(read) => read,
            Err(error) => {
                let cause = format!("the reply ({status}) was cut short: {}", innermost(&error));
                return Err(Answer::Ambiguous(Fault { status: Some(status), ..Fault::without_reply(cause) }));
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

/// A reply that arrived whole, or cut at the receipt's limit.
struct Exchange {
    status: u16,
    retry_after: Option<String>,
    body: String,
    truncated: bool,
    valid_text: bool,
}

impl Exchange {
    fn reply(&self) -> Reply<'_> {
        Reply {
            status: self.status,
            retry_after: self.retry_after.as_deref(),
            body: &self.body,
            truncated: self.truncated,
            valid_text: self.valid_text,
        }
    }
}

#[async_trait]
impl Connector for HttpConnector {
    async fn deliver(&self, delivery: Delivery<'_>) -> Answer {
        let (request, secret) = match self.request(&delivery) {
            Ok(ready) => ready,
            Err(answer) => return answer,
        };
        match self.exchange(request, secret).await {
            Ok(exchange) => {
                classify(delivery.envelope, &exchange.reply(), delivery.maybe_applied, self.clock.now_ms())
            }
            Err(answer) => answer,
        }
    }

    async fn look_up(&self, query: Query<'_>) -> Found {
        let (request, secret) = match self.look_up_request(&query) {
            Ok(ready) => ready,
            Err(answer) => return Found::from(answer),
        };
        match self.exchange(request, secret).await {
            Ok(exchange) => look_up::read(query.look_up, &exchange.reply(), self.clock.now_ms()),
            Err(answer) => Found::from(answer),
        }
    }
}

fn client(settings: &HttpSettings, resolver: GuardedResolver) -> Result<Client, HttpConnectorError> {
    // The client takes its cryptography from the process's default. That one is already installed is no
    // fault: it is then as good.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
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
        // "not applied", and a request has its full time.
        .timeout(Duration::from_millis(settings.longest_delivery_ms()))
        .build()
        .map_err(|source| HttpConnectorError::Client { source })
}

/// What is known where no reply came. Connecting is the only phase that certainly comes before the request.
fn without_reply(error: &reqwest::Error) -> Answer {
    if let Some(refused) = sources(error).find_map(|source| source.downcast_ref::<AddressRefused>()) {
        return Answer::Misconfigured(Fault::without_reply(refused.to_string()));
    }
    let words = innermost(error);
    if error.is_builder() {
        return Answer::Misconfigured(Fault::without_reply(format!("the request can't be made: {words}")));
    }
    if error.is_connect() {
        return Answer::NotApplied(Fault::without_reply(format!(
            "connecting failed before the request was sent: {words}"
        )));
    }
    Answer::Ambiguous(Fault::without_reply(format!(
        "no reply came after the request may have been sent: {words}"
    )))
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

#[cfg(test)]
mod tests;
