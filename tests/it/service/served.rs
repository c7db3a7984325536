//! Guests as steps of a host that serves, each with a source of its own, and what its answers say.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::paths;
use support::receiver::client::Exchange;
use support::service::Service;
use support::workspace::Workspace;
use tempfile::TempDir;

/// How long a work may take to come to a state. It is asked about again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

/// A model that answers after a while, by the name that guests ask for.
pub(super) fn slow_model(delay_ms: u64) -> String {
    format!("[model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\ndelay_ms = {delay_ms}\n")
}

/// A host that serves guests.
pub(super) struct Served {
    pub(super) host: Service,
    pub(super) workspace: Workspace,
    pub(super) _dir: TempDir,
}

impl Served {
    /// Each guest with further lines of its `[[step]]`; an open source of the same name for each. `more` are further
    /// tables, and `[serve]` is theirs.
    pub(super) fn new(steps: &[(&str, &str)], more: &str) -> Self {
        Self::within(16, steps, more)
    }

    /// The same, with places for so many runs at once.
    pub(super) fn within(instances: u32, steps: &[(&str, &str)], more: &str) -> Self {
        Self::configured("", &format!("instances = {instances}"), steps, more)
    }

    /// The same, and so many callers may wait for a place.
    pub(super) fn queued(instances: u32, queue: u32, steps: &[(&str, &str)], more: &str) -> Self {
        Self::configured("", &format!("instances = {instances}\nqueue = {queue}"), steps, more)
    }

    fn configured(first: &str, runtime: &str, steps: &[(&str, &str)], more: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let cache = paths::compile_cache().display().to_string();
        let mut config = format!("{first}[runtime]\ncache_dir = {cache:?}\n{runtime}\n");
        for (step, lines) in steps {
            config.push_str(&format!("[[step]]\nplugin = {:?}\n{lines}\n", paths::step(step).display()));
            let name = step.replace('_', "-");
            if *step == "reads_only" {
                // Nothing of its runs is kept, so that it can take in no events.
                continue;
            }
            config.push_str(&format!("[source.{name}]\nkind = \"json\"\nopen = true\nstep = {name:?}\n"));
            config.push_str("id = { pointer = \"/id\" }\n");
        }
        config.push_str(more);
        let workspace = Workspace::with_config(dir.path(), &config).expect("a workspace");
        workspace.write("oracle.json", r#"{"rules": [], "otherwise": {"said": "yes"}}"#).expect("rules");
        Self { host: Service::start(&workspace), workspace, _dir: dir }
    }

    /// Guests as a flow.
    pub(super) fn with_flow(steps: &[&str]) -> Self {
        let names: Vec<String> = steps.iter().map(|step| step.replace('_', "-")).collect();
        let steps: Vec<(&str, &str)> = steps.iter().map(|step| (*step, "")).collect();
        Self::configured(&format!("flow = {names:?}\n"), "", &steps, "")
    }

    /// Start the host again on the same ledger.
    pub(super) fn again(self) -> Self {
        let Self { host, workspace, _dir } = self;
        drop(host);
        Self { host: Service::start(&workspace), workspace, _dir }
    }

    /// Send to the source of a step.
    pub(super) fn deliver(&self, step: &str, id: &str, data: &Value) -> Exchange {
        let mut body = data.clone();
        body["id"] = json!(id);
        self.host.post(&format!("/v1/sources/{step}/events"), &body)
    }

    /// Invoke a step, and wait so many seconds at most.
    pub(super) fn invoke(&self, step: &str, id: &str, wait: f64, data: &Value) -> Exchange {
        let event = json!({ "source": "test", "id": id, "data": data });
        self.host.post(&format!("/v1/steps/{step}/invoke?wait={wait}"), &event)
    }

    /// Wait until a work is recorded, and in this state.
    pub(super) fn await_state(&self, work: &str, state: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let whole = self.host.get(&format!("/v1/works/{work}")).json().expect("a work, or a problem");
            if whole["work"]["state"] == state {
                return whole;
            }
            assert!(Instant::now() < until, "the work {work} does not become {state}: {whole}");
        }
    }
}

/// The answer has this status and this verdict; its body.
#[track_caller]
pub(super) fn check(answer: &Exchange, status: u16, verdict: &str) -> Value {
    let body = answer.json().unwrap_or_default();
    assert_eq!(
        (answer.status(), body["verdict"].as_str()),
        (Some(status), Some(verdict)),
        "{}",
        answer.text()
    );
    if status >= 400 {
        assert_eq!(body["type"], format!("urn:onceward:problem:{verdict}"));
        assert_eq!(body["status"], status);
        assert!(body["retryable"].is_boolean() && body["request_id"].is_string(), "{body}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
    body
}

/// The work of an answer.
#[track_caller]
pub(super) fn work_of(body: &Value) -> String {
    body["work_id"].as_str().unwrap_or_else(|| panic!("no work in {body}")).to_owned()
}
