//! A reader that holds the write-ahead log of a serving host: the host says so in its figures, its status and its log.

use rusqlite::Connection;
use serde_json::json;
use std::fs::File;
use support::paths;
use support::service::Service;
use support::workspace::Workspace;

/// Events of nearly the largest size, each of which the ledger keeps as it arrived, as a payload and as a result.
const EVENTS: usize = 10;
const TEXT_BYTES: usize = 900_000;

#[test]
fn a_host_says_that_a_reader_holds_its_log() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let config = format!(
        "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\n[source.echo]\nkind = \"json\"\nopen = true\nid = {{ pointer = \"/id\" }}\n",
        paths::compile_cache().display(),
        paths::step("echo").display()
    );
    let workspace = Workspace::with_config(dir.path(), &config).expect("a workspace");
    let log = dir.path().join("host.log");
    let mut command = workspace.command(&[]);
    command.stderr(File::create(&log).expect("a log"));
    let host = Service::spawn(command);
    let said = || {
        let status = workspace.run(&["status"]).expect("it starts");
        let log = std::fs::read_to_string(&log).expect("a log");
        (host.get("/metrics").text(), String::from_utf8_lossy(&status.stdout).into_owned(), log)
    };
    let (figures, status, _) = said();
    assert!(figures.contains("onceward_wal_held 0\n") && !status.contains("write-ahead log"), "{status}");

    let reader = Connection::open(dir.path().join("onceward.db")).expect("the ledger can be read");
    reader.execute_batch("BEGIN; SELECT count(*) FROM work;").expect("it reads");
    for n in 0..EVENTS {
        let event = json!({ "id": format!("e{n}"), "text": "x".repeat(TEXT_BYTES) });
        let accepted = host.post("/v1/sources/echo/events", &event);
        assert_eq!(accepted.status(), Some(202), "{}", accepted.text());
    }
    let (figures, status, log) = said();
    assert!(figures.contains("onceward_wal_held 1\n"), "{figures}");
    assert!(status.contains("the write-ahead log has") && status.contains("end that reader"), "{status}");
    assert!(log.contains("the write-ahead log is not moved into the ledger"), "{log}");
    assert!(host.get("/v1/status").json().expect("JSON")["wal_held_bytes"].is_u64());
}
