//! A host as a process: `onceward serve`, built as this program was, and who calls it.
//!
//! Owns its configuration, which is the default but for what it says here, and its callers: connections that are kept open,
//! each in a thread of this process. Their cost is on the same cores as the host's.

use crate::sample::{Sample, drive};
use crate::unit::{COMPONENT, Decision, Events, STEP, event_text, rules};
use anyhow::bail;
use serde_json::json;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use support::keep_alive::{Connection, post};
use support::paths;
use support::service::Service;
use support::workspace::Workspace;

/// What a measurement wants to be otherwise.
pub(crate) struct Setting<'a> {
    /// More lines of `[runtime]`.
    pub(crate) runtime: &'a str,
    /// More tables.
    pub(crate) more: &'a str,
    /// Where the destination `crm` is.
    pub(crate) crm: &'a str,
}

/// Nothing is otherwise, and nobody is at the destination, which is paused.
pub(crate) const PLAIN: Setting<'static> = Setting { runtime: "", more: "", crm: "http://127.0.0.1:9/deals" };

/// The configuration of a host with the unit's step.
pub(crate) fn config(setting: &Setting<'_>) -> String {
    let Setting { runtime, more, crm } = setting;
    format!(
        r#"[runtime]
cache_dir = {:?}
{runtime}
[[step]]
plugin = {:?}
destinations = ["crm"]
models = ["oracle"]
[destination.crm]
kind = "http"
url = "{crm}"
tier = "key"
allow_private_addresses = true
concurrency = 8
[model.oracle]
kind = "scripted"
rules = "oracle.rules.json"
{more}"#,
        paths::compile_cache().display().to_string(),
        paths::step(COMPONENT).display().to_string(),
    )
}

/// A folder with a configuration.
pub(crate) fn workspace(dir: &Path, config: &str) -> anyhow::Result<Workspace> {
    let workspace = Workspace::with_config(dir, config)?;
    workspace.write("oracle.rules.json", &rules())?;
    Ok(workspace)
}

/// Start a host. Its log goes nowhere.
pub(crate) fn start(workspace: &Workspace) -> Service {
    let mut command = workspace.command(&[]);
    command.stderr(Stdio::null());
    Service::spawn(command)
}

/// Start a host whose rows stay where they are.
pub(crate) fn start_without_delivery(workspace: &Workspace) -> anyhow::Result<Service> {
    let host = start(workspace);
    pause(&host, Pause::Set)?;
    Ok(host)
}

/// What becomes of the destination.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pause {
    /// Its rows wait.
    Set,
    /// Its rows go.
    Lift,
}

/// Stop the destination, or let it go on.
pub(crate) fn pause(host: &Service, pause: Pause) -> anyhow::Result<()> {
    let path = match pause {
        Pause::Set => "/v1/pauses",
        Pause::Lift => "/v1/pauses/lift",
    };
    let body =
        json!({ "scope": "destination", "name": "crm", "by": "bench", "why": "rows are stored first" });
    let answer = host.send_locally("POST", path, &[], body.to_string().as_bytes());
    match answer.status() {
        Some(200 | 201) => Ok(()),
        _ => bail!("asking {path}: {}", answer.text()),
    }
}

/// The lines of a request's head that show the token.
pub(crate) fn token_head(host: &Service) -> String {
    host.token().map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default()
}

/// Invoke the unit's step from so many callers, with events that nobody has sent.
pub(crate) fn invoke_new(
    host: &Service,
    events: &Events,
    decision: Decision,
    callers: usize,
    length: Duration,
) -> anyhow::Result<Sample> {
    invoke(host, STEP, callers, length, |_| move || event_text(&events.id(), decision))
}

/// Invoke a step from so many callers; each of them sends what its `body` gives.
pub(crate) fn invoke<B: FnMut() -> String>(
    host: &Service,
    step: &str,
    callers: usize,
    length: Duration,
    body: impl Fn(usize) -> B + Sync,
) -> anyhow::Result<Sample> {
    let (address, heads, path) = (host.address(), token_head(host), format!("/v1/steps/{step}/invoke"));
    drive(callers, length, |number| caller(address, &path, &heads, body(number)))
}

fn caller<'a, B: FnMut() -> String + 'a>(
    address: SocketAddr,
    path: &'a str,
    heads: &'a str,
    mut body: B,
) -> anyhow::Result<impl FnMut() -> anyhow::Result<()> + 'a> {
    let mut connection = Connection::open(address)?;
    Ok(move || {
        let answer = connection.send(&post(path, heads, &body()))?;
        match answer.status {
            200 => Ok(()),
            status => bail!("an invocation was answered {status}: {}", answer.body),
        }
    })
}

/// Ask for the host's health from so many callers: a request that touches no ledger.
pub(crate) fn ask_health(host: &Service, callers: usize, length: Duration) -> anyhow::Result<Sample> {
    let address = host.address();
    drive(callers, length, |_| {
        let mut connection = Connection::open(address)?;
        Ok(move || match connection.send(b"GET /healthz HTTP/1.1\r\nHost: host\r\n\r\n")?.status {
            200 => Ok(()),
            status => bail!("the host's health was answered {status}"),
        })
    })
}
