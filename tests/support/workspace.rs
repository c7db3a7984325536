//! A folder with a configuration, in which the real `onceward` binary runs as a process.

use crate::lead_config;
use crate::paths;
use anyhow::{Context as _, bail};
use onceward::contract::tier::Tier;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

/// The rules of the scripted model in a workspace.
const RULES: &str = include_str!("../../host/src/cli/classifier.rules.json");

/// The key of a workspace's provider.
pub const MODEL_KEY: &str = "sk-live-4815162342-of-the-model";

/// A configured folder.
#[derive(Debug)]
pub struct Workspace {
    dir: PathBuf,
    binary: PathBuf,
}

impl Workspace {
    /// The middle of the lead flow with a CRM at this address; see [`lead_config::middle`].
    ///
    /// # Errors
    /// Where a file can't be written.
    pub fn lead_flow(dir: &Path, crm_url: &str) -> anyhow::Result<Self> {
        Self::with_config(dir, &lead_config::middle(crm_url))
    }

    /// The whole lead flow with a receiver at this address; see [`lead_config::whole`].
    ///
    /// # Errors
    /// Where a file can't be written.
    pub fn whole_flow(dir: &Path, receiver_url: &str, tier: Tier) -> anyhow::Result<Self> {
        Self::with_config(dir, &lead_config::whole(receiver_url, tier))
    }

    /// Write any configuration.
    ///
    /// # Errors
    /// Where a file can't be written.
    pub fn with_config(dir: &Path, config: &str) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir)?;
        std::fs::write(dir.join("onceward.toml"), config)?;
        std::fs::write(dir.join("classifier.rules.json"), RULES)?;
        Ok(Self { dir: dir.to_owned(), binary: paths::binary("onceward") })
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The model `classifier` is a provider at this base address from now on. Its key is the environment's `MODEL_KEY`;
    /// `more` are further lines of its table.
    ///
    /// # Errors
    /// Where the configuration has no scripted model, or can't be written.
    pub fn ask_over_http(&self, base_url: &str, more: &str) -> anyhow::Result<()> {
        let config = std::fs::read_to_string(self.dir.join("onceward.toml"))?;
        let scripted =
            "kind = \"scripted\"\nrules = \"classifier.rules.json\"\ncall_log = \"model-calls.jsonl\"";
        let provider = format!(
            r#"kind = "openai"
base_url = "{base_url}"
model = "gpt-x"
api_key = {{ env = "MODEL_KEY" }}
allow_private_addresses = true
prices = {{ input_per_million = 1.0, output_per_million = 2.0 }}
retry = {{ base_ms = 0 }}
{more}"#
        );
        if !config.contains(scripted) {
            bail!("the configuration has no scripted model to take the place of");
        }
        self.write("onceward.toml", &config.replace(scripted, &provider))
    }

    /// Write a file into the folder.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        std::fs::write(self.dir.join(name), text).with_context(|| format!("writing {name}"))
    }

    /// Write an event file with a lead.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn lead(&self, file: &str, message_id: &str, text: &str) -> anyhow::Result<()> {
        let lead = json!({
            "source": "web-form",
            "id": message_id,
            "time": "2026-01-01T10:00:00Z",
            "data": {
                "source": "web-form",
                "message_id": message_id,
                "contact": { "name": "Ada", "email": "ada@example.com" },
                "text": text,
            },
        });
        self.write(file, &serde_json::to_string_pretty(&lead)?)
    }

    /// The command, ready to be run.
    #[must_use]
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(args).current_dir(&self.dir).stdin(Stdio::null()).env("MODEL_KEY", MODEL_KEY);
        command
    }

    /// Run to the end.
    ///
    /// # Errors
    /// Where the process can't be started.
    pub fn run(&self, args: &[&str]) -> anyhow::Result<Output> {
        self.command(args).output().context("starting onceward")
    }

    /// Run with `--json` and read what it prints. Exit codes 0 and 3 are answers.
    ///
    /// # Errors
    /// Where it fails, or prints no JSON.
    pub fn json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let mut with_json = args.to_vec();
        with_json.push("--json");
        let output = self.run(&with_json)?;
        if !matches!(output.status.code(), Some(0 | 3)) {
            bail!(
                "onceward {args:?} ended with {}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        serde_json::from_slice(&output.stdout).with_context(|| format!("onceward {args:?} printed no JSON"))
    }

    /// Run with a crash point armed, and see the process die there.
    ///
    /// # Errors
    /// Where it does not die by a signal.
    pub fn crash_at(&self, point: &str, args: &[&str]) -> anyhow::Result<()> {
        let output = self
            .command(args)
            .env(onceward::crash_point::VARIABLE, point)
            .output()
            .context("starting onceward")?;
        if !killed(output.status) {
            bail!(
                "onceward {args:?} did not die at {point}, but ended with {}: {}{}",
                output.status,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(())
    }

    /// How often the scripted model was asked, over all processes.
    ///
    /// # Errors
    /// Where its log can't be read.
    pub fn model_calls(&self) -> anyhow::Result<usize> {
        let log = self.dir.join("model-calls.jsonl");
        if !log.exists() {
            return Ok(0);
        }
        Ok(std::fs::read_to_string(log)?.lines().count())
    }
}

/// Whether a process ended by SIGKILL.
#[must_use]
pub fn killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal() == Some(9)
}
