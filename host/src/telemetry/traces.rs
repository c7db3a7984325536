//! Traces for an OpenTelemetry collector (OTLP over HTTP, JSON), where the operator names one.
//!
//! A span is a request or a run; it carries the request's id or the work's, and never a payload.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::HttpClient;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use std::collections::HashMap;
use std::sync::Arc;

/// The name under which a collector knows the host.
const SERVICE: &str = "onceward";

/// Where traces go.
#[derive(Debug)]
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// To this address, such as `http://localhost:4318/v1/traces`, with further headers where the collector wants any.
    ///
    /// # Errors
    /// [`ExporterBuildError`], where the address is none.
    pub fn to(
        endpoint: &str,
        headers: HashMap<String, String>,
        client: Arc<dyn HttpClient>,
    ) -> Result<Self, ExporterBuildError> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_shared_http_client(client)
            .with_endpoint(endpoint)
            .with_headers(headers)
            .build()?;
        let resource = Resource::builder().with_service_name(SERVICE).build();
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(Self(provider))
    }

    pub(super) fn tracer(&self) -> SdkTracer {
        self.0.tracer(SERVICE)
    }

    /// Send what is not sent yet. It blocks until the collector has answered, or does not.
    pub fn end(&self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last traces were not delivered");
        }
    }
}
