//! A raised version on the command line.

use serde_json::json;
use support::paths;
use support::workspace::Workspace;

/// The configuration with this plugin as the only step.
fn configure(host: &Workspace, plugin: &str) {
    let config = format!(
        "flow = [\"enqueues\"]\n[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\ndestinations = [\"crm\"]\n\
         [destination.crm]\nkind = \"http\"\nurl = \"http://127.0.0.1:9/\"\ntier = \"key\"\nallow_private_addresses = true\n",
        paths::compile_cache().display(),
        paths::step(plugin).display()
    );
    host.write("onceward.toml", &config).expect("a configuration");
}

#[test]
fn old_works_are_reprocessed_by_name_and_each_says_what_became_of_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), "").expect("a workspace");
    configure(&host, "enqueues");
    for id in ["one", "two"] {
        let event = json!({ "source": "test", "id": id, "data": { "deal": { "title": id } } });
        host.write(&format!("{id}.json"), &event.to_string()).expect("an event");
        host.json(&["run", &format!("{id}.json")]).expect("it runs");
    }
    let keys = ["enqueues:v1:test:one", "enqueues:v1:test:two"];
    let by = ["--by", "Noor", "--why", "the new version"];
    let reprocess = |works: &[&str]| -> Vec<String> {
        let told = host.json(&[&["work", "reprocess"], works, &by].concat()).expect("it answers");
        let told = told.as_array().expect("one a work").iter();
        told.map(|one| one["verdict"].as_str().expect("a verdict").to_owned()).collect()
    };
    assert_eq!(reprocess(&keys), ["not-raised", "not-raised"]);
    configure(&host, "enqueues_raised");
    assert_eq!(reprocess(&keys[..1]), ["reprocessed"]);
    assert_eq!(reprocess(&keys), ["already", "reprocessed"]);
    let output =
        host.run(&[&["work", "reprocess", keys[0], "nothing"], &by[..]].concat()).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("work list"), "{said}");
    let resumed = host.json(&["resume"]).expect("it answers");
    assert_eq!(resumed["runs"].as_array().map(Vec::len), Some(2), "{resumed}");
    let rows = host.json(&["outbox", "list"]).expect("it answers");
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "the rows of the first version: {rows}");
    assert_eq!(host.json(&["work", "list"]).expect("it answers").as_array().map(Vec::len), Some(4));
}
