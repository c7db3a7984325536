//! The configuration file, `onceward.toml`, as it is written and as it is meant.

use crate::connectors::Predicate;
use crate::contract::response::Response;
use crate::contract::tier::Tier;
use crate::contract::window::Window;
use crate::dispatch::retry::RetryPolicy;
use crate::runtime::limits::Limits;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file's name where none is given.
pub const FILE: &str = "onceward.toml";

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
    /// The sandbox.
    #[serde(default)]
    pub runtime: RuntimeConfig,
    /// The stages.
    #[serde(default)]
    pub progress: ProgressConfig,
    /// The steps.
    #[serde(default, rename = "step")]
    pub steps: Vec<StepConfig>,
    /// The models by name.
    #[serde(default, rename = "model")]
    pub models: BTreeMap<String, ModelConfig>,
    /// The destinations by name.
    #[serde(default, rename = "destination")]
    pub destinations: BTreeMap<String, DestinationConfig>,
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
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self { cache_dir: ".onceward/cache".into(), instances: 16 }
    }
}

/// `[progress]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProgressConfig {
    /// The stages in order.
    pub stages: Vec<String>,
}

impl Default for ProgressConfig {
    fn default() -> Self {
        Self { stages: ["received", "matched", "owned", "replied"].map(str::to_owned).to_vec() }
    }
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
}

/// `[model.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum ModelConfig {
    /// Answers by rules from a file.
    Scripted {
        /// The file.
        rules: PathBuf,
        /// Where calls are counted.
        call_log: Option<PathBuf>,
        /// How long every call takes, in milliseconds.
        #[serde(default)]
        delay_ms: u64,
        /// So many calls fail first.
        #[serde(default)]
        fail_first: u32,
    },
}

/// `[destination.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum DestinationConfig {
    /// An HTTP service.
    Http(Box<HttpConfig>),
}

/// An HTTP destination.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// The address that rows are posted to.
    pub url: String,
    /// What it can promise.
    pub tier: Tier,
    /// How long it remembers a key, in hours.
    #[serde(default = "default_retention_hours")]
    pub retention_hours: u64,
    /// The header that carries the key.
    pub key_header: Option<String>,
    /// Where its answer holds the id it gave.
    pub reference: Option<String>,
    /// What a 2xx must hold to be an acceptance.
    pub success: Option<Predicate>,
    /// What an answer holds that means "same key, other content".
    pub conflict: Option<Predicate>,
    /// What an answer holds that means "same key, still in progress".
    pub in_progress: Option<Predicate>,
    /// Whether a 503 means that nothing was applied.
    #[serde(default)]
    pub unavailable_means_not_applied: bool,
    /// The `Authorization` header's value.
    pub authorization: Option<SecretRef>,
    /// Whether private addresses are wanted.
    #[serde(default)]
    pub allow_private_addresses: bool,
    /// For connecting.
    pub connect_timeout_ms: Option<u64>,
    /// For the reply.
    pub request_timeout_ms: Option<u64>,
    /// Rows at once.
    #[serde(default = "default_concurrency")]
    pub concurrency: u32,
    /// When a failed delivery is tried again.
    #[serde(default)]
    pub retry: RetryPolicy,
}

/// Where a secret is; never the secret.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum SecretRef {
    /// In an environment variable.
    Env(String),
    /// In a file.
    File(PathBuf),
}

fn default_namespace() -> String {
    "default".to_owned()
}

const fn default_retention_hours() -> u64 {
    24
}

const fn default_concurrency() -> u32 {
    4
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
        let mut config: Self =
            toml::from_str(&text).with_context(|| format!("reading the configuration {}", path.display()))?;
        config.dir =
            path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        config.check().with_context(|| format!("checking the configuration {}", path.display()))?;
        Ok(config)
    }

    /// A path of the file, as this process reaches it.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.dir.join(path)
    }

    fn check(&self) -> Result<()> {
        if self.namespace.is_empty() {
            bail!("`namespace` is empty; name one, for instance \"default\"");
        }
        if self.runtime.instances == 0 {
            bail!("`runtime.instances` is 0, so that no step could run; take at least 1");
        }
        for (at, step) in self.flow.iter().enumerate() {
            if self.flow[..at].contains(step) {
                bail!("`flow` names {step:?} twice; a step stands in a flow once");
            }
        }
        for (at, stage) in self.progress.stages.iter().enumerate() {
            if self.progress.stages[..at].contains(stage) {
                bail!("`progress.stages` names {stage:?} twice");
            }
        }
        for step in &self.steps {
            let plugin = step.plugin.display();
            if let Some(name) = step.models.iter().find(|name| !self.models.contains_key(*name)) {
                bail!(
                    "the step {plugin} is granted the model {name:?}, which is not configured; add [model.{name}]"
                );
            }
            if let Some(name) = step.destinations.iter().find(|name| !self.destinations.contains_key(*name)) {
                bail!(
                    "the step {plugin} is granted the destination {name:?}, which is not configured; add [destination.{name}]"
                );
            }
        }
        Ok(())
    }
}

impl SecretRef {
    /// Fetch the secret.
    pub fn read(&self, config: &Config) -> Result<String> {
        match self {
            Self::Env(name) => std::env::var(name)
                .with_context(|| format!("reading a credential: set the environment variable {name}")),
            Self::File(path) => {
                let path = config.resolve(path);
                std::fs::read_to_string(&path).with_context(|| {
                    format!("reading a credential: the file {} can't be read", path.display())
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, DEFAULT};

    #[test]
    fn the_commented_default_is_a_valid_configuration_and_so_is_what_its_comments_propose() {
        let config: Config = toml::from_str(DEFAULT).unwrap();
        config.check().unwrap();
        let proposed: String = DEFAULT
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| is_proposal(rest)).unwrap_or(line))
            .filter(|line| *line != "flow = []")
            .collect::<Vec<_>>()
            .join("\n");
        let config: Config = toml::from_str(&proposed).unwrap();
        config.check().unwrap();
        assert_eq!(config.flow.len(), 2);
        assert_eq!(config.steps.len(), 2);
        assert_eq!(config.models.len(), 1);
        assert_eq!(config.destinations.len(), 1);
    }

    fn is_proposal(line: &str) -> bool {
        line.starts_with('[') || line.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '))
    }
}
