//! A step that only reads, on the command line.

use serde_json::json;
use support::paths;
use support::workspace::Workspace;

fn workspace(dir: &std::path::Path, flow: &[&str]) -> Workspace {
    let config = format!(
        "flow = {flow:?}\n[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\nretry = {{ base_ms = 1, attempts_max = 3 }}\n",
        paths::compile_cache().display(),
        paths::step("reads_only").display()
    );
    let host = Workspace::with_config(dir, &config).expect("a workspace");
    for (name, succeed_at) in [("reads.json", 2), ("fails.json", 9)] {
        let event = json!({ "source": "test", "data": { "succeed_at": succeed_at, "act": "" } });
        host.write(name, &event.to_string()).expect("an event");
    }
    host
}

#[test]
fn run_prints_the_result_of_a_step_that_only_reads() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = workspace(dir.path(), &[]);
    // The event has neither id nor time: a read needs no identity.
    let output = host.run(&["run", "reads.json"]).expect("it starts");
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the result alone");
    assert_eq!((output.status.code(), &printed["attempt"]), (Some(0), &json!(2)));
    let told = host.json(&["run", "fails.json"]).expect("it answers");
    assert_eq!((&told["read"]["verdict"], &told["read"]["attempts"]), (&json!("failed"), &json!(3)));
    let output = host.run(&["run", "fails.json"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(3) && said.contains("not yet") && output.stdout.is_empty(),
        "{said}"
    );
    assert_eq!(host.json(&["work", "list"]).expect("it answers"), json!([]));
}

#[test]
fn a_step_that_only_reads_can_not_stand_in_a_flow() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = workspace(dir.path(), &["reads-only"]);
    let output = host.run(&["run", "reads.json"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("reads-only") && said.contains("take it out of the flow"), "{said}");
}

#[test]
fn a_step_that_only_reads_can_not_be_the_work_of_a_source() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = workspace(dir.path(), &[]);
    let path = dir.path().join("onceward.toml");
    let config = std::fs::read_to_string(&path).expect("the configuration");
    let source = "[source.form]\nkind = \"json\"\nstep = \"reads-only\"\n";
    std::fs::write(&path, format!("{config}{source}")).expect("it can be written");
    let output = host.run(&["run", "reads.json"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("\"form\"") && said.contains("\"reads-only\", which is read-only"), "{said}");
}
