//! `[model.NAME]`, as it is written.
//!
//! Refuses an address that is none, that names a credential, or that would carry the key in plain text over the Internet;
//! prices and budgets out of bounds. No refusal repeats an address.

use crate::cli::config::bound;
use crate::cli::config::bound::Bound;
use crate::cli::config::http::absolute;
use crate::cli::config::secret_ref::SecretRef;
use crate::connectors::client::{DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_REQUEST_TIMEOUT_MS};
use crate::models::http::Prices;
use crate::models::patience::{DEFAULT_TIMEOUT_MS, ModelRetry, Patience};
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::path::PathBuf;

/// A million tokens cost less than this in every currency; more is a mistake of the unit.
const PRICE_MAX: f64 = 1e9;

/// How to write a base address.
const EXAMPLE: &str = "https://api.openai.com/v1";

/// `[model.NAME]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ModelConfig {
    /// Answers by rules from a file.
    Scripted(ScriptedConfig),
    /// Asks a provider that speaks the OpenAI way of chat completions.
    Openai(Box<OpenaiConfig>),
}

/// A scripted model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedConfig {
    /// The file.
    pub rules: PathBuf,
    /// Where calls are counted.
    pub call_log: Option<PathBuf>,
    /// How long every call takes, in milliseconds.
    #[serde(default)]
    pub delay_ms: u64,
    /// So many calls fail first.
    #[serde(default)]
    pub fail_first: u32,
    /// When it is asked again within one decision.
    #[serde(default)]
    pub retry: ModelRetry,
    /// How long a run waits for one answer, in milliseconds.
    #[serde(default = "default_timeout_ms")]
    pub timeout_ms: u64,
}

/// A provider's model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenaiConfig {
    /// The provider's base address.
    pub base_url: String,
    /// The provider's name for the model.
    pub model: String,
    /// Where the key is.
    pub api_key: Option<SecretRef>,
    /// The most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// Whether private addresses are wanted.
    #[serde(default)]
    pub allow_private_addresses: bool,
    /// For connecting, in milliseconds.
    #[serde(default = "default_connect_timeout_ms")]
    pub connect_timeout_ms: u64,
    /// For the reply to one call, in milliseconds.
    #[serde(default = "default_request_timeout_ms")]
    pub request_timeout_ms: u64,
    /// When it is asked again within one decision.
    #[serde(default)]
    pub retry: ModelRetry,
    /// How long a run waits for one answer, in milliseconds.
    #[serde(default = "default_timeout_ms")]
    pub timeout_ms: u64,
}

const fn default_timeout_ms() -> u64 {
    DEFAULT_TIMEOUT_MS
}

const fn default_connect_timeout_ms() -> u64 {
    DEFAULT_CONNECT_TIMEOUT_MS
}

const fn default_request_timeout_ms() -> u64 {
    DEFAULT_REQUEST_TIMEOUT_MS
}

impl ModelConfig {
    /// How patient to be with it.
    #[must_use]
    pub fn patience(&self) -> Patience {
        let (retry, timeout_ms) = match self {
            Self::Scripted(ScriptedConfig { retry, timeout_ms, .. }) => (*retry, *timeout_ms),
            Self::Openai(openai) => (openai.retry, openai.timeout_ms),
        };
        Patience { retry, timeout_ms }
    }

    /// Refuse what can't work. `place` is the table's name.
    pub(super) fn check(&self, place: &str) -> Result<()> {
        bound::check(place, &bound::patience(&self.patience()))?;
        match self {
            Self::Scripted(_) => Ok(()),
            Self::Openai(openai) => {
                bound::check(place, &openai.bounds())?;
                openai.check().with_context(|| place.to_owned())
            }
        }
    }
}

impl OpenaiConfig {
    fn bounds(&self) -> Vec<Bound> {
        let mut bounds = vec![
            bound::timeout("connect_timeout_ms", self.connect_timeout_ms),
            bound::timeout("request_timeout_ms", self.request_timeout_ms),
        ];
        bounds.extend(self.max_tokens.map(bound::max_tokens));
        bounds
    }

    fn check(&self) -> Result<()> {
        if self.model.trim().is_empty() {
            bail!("`model` is empty; give the provider's name for it");
        }
        let url = absolute("base_url", &self.base_url, EXAMPLE)?;
        if url.query().is_some() || url.fragment().is_some() {
            bail!("`base_url` has a part after `?` or `#`; end it with its path, as in {EXAMPLE}");
        }
        if url.scheme() == "http" && !self.allow_private_addresses {
            bail!(
                "`base_url` is http, so that key and questions could be read on the way; take https, or set `allow_private_addresses` for a model in your own network"
            );
        }
        if let Some(Prices { input_per_million, output_per_million }) = self.prices {
            for price in [input_per_million, output_per_million] {
                if !(0.0..=PRICE_MAX).contains(&price) {
                    bail!(
                        "`prices` holds {price}; give what a million tokens cost, in the provider's currency, from 0"
                    );
                }
            }
        }
        Ok(())
    }
}
