//! The way of traces to their collector: one HTTP request for each batch.
//!
//! A collector stands mostly in one's own network, so that private addresses are allowed. What can't be delivered is lost:
//! traces are for looking, and nothing of the ledger depends on them.

use crate::connectors::address_policy::{AddressPolicy, SystemLookup};
use crate::connectors::client::{
    ClientError, ClientSettings, DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_REQUEST_TIMEOUT_MS, HttpClient, NoReply,
};
use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpError, Request, Response};
use std::sync::Arc;
use tokio::runtime::Handle;

/// As much of a collector's answer as is read, in bytes; it says what it refused.
const ANSWER_LIMIT_BYTES: usize = 64 * 1024;

/// Sends batches of traces. They come from a thread of the exporter, and are sent on the runtime's.
#[derive(Debug)]
pub struct OtlpClient {
    client: HttpClient,
    runtime: Handle,
}

impl OtlpClient {
    /// A client on this runtime.
    ///
    /// # Errors
    /// [`ClientError`], where it can't start.
    pub fn new(runtime: Handle) -> Result<Self, ClientError> {
        let settings = ClientSettings {
            connect_timeout_ms: DEFAULT_CONNECT_TIMEOUT_MS,
            request_timeout_ms: DEFAULT_REQUEST_TIMEOUT_MS,
            body_limit_bytes: ANSWER_LIMIT_BYTES,
            policy: AddressPolicy { allow_private: true, refuse_public: false },
        };
        Ok(Self { client: HttpClient::new(settings, Arc::new(SystemLookup))?, runtime })
    }
}

#[async_trait]
impl opentelemetry_http::HttpClient for OtlpClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let client = self.client.clone();
        let exchange = self.runtime.spawn(async move { client.exchange(request, None).await }).await?;
        let exchange = exchange.map_err(|error| match error {
            NoReply::Misconfigured(cause) | NoReply::NotSent(cause) | NoReply::Lost { cause, .. } => cause,
        })?;
        Ok(Response::builder().status(exchange.status).body(Bytes::from(exchange.body))?)
    }
}
