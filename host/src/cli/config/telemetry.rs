//! `[telemetry]`: where traces go.

use crate::cli::config::Config;
use crate::cli::config::SecretRef;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// `[telemetry]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The collector's address for traces, OTLP over HTTP with JSON.
    pub traces: Option<String>,
    /// Headers that the collector wants, by reference.
    pub headers: BTreeMap<String, SecretRef>,
}

impl TelemetryConfig {
    /// The headers with their values.
    pub fn headers(&self, config: &Config) -> Result<HashMap<String, String>> {
        let read = |(name, secret): (&String, &SecretRef)| {
            let value = secret.read(&format!("telemetry.headers.{name}"), config)?;
            Ok((name.clone(), value.trim().to_owned()))
        };
        self.headers.iter().map(read).collect()
    }

    pub(super) fn check(&self) -> Result<()> {
        let Some(address) = &self.traces else {
            if self.headers.is_empty() {
                return Ok(());
            }
            bail!(
                "[telemetry]: `headers` goes with `traces`, the collector's address; set it, or leave them out"
            );
        };
        match url::Url::parse(address) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(()),
            _ => bail!(
                "[telemetry]: `traces` is no http or https address; name the collector's, such as http://localhost:4318/v1/traces"
            ),
        }
    }
}
