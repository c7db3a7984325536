//! Guests as steps of a real process: a folder with a flow, and what its commands say.

use serde_json::json;
use support::paths;
use support::workspace::Workspace;
use tempfile::TempDir;

/// A folder with guests as steps in a flow; `more` is added to each [[step]].
pub(super) struct Guests {
    pub(super) host: Workspace,
    _dir: TempDir,
}

impl Guests {
    pub(super) fn new(steps: &[&str], more: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let flow: Vec<String> = steps.iter().map(|step| step.replace('_', "-")).collect();
        let mut config =
            format!("flow = {flow:?}\n[runtime]\ncache_dir = {:?}\n", paths::compile_cache().display());
        for step in steps {
            config.push_str(&format!("[[step]]\nplugin = {:?}\n{more}\n", paths::step(step).display()));
        }
        let host = Workspace::with_config(dir.path(), &config).expect("a workspace");
        Self { host, _dir: dir }
    }

    pub(super) fn event(&self, id: &str, data: &serde_json::Value) -> String {
        let file = format!("{id}.json");
        let event = json!({ "source": "test", "id": id, "time": "2026-01-01T10:00:00Z", "data": data });
        self.host.write(&file, &event.to_string()).expect("an event");
        file
    }

    /// The command ends with this code, and says all of this.
    #[track_caller]
    pub(super) fn check(&self, args: &[&str], code: i32, said: &[&str]) -> String {
        check(&self.host, args, code, said)
    }
}

/// The command ends with this code, and says all of this.
#[track_caller]
pub(super) fn check(host: &Workspace, args: &[&str], code: i32, said: &[&str]) -> String {
    let output = host.run(args).expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{told}{errors}");
    for words in said {
        assert!(told.contains(words), "{args:?} should say {words:?}, but says:\n{told}{errors}");
    }
    told
}
