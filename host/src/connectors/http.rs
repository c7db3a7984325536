//! Deliveries over HTTP/1.1.
//!
//! Owns what a delivery's request is made of, the credentials on their way there, and what is known about a
//! request that has no whole reply. One call, one request, through [`HttpClient`].
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
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Request;
use reqwest::header;
use reqwest::header::{HeaderName, HeaderValue};
use thiserror::Error;

use crate::clock::Clock;
use crate::connectors::Connector;
use crate::connectors::address_policy::AddressPolicy;
use crate::connectors::address_policy::Lookup;
use crate::connectors::address_policy::SystemLookup;
use crate::connectors::answer::Answer;
use crate::connectors::answer::Fault;
use crate::connectors::classify::Reply;
use crate::connectors::classify::classify;
use crate::connectors::client::ClientError;
use crate::connectors::client::ClientSettings;
use crate::connectors::client::DEFAULT_CONNECT_TIMEOUT_MS;
use crate::connectors::client::DEFAULT_REQUEST_TIMEOUT_MS;
use crate::connectors::client::Exchange;
use crate::connectors::client::HttpClient;
use crate::connectors::client::NoReply;
use crate::connectors::envelope::Delivery;
use crate::connectors::look_up;
use crate::connectors::look_up::Found;
use crate::connectors::look_up::Query;
use crate::connectors::secret::Secret;
use crate::connectors::template;

mod request;

/// Receipts are stored; 64 KiB is far more than a record's id and its fields need.
pub const DEFAULT_RECEIPT_LIMIT_BYTES: usize = 64 * 1024;

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
    /// Credentials by account name.
    pub accounts: HashMap<String, Secret>,
    /// The header that a credential goes out in.
    pub credential_header: String,
}

impl Default for HttpSettings {
    fn default() -> HttpSettings {
        HttpSettings {
            connect_timeout_ms: DEFAULT_CONNECT_TIMEOUT_MS,
            request_timeout_ms: DEFAULT_REQUEST_TIMEOUT_MS,
            receipt_limit_bytes: DEFAULT_RECEIPT_LIMIT_BYTES,
            allow_private_addresses: false,
            accounts: HashMap::new(),
            credential_header: header::AUTHORIZATION.to_string(),
        }
    }
}

impl HttpSettings {
    /// The longest time in milliseconds that one delivery can take; a row's lease must be longer.
    #[must_use]
    pub fn longest_delivery_ms(&self) -> u64 {
        self.connect_timeout_ms.saturating_add(self.request_timeout_ms)
    }

    fn client(&self) -> ClientSettings {
        ClientSettings {
            connect_timeout_ms: self.connect_timeout_ms,
            request_timeout_ms: self.request_timeout_ms,
            body_limit_bytes: self.receipt_limit_bytes,
            policy: AddressPolicy { allow_private: self.allow_private_addresses, ..AddressPolicy::default() },
        }
    }
}

/// Why a connector could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HttpConnectorError {
    /// The client could not be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A credential can't be sent as a header.
    #[error(
        "setting up deliveries: the credential of account `{account}` can't be the value of a header; \
         look for a line break or other control characters in it"
    )]
    Credential {
        /// The account's name.
        account: String,
    },
    /// The header for the credential is none, or one that the request needs for itself.
    #[error(
        "setting up deliveries: a credential can't go out in the header {header:?}, which is no header name or one \
         that the request needs for itself; take the one that the receiver documents, such as `X-Api-Key`"
    )]
    CredentialHeader {
        /// The header's name.
        header: String,
    },
}

/// Sends deliveries over HTTP/1.1, each on a connection of its own.
pub struct HttpConnector {
    client: HttpClient,
    accounts: HashMap<String, (Secret, HeaderValue)>,
    credential_header: HeaderName,
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
        let client = HttpClient::new(settings.client(), lookup)?;
        let mut accounts = HashMap::new();
        for (name, secret) in settings.accounts {
            let Ok(value) = secret.header() else {
                return Err(HttpConnectorError::Credential { account: name });
            };
            accounts.insert(name, (secret, value));
        }
        let credential_header = request::credential_header(&settings.credential_header)
            .ok_or(HttpConnectorError::CredentialHeader { header: settings.credential_header })?;
        Ok(HttpConnector { client, accounts, credential_header, clock })
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
        if name == self.credential_header {
            let cause = format!("`key_header` is `{name}`, in which the credential goes out: choose another");
            return Err(Answer::Misconfigured(Fault::without_reply(cause)));
        }
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
        self.client
            .target("the destination's `url`", &filled)
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
        headers.insert(&self.credential_header, value.clone());
        Ok(Some(secret))
    }

    /// One request and its whole reply, or what is known where there is none.
    async fn exchange(&self, request: Request, secret: Option<&Secret>) -> Result<Exchange, Answer> {
        self.client.exchange(request, secret).await.map_err(|no_reply| match no_reply {
            NoReply::Misconfigured(cause) => Answer::Misconfigured(Fault::without_reply(cause)),
            NoReply::NotSent(cause) => Answer::NotApplied(Fault::without_reply(cause)),
            NoReply::Lost { status, cause } => {
                Answer::Ambiguous(Fault { status, ..Fault::without_reply(cause) })
            }
        })
    }
}

/// A reply, as it is classed.
fn reply(exchange: &Exchange) -> Reply<'_> {
    Reply {
        status: exchange.status,
        retry_after: exchange.retry_after.as_deref(),
        body: &exchange.body,
        truncated: exchange.truncated,
        valid_text: exchange.valid_text,
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
                classify(delivery.envelope, &reply(&exchange), delivery.maybe_applied, self.clock.now_ms())
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
            Ok(exchange) => look_up::read(query.look_up, &reply(&exchange), self.clock.now_ms()),
            Err(answer) => Found::from(answer),
        }
    }
}

#[cfg(test)]
mod tests;
