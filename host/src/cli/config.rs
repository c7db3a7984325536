//! The configuration file, `onceward.toml`, as it is written and as it is meant.
//!
//! Owns reading it and the types it is read into. Refuses what TOML or the types refuse, with the position and without
//! the line itself, since that may hold a credential; then what does not fit together (`check`).

mod bound;
mod check;
mod http;
mod progress;
mod model;
mod same_text;
mod secret_ref;
mod serve;
mod source;
mod telemetry;

pub use crate::cli::config::http::HttpConfig;
pub use crate::cli::config::model::ModelConfig;
pub use crate::cli::config::progress::{MirrorConfig, ProgressConfig};
pub use crate::cli::config::same_text::SameTextConfig;
pub use crate::cli::config::secret_ref::SecretRef;
pub use crate::cli::config::serve::ServeConfig;
pub use crate::cli::config::source::{PlaceConfig, SourceConfig, TimeConfig};
pub use crate::cli::config::telemetry::TelemetryConfig;

use crate::contract::response::Response;
use crate::contract::tier::Tier;
use crate::contract::window::Window;
use crate::dispatch::retry::RetryPolicy;
use crate::identity::json_text::line_and_column;
use crate::runtime::limits::Limits;
use crate::runtime::room::QUEUE_DEFAULT;
use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file's name where none is given.
pub const FILE: &str = "onceward.toml";

/// A day in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The commented file that `onceward init` writes.
pub const DEFAULT: &str = include_str!("config.default.toml");

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The namespace everything lives in.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The steps in order.
    #[serde(default)]
    pub flow: Vec<String>,
    /// The ledger.
    #[serde(default)]
    pub store: StoreConfig,
    /// The service.
    #[serde(default)]
    pub serve: ServeConfig,
    /// Who is told of what goes on.
    #[serde(default)]
    pub telemetry: TelemetryConfig,
    /// The sandbox.
    #[serde(default)]
    pub runtime: RuntimeConfig,
    /// The stages.
    #[serde(default)]
    pub progress: ProgressConfig,
    /// What is forgotten.
    #[serde(default)]
    pub retention: RetentionConfig,
    /// Who is told of what stops.
    pub alerts: Option<AlertsConfig>,
    /// The steps.
    #[serde(default, rename = "step")]
    pub steps: Vec<StepConfig>,
    /// The models by name.
    #[serde(default, rename = "model")]
    pub models: BTreeMap<String, ModelConfig>,
    /// The destinations by name.
    #[serde(default, rename = "destination")]
    pub destinations: BTreeMap<String, DestinationConfig>,
    /// Who sends events, by name.
    #[serde(default, rename = "source")]
    pub sources: BTreeMap<String, SourceConfig>,
    /// The folder that paths are relative to.
    #[serde(skip)]
    pub dir: PathBuf,
}

/// `[store]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// The file.
    pub path: PathBuf,
    /// The size at which writes are refused, in bytes.
    pub max_bytes: Option<u64>,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self { path: "onceward.db".into(), max_bytes: None }
    }
}

/// `[runtime]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuntimeConfig {
    /// Where compiled steps are kept.
    pub cache_dir: PathBuf,
    /// Steps that may run at once.
    pub instances: u32,
    /// Callers that may wait for a place to run in.
    pub queue: u32,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self { cache_dir: ".onceward/cache".into(), instances: 16, queue: QUEUE_DEFAULT }
    }
}

/// `[retention]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// How long decisions are kept that no work refers to, in days. Without it, for ever.
    pub decisions_days: Option<u32>,
}

impl RetentionConfig {
    /// The same in milliseconds.
    #[must_use]
    pub fn decisions_max_age_ms(&self) -> Option<i64> {
        self.decisions_days.map(|days| i64::from(days) * DAY_MS)
    }
}

/// `[alerts]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertsConfig {
    /// The destination that gets a row for each work and row that stops.
    pub destination: String,
}

