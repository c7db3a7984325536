//! `onceward work` beside a host that runs: the same verbs, the same words.

use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};
use support::paths;
use support::service::Service;
use support::workspace::Workspace;

const NOOR: [&str; 4] = ["--by", "Noor", "--why", "looked at it"];

/// The command ends with this code, and says all of this on whichever stream.
#[track_caller]
fn noor(host: &Workspace, args: &[&str], code: i32, said: &[&str]) {
    let output = host.run(&[args, &NOOR[..]].concat()).expect("it starts");
    let all =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{all}");
    for words in said {
        assert!(all.contains(words), "{args:?} should say {words:?}, but says:\n{all}");
    }
}

#[test]
fn works_are_listed_shown_and_decided_about_beside_a_running_host() {
    let served = Served::new(
        &[
            ("echo", ""),
            ("traps", "retry = { attempts_max = 1 }"),
            ("reviews", ""),
            ("endless_loop", "limits = { wall_ms = 3600000 }"),
        ],
        "",
    );
    let host = &served.workspace;
    let done = work_of(&check(&served.invoke("echo", "m1", 30.0, &json!({})), 200, "done"));
    let dead = work_of(&check(&served.invoke("traps", "m1", 30.0, &json!({})), 409, "dead"));
    let review = work_of(&check(&served.invoke("reviews", "m1", 30.0, &json!({})), 202, "in-review"));
    let runs = work_of(&check(&served.deliver("endless-loop", "m1", &json!({})), 202, "accepted"));
    served.await_state(&runs, "running");

    let listed = host.json(&["work", "list", "--state", "dead"]).expect("it answers");
    assert_eq!(listed[0]["work_id"], json!(dead), "{listed}");
    assert_eq!(host.json(&["work", "list"]).expect("it answers").as_array().map(Vec::len), Some(4));
    let shown = host.json(&["work", "show", "echo:v1:test:m1"]).expect("it answers");
    assert_eq!(shown["work"]["work_id"], json!(done), "{shown}");
    let family = host.json(&["work", "show", &done, "--family"]).expect("it answers");
    assert_eq!(family["works"].as_array().map(Vec::len), Some(1), "{family}");

    noor(host, &["work", "reject", &review], 0, &[&review[..12], "is rejected now"]);
    noor(host, &["work", "reject", &review], 1, &["it is rejected", "dead or review", "nothing was changed"]);
    noor(host, &["work", "cancel", &runs], 0, &["is cancelled now"]);
    noor(host, &["work", "replay", &dead], 0, &["is waiting now"]);
    served.await_state(&dead, "dead");
    noor(host, &["work", "replay", "--all", "--dry-run"], 0, &["1 works are chosen"]);
    noor(
        host,
        &["work", "replay", "--all", "--cause", "nothing like it"],
        0,
        &["0 works were decided about"],
    );
    noor(
        host,
        &["work", "resolve", &done, "--as", "done", "--output", "{\"a\":1}"],
        1,
        &["it is done", "in-doubt"],
    );
    noor(host, &["work", "resolve", &done, "--as", "again", "--output", "1"], 1, &["go with `done` alone"]);
    noor(
        host,
        &["work", "resolve", &done, "--as", "done", "--output", "{"],
        1,
        &["--output is not acceptable JSON"],
    );
    noor(host, &["work", "reprocess", &done], 3, &["raise the step's version"]);
    noor(
        host,
        &["work", "erase", &done, "nothing"],
        1,
        &["no work has the id or key \"nothing\"", "onceward work list"],
    );
    noor(host, &["work", "erase", &done], 0, &["erased the payloads of 1 works"]);
    noor(host, &["work", "erase", &done, &review], 0, &["erased before", "erased the payloads of 1 works"]);
    noor(host, &["work", "show", ".."], 2, &[]);
    let evidence = host.json(&["work", "show", &done]).expect("it answers")["evidence"].to_string();
    assert!(evidence.contains("Noor says: looked at it"), "{evidence}");
}

#[test]
fn one_that_is_refused_does_not_leave_the_copies_of_those_before_it() {
    let served = Served::new(&[("echo", ""), ("reviews", "")], "");
    let host = &served.workspace;
    let data = json!({ "text": "my number is 4815162342" });
    let done = work_of(&check(&served.invoke("echo", "m1", 30.0, &data), 200, "done"));
    let review = work_of(&check(&served.invoke("reviews", "m1", 30.0, &json!({})), 202, "in-review"));
    noor(
        host,
        &["work", "erase", &done, &review],
        1,
        &["erased the payloads of 1 works", "is review", "nothing of this event"],
    );
    for end in ["", "-wal"] {
        let bytes = std::fs::read(host.dir().join(format!("onceward.db{end}"))).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&bytes).contains("4815162342"),
            "onceward.db{end} holds what was erased"
        );
    }
}

#[test]
fn old_events_run_under_a_raised_version_by_the_host_that_has_it() {
    let configure = |plugin: &str| {
        format!(
            "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\ndestinations = [\"crm\"]\n\
             [destination.crm]\nkind = \"http\"\nurl = \"http://127.0.0.1:9/\"\ntier = \"key\"\nallow_private_addresses = true\n",
            paths::compile_cache().display().to_string(),
            paths::step(plugin).display().to_string()
        )
    };
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), &configure("enqueues")).expect("a workspace");
    let mut service = Service::start(&host);
    let event = json!({ "source": "test", "id": "one", "data": { "deal": { "title": "one" } } });
    let old = work_of(&check(&service.post("/v1/steps/enqueues/invoke", &event), 200, "done"));
    let said = json!({ "by": "Noor", "why": "the new version" });
    let reprocess = |service: &Service| {
        let path = format!("/v1/works/{old}/reprocess");
        service.send_locally("POST", &path, &[], said.to_string().as_bytes())
    };
    check(&reprocess(&service), 409, "not-raised");
    assert!(service.stop().success());
    host.write("onceward.toml", &configure("enqueues_raised")).expect("a configuration");
    let service = Service::start(&host);
    let new = check(&reprocess(&service), 200, "reprocessed");
    let new = new["as"].as_str().expect("an id").to_owned();
    let mut shown = Value::Null;
    while shown["work"]["state"] != "done" {
        shown = host.json(&["work", "show", &new]).expect("it answers");
    }
    assert_eq!(shown["work"]["version"], 2, "{shown}");
    assert_eq!(check(&reprocess(&service), 200, "already")["as"], json!(new));
    let args = ["work", "reprocess", &old, "--by", "Noor", "--why", "again"];
    assert_eq!(host.json(&args).expect("it answers")[0]["verdict"], "already");
}
