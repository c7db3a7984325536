//! The folder of a run: the receiver, the host's configuration and its ledger.
//!
//! Owns what is started there and what is read there: works and rows as the command line lists them, effects from the receiver's
//! own file. It fails where something can't be started or read.

use crate::paths;
use crate::receiver::evidence;
use crate::receiver::process::ReceiverProcess;
use crate::service::Service;
use crate::tier_config;
use crate::torture::balance::{Effect, RowEnd, WorkEnd};
use crate::workspace::Workspace;
use anyhow::Context as _;
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How many of a hundred writes the receiver answers wrongly: a lost reply, a reset, a 503.
const FLAKY_PERCENT: u8 = 10;

/// How long everything that was left may take to come to rest. What is still under way then is taken for stuck.
const REST_LIMIT: Duration = Duration::from_secs(300);

/// How long apart it is asked whether it has.
const REST_LOOK: Duration = Duration::from_millis(100);

/// More works and rows than a run makes.
const LIST_LIMIT: &str = "10000000";

/// What a run stands on.
pub(super) struct Stage {
    _receiver: ReceiverProcess,
    workspace: Workspace,
    dir: TempDir,
}

impl Stage {
    pub(super) fn set(seed: u64) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir().context("making a folder")?;
        let receiver_dir = dir.path().join("receiver");
        std::fs::create_dir_all(&receiver_dir).context("making the receiver's folder")?;
        let (flaky, seed) = (FLAKY_PERCENT.to_string(), seed.to_string());
        let receiver = ReceiverProcess::spawn(
            &paths::binary("onceward-receiver"),
            &receiver_dir,
            &["--flaky", &flaky, "--seed", &seed],
        )?;
        let workspace = tier_config::workspace(&dir.path().join("host"), &receiver.url(""))?;
        Ok(Self { _receiver: receiver, workspace, dir })
    }

    /// A command of the host. What it says to people goes to a file of the folder.
    pub(super) fn command(&self) -> anyhow::Result<Command> {
        let log = File::options().create(true).append(true).open(self.dir.path().join("host.log"));
        let mut command = self.workspace.command(&[]);
        command.stderr(Stdio::from(log.context("opening the host's log")?));
        Ok(command)
    }

    /// Start the host once more and leave it alone until nothing runs, waits or goes out any more. The inner error says what
    /// has not come to rest.
    pub(super) fn come_to_rest(&mut self) -> anyhow::Result<Result<(), String>> {
        let mut host = Service::spawn(self.command()?);
        let until = Instant::now() + REST_LIMIT;
        loop {
            let status = host.get("/v1/status").json()?;
            if status["idle"] == true {
                host.stop();
                return Ok(Ok(()));
            }
            if Instant::now() > until {
                return Ok(Err(format!("something does not come to rest within {REST_LIMIT:?}: {status}")));
            }
            std::thread::park_timeout(REST_LOOK);
        }
    }

    /// Every work of the ledger.
    pub(super) fn works(&self) -> anyhow::Result<Vec<WorkEnd>> {
        let listed = self.workspace.json(&["work", "list", "--limit", LIST_LIMIT])?;
        let ends = listed
            .as_array()
            .context("a list of works")?
            .iter()
            .map(|work| Ok(WorkEnd { event: event(&work["payload"])?, state: text(work, "state")? }));
        ends.collect()
    }

    /// Every row of the ledger.
    pub(super) fn rows(&self) -> anyhow::Result<Vec<RowEnd>> {
        let listed = self.workspace.json(&["outbox", "list", "--limit", LIST_LIMIT])?;
        let ends = listed.as_array().context("a list of rows")?.iter().map(|row| {
            let (event, tier) = (event(&row["payload"])?, text(row, "destination")?);
            Ok(RowEnd { event, tier, state: text(row, "state")? })
        });
        ends.collect()
    }

    /// Everything that the receiver has written.
    pub(super) fn effects(&self) -> anyhow::Result<Vec<Effect>> {
        let written = evidence::deals(&self.dir.path().join("receiver"))?;
        let effects = written.into_iter().map(|written| {
            Ok(Effect { event: event(&Value::String(written.body))?, tier: written.kind, key: written.key })
        });
        effects.collect()
    }

    /// Leave the folder where it is, for whoever looks into it.
    pub(super) fn keep(self) -> PathBuf {
        self.dir.keep()
    }
}

/// The event that a payload is about, which is written as a text of JSON.
fn event(payload: &Value) -> anyhow::Result<String> {
    let payload = payload.as_str().with_context(|| format!("a payload is no text: {payload}"))?;
    let payload: Value = serde_json::from_str(payload).context("reading a payload")?;
    text(&payload, "event")
}

fn text(of: &Value, name: &str) -> anyhow::Result<String> {
    of[name].as_str().map(str::to_owned).with_context(|| format!("there is no `{name}` in {of}"))
}