/// `[[step]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepConfig {
    /// The component file.
    pub plugin: PathBuf,
    /// Models it is granted.
    #[serde(default)]
    pub models: Vec<String>,
    /// Destinations it is granted.
    #[serde(default)]
    pub destinations: Vec<String>,
    /// What one run may use.
    #[serde(default)]
    pub limits: Limits,
    /// When a failed run is tried again.
    #[serde(default)]
    pub retry: RetryPolicy,
    /// A longer window than the contract's.
    pub window: Option<Window>,
    /// A response that gives a duplicate less than the contract does.
    pub response: Option<Response>,
    /// How long a claim holds, in milliseconds.
    pub lease_ms: Option<u64>,
    /// Decisions, by the names that the step gives them, that a person must approve before the step may have them.
    #[serde(default)]
    pub hold_decisions: Vec<String>,
    /// How long a request can be approved, in hours.
    pub hold_expires_hours: Option<u64>,
}

/// `[destination.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum DestinationConfig {
    /// An HTTP service.
    Http(Box<HttpConfig>),
}

impl DestinationConfig {
    /// What it promises.
    #[must_use]
    pub fn tier(&self) -> Tier {
        let Self::Http(http) = self;
        http.tier
    }
}

fn default_namespace() -> String {
    "default".to_owned()
}

impl Config {
    /// Read the file and refuse what does not fit together.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| {
            format!(
                "reading the configuration {}: it can't be read; make one with `onceward init`, or name another with --config",
                path.display()
            )
        })?;
        let mut config =
            Self::read(&text).with_context(|| format!("reading the configuration {}", path.display()))?;
        config.dir =
            path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        Ok(config)
    }

    /// Read a file's text and refuse what does not fit together. Its paths begin where the process is.
    ///
    /// # Errors
    /// What is wrong, with its line and column or its table, and without the line itself.
    pub fn read(text: &str) -> Result<Self> {
        let config = Self::parse(text)?;
        check::check(&config)?;
        Ok(config)
    }

    /// The same for another namespace.
    #[must_use]
    pub fn in_namespace(&self, name: &str) -> Self {
        Self { namespace: name.to_owned(), ..self.clone() }
    }

    /// The same for the namespace that a person names, where they name one.
    ///
    /// # Errors
    /// Where the configuration does not have it: a slip of the hand must not make a new one.
    pub fn choose_namespace(self, name: Option<&str>) -> Result<Self> {
        let Some(name) = name.filter(|name| **name != self.namespace) else { return Ok(self) };
        if !self.serve.namespaces.iter().any(|known| known == name) {
            bail!(
                "choosing the namespace {name:?}: the configuration has none of this name; take {:?} or one of [serve] namespaces ({})",
                self.namespace,
                self.serve.namespaces.join(", ")
            );
        }
        Ok(self.in_namespace(name))
    }

    /// What each destination promises, by its name.
    #[must_use]
    pub fn tiers(&self) -> BTreeMap<String, Tier> {
        self.destinations.iter().map(|(name, destination)| (name.clone(), destination.tier())).collect()
    }

    /// The host's socket: beside the ledger, since one host has it.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        let mut path = self.resolve(&self.store.path).into_os_string();
        path.push(".sock");
        path.into()
    }

    /// A path of the file, as this process reaches it.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.dir.join(path)
    }

    fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let message = without_value(error.message());
            match error.span().and_then(|span| text.get(..span.start)) {
                Some(before) => {
                    let (line, column) = line_and_column(before);
                    anyhow!("line {line}, column {column}: {message}")
                }
                None => anyhow!("{message}"),
            }
        })
    }
}

/// A message without the text that the reader did not expect: what stands in the wrong place may be a credential.
fn without_value(message: &str) -> String {
    match (message.find("string \""), message.rfind("\", expected ")) {
        (Some(from), Some(to)) if from < to => format!("{}a text{}", &message[..from], &message[to + 1..]),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests;
