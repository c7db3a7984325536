//! Models over HTTP: every provider that speaks the OpenAI way of chat completions.
//!
//! Owns where a model is and what it costs ([`HttpModelSettings`]), one call, and the class of what comes back:
//!
//! | noticed | is |
//! |---|---|
//! | an answer | the answer, JSON text for the caller to check |
//! | no connection, no whole reply, a time-out, 408, 425, 429, 5xx | unavailable, with the provider's `Retry-After` |
//! | every other status, an address that may not be called | refused: the same question would be refused again |
//! | a refusal by the model, a content filter | declined |
//! | an answer that stopped at its limit | cut off |
//! | a reply that is no completion | invalid |
//!
//! It makes one request a call, over the client that deliveries use, and never asks again by itself. What a provider says
//! in its own words may quote the question or a part of the key: those words go to the log at the level `debug` alone,
//! without the key, and an error carries the provider's short codes.

mod question;
mod reply;

use crate::clock::Clock;
use crate::connectors::Secret;
use crate::connectors::address_policy::{AddressPolicy, SystemLookup};
use crate::connectors::client::{ClientError, ClientSettings, Exchange, HttpClient, NoReply};
use crate::connectors::retry_after;
use crate::models::Model;
use crate::models::ModelError;
use crate::models::ModelReply;
use crate::models::ModelRequest;
use crate::models::http::question::Question;
use crate::models::http::reply::Completion;
use crate::models::http::reply::Refusal;
use async_trait::async_trait;
use reqwest::Method;
use reqwest::Request;
use reqwest::header;
use reqwest::header::HeaderValue;
use std::sync::Arc;
use url::Url;

pub use crate::models::http::reply::Prices;

/// A reply of more than this is no answer to a step's question, in bytes; the answer itself has a limit of its own.
const REPLY_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// Where completions are asked for, below the base address.
const PATH: &str = "/chat/completions";

/// A model of a provider.
#[derive(Clone, Debug)]
pub struct HttpModelSettings {
    /// The provider's base address, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The provider's name for the model.
    pub model: String,
    /// The key, as the `Authorization` header's whole value.
    pub authorization: Option<Secret>,
    /// Milliseconds for name look-up, connecting and TLS together; not zero.
    pub connect_timeout_ms: u64,
    /// Milliseconds from the standing connection to the last byte of the reply; not zero.
    pub request_timeout_ms: u64,
    /// The most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// Whether it may be in the operator's own network. Only there may it be asked in plain text.
    pub allow_private_addresses: bool,
}

/// Why a model could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum HttpModelError {
    /// The address can't be called.
    #[error("setting up a model: {0}")]
    Address(String),
    /// The key can't be sent as a header.
    #[error(
        "setting up a model: the key that `api_key` names can't be an Authorization header; \
         look for a line break or other control characters in it"
    )]
    Key,
    /// The HTTP client could not be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Asks a model over HTTP/1.1, each call on a connection of its own.
pub struct HttpModel {
    client: HttpClient,
    target: Url,
    model: String,
    authorization: Option<(Secret, HeaderValue)>,
    max_tokens: Option<u32>,
    prices: Option<Prices>,
    clock: Arc<dyn Clock>,
}

impl HttpModel {
    /// A model of these settings; `clock` is needed for dates in `Retry-After`.
    ///
    /// # Errors
    /// [`HttpModelError`], where the settings can't work or the client can't start.
    pub fn new(settings: HttpModelSettings, clock: Arc<dyn Clock>) -> Result<Self, HttpModelError> {
        let url = format!("{}{PATH}", settings.base_url.trim_end_matches('/'));
        let policy = AddressPolicy {
            allow_private: settings.allow_private_addresses,
            refuse_public: !url.starts_with("https:"),
        };
        let client = ClientSettings {
            connect_timeout_ms: settings.connect_timeout_ms,
            request_timeout_ms: settings.request_timeout_ms,
            body_limit_bytes: REPLY_LIMIT_BYTES,
            policy,
        };
        let client = HttpClient::new(client, Arc::new(SystemLookup))?;
        let target = client.target("the model's `base_url`", &url).map_err(HttpModelError::Address)?;
        let authorization = match settings.authorization {
            Some(secret) => {
                let value = secret.header().map_err(|_| HttpModelError::Key)?;
                Some((secret, value))
            }
            None => None,
        };
        Ok(Self {
            client,
            target,
            model: settings.model,
            authorization,
            max_tokens: settings.max_tokens,
            prices: settings.prices,
            clock,
        })
    }

    fn request(&self, question: &ModelRequest) -> Result<Request, String> {
        let body = Question::of(question, &self.model, self.max_tokens)?;
        let body = serde_json::to_vec(&body).map_err(|error| format!("it can't be written: {error}"))?;
        let mut request = Request::new(Method::POST, self.target.clone());
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        if let Some((_, value)) = &self.authorization {
            headers.insert(header::AUTHORIZATION, value.clone());
        }
        *request.body_mut() = Some(body.into());
        Ok(request)
    }

    fn read(&self, name: &str, exchange: &Exchange) -> ModelReply {
        match exchange.status {
            200..=299 => Completion::read(exchange).reply(name, self.prices.as_ref()),
            status => ModelReply::failed(self.refused(name, status, exchange)),
        }
    }

    fn refused(&self, name: &str, status: u16, exchange: &Exchange) -> ModelError {
        let refusal = Refusal::read(&exchange.body);
        tracing::debug!(model = name, status, message = %refusal.message, "the provider's words");
        let model = name.to_owned();
        let wait = || {
            let asked = exchange.retry_after.as_deref()?;
            retry_after::parse(asked, self.clock.now_ms())
        };
        match status {
            408 | 425 | 429 | 500..=599 => {
                let cause = format!("it answered {status}{}", refusal.codes);
                ModelError::Unavailable { model, cause, retry_after_ms: wait() }
            }
            401 | 403 => {
                let cause = format!("it answered {status}: renew the key that `api_key` names");
                ModelError::Refused { model, cause }
            }
            300..=399 => {
                let cause =
                    format!("it answered {status}: redirects are not followed, so correct `base_url`");
                ModelError::Refused { model, cause }
            }
            _ => ModelError::Refused { model, cause: format!("it answered {status}{}", refusal.codes) },
        }
    }
}

#[async_trait]
impl Model for HttpModel {
    async fn ask(&self, request: &ModelRequest) -> ModelReply {
        let name = &request.model;
        let refused = |cause| ModelError::Refused { model: name.clone(), cause };
        let unavailable =
            |cause| ModelError::Unavailable { model: name.clone(), cause, retry_after_ms: None };
        let outgoing = match self.request(request) {
            Ok(outgoing) => outgoing,
            Err(cause) => return ModelReply::failed(refused(cause)),
        };
        let secret = self.authorization.as_ref().map(|(secret, _)| secret);
        match self.client.exchange(outgoing, secret).await {
            Ok(exchange) => self.read(name, &exchange),
            Err(NoReply::Misconfigured(cause)) => ModelReply::failed(refused(cause)),
            Err(NoReply::NotSent(cause) | NoReply::Lost { cause, .. }) => {
                ModelReply::failed(unavailable(cause))
            }
        }
    }
}

#[cfg(test)]
mod tests;
