//! The command line beside a host that runs: the same verbs, the same words, and what the host does by itself.

use crate::service::desk::{Desk, id_of};
use crate::service::served::{Served, check};
use serde_json::{Value, json};
use support::workspace::Workspace;

const NOOR: [&str; 4] = ["--by", "Noor", "--why", "looked at it"];

/// The command ends with this code, and says all of this on whichever stream.
#[track_caller]
fn told(host: &Workspace, args: &[&str], code: i32, said: &[&str]) -> String {
    let output = host.run(args).expect("it starts");
    let all =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{all}");
    for words in said {
        assert!(all.contains(words), "{args:?} should say {words:?}, but says:\n{all}");
    }
    all
}

#[track_caller]
fn noor(host: &Workspace, args: &[&str], code: i32, said: &[&str]) {
    told(host, &[args, &NOOR[..]].concat(), code, said);
}

/// Write an event file.
fn event(host: &Workspace, id: &str, data: &Value) -> String {
    let file = format!("{id}.json");
    let event = json!({ "source": "test", "id": id, "time": "2026-01-01T10:00:00Z", "data": data });
    host.write(&file, &event.to_string()).expect("an event");
    file
}

#[test]
fn an_event_is_run_by_the_host_and_delivered() {
    let desk = Desk::new();
    let host = &desk.served.workspace;
    let file = event(host, "m1", &json!({ "rows": [{ "slot": "a", "body": { "n": 1 } }] }));
    let run = host.json(&["run", &file, "--deliver", "--wait", "60"]).expect("it answers");
    assert_eq!(
        (&run["answered"]["verdict"], &run["works"], &run["outbox"], &run["hosted"]),
        (&json!("done"), &json!({ "done": 1 }), &json!({ "sent": 1 }), &json!(true)),
        "{run}"
    );
    assert_eq!(desk.bodies(), [json!({ "n": 1 })]);
    told(host, &["run", &file, "--deliver"], 0, &["done before; nothing was run", "first result", "1 done"]);
    let other = event(host, "m1", &json!({ "rows": [] }));
    told(host, &["run", &other], 3, &["recorded with the content", "event of its own"]);
    told(host, &["run", &other, "--quarantine"], 3, &["kept for a person", "quarantine: 1 waiting"]);
    let held = event(host, "m2", &json!({ "rows": [{ "slot": "a", "body": {}, "approval": "it speaks" }] }));
    told(host, &["run", &held], 0, &["works of this event: 1 done", "1 held"]);
    told(host, &["run", &held, "--deliver"], 3, &["outbox list --state held"]);
    told(host, &["deliver"], 3, &["a host is running", "1 held"]);
    told(host, &["resume"], 3, &["a host is running", "works: 2 done", "quarantine: 1 waiting"]);
    host.write("bad.json", "{\"source\":").expect("a file");
    told(host, &["run", "bad.json"], 1, &["reading the event from bad.json"]);
    host.write("nameless.json", "{\"source\":\"test\",\"data\":1}").expect("a file");
    told(host, &["run", "nameless.json"], 1, &["id"]);
    told(host, &["run", &file, "--step", "nobody"], 1, &["nobody"]);
    noor(host, &["pause", "step", "enqueues-as"], 0, &["is paused"]);
    let paused = event(host, "m3", &json!({ "rows": [] }));
    told(host, &["run", &paused, "--wait", "600"], 3, &["1 waiting"]);
}

#[test]
fn what_only_reads_and_what_waits_for_a_person_is_told() {
    let served =
        Served::new(&[("reads_only", ""), ("reviews", ""), ("traps", "retry = { attempts_max = 1 }")], "");
    let host = &served.workspace;
    let file = event(host, "m1", &json!({ "succeed_at": 1, "act": "nothing" }));
    told(host, &["run", &file], 1, &["several steps", "--step"]);
    let read = host.json(&["run", &file, "--step", "reads-only"]).expect("it answers");
    assert_eq!(read["read"]["verdict"], "read", "{read}");
    told(host, &["run", &file, "--step", "reviews"], 3, &["in-review", "work list --state review"]);
    told(host, &["run", &file, "--step", "traps"], 3, &["1 dead", "work list --state dead"]);
}

#[test]
fn a_person_decides_about_rows_beside_the_host() {
    let desk = Desk::new();
    let host = &desk.served.workspace;
    let row = desk.held("thanks");
    let id = id_of(&row);
    let listed = host.json(&["outbox", "list", "--state", "held"]).expect("it answers");
    assert_eq!(listed[0]["row_id"], id, "{listed}");
    told(host, &["outbox", "show", id], 0, &["held", "asked for: it speaks"]);
    host.write("new.json", "{ \"text\": \"thanks, Ada\" }\n").expect("a file");
    noor(host, &["outbox", "edit", id, "--payload", "new.json"], 0, &["is superseded by", "(revision 2)"]);
    noor(host, &["outbox", "approve", id], 1, &["superseded by", "onceward outbox show"]);
    let second = desk.of("state=held", 1).remove(0);
    let approved =
        host.json(&[&["outbox", "approve", id_of(&second)], &NOOR[..]].concat()).expect("it answers");
    assert_eq!(approved["verdict"], "applied");
    desk.of("state=sent", 1);
    noor(host, &["outbox", "approve", id_of(&second)], 0, &["was approved by Noor"]);
    assert_eq!(desk.bodies(), [json!({ "text": "thanks, Ada" })]);

    desk.crm.fault(&["status:400", "status:400"]).expect("faults");
    desk.rows("two", &json!([{ "slot": "a", "body": {} }, { "slot": "b", "body": {} }]));
    let blocked = desk.of("state=blocked", 2);
    told(host, &["destination", "list"], 0, &["crm", "2 blocked"]);
    told(host, &["status"], 0, &["idle, and 2 need a person", "2 blocked"]);
    noor(host, &["outbox", "resolve", "--all", "--as", "again", "--dry-run"], 0, &["2 rows are chosen"]);
    noor(
        host,
        &["outbox", "resolve", id_of(&blocked[0]), "--as", "sent", "--reference", "d-7"],
        0,
        &["is sent now"],
    );
    noor(host, &["outbox", "resolve", "--all", "--as", "again"], 0, &["1 rows were decided about"]);
    desk.of("state=sent", 3);
    noor(host, &["outbox", "cancel", id_of(&blocked[0])], 1, &["it is sent", "nothing was changed"]);
}

#[test]
fn a_person_looks_at_the_rest_and_decides_about_it_beside_the_host() {
    let served = Served::new(
        &[
            ("keeps_until_synced", ""),
            ("advances", ""),
            ("decides", "models = [\"oracle\"]\nhold_decisions = [\"answer\"]"),
        ],
        "[model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\n[progress]\nalarms = { matched = 3600 }\n",
    );
    let host = &served.workspace;
    let data = json!({ "prompt_version": "1" });
    check(&served.invoke("decides", "m1", 30.0, &data), 202, "in-review");
    told(host, &["decision", "list", "--waiting"], 0, &["answer", "waits"]);
    told(host, &["decision", "show", "decides:v1:test:m1"], 0, &["hash", "waits"]);
    told(host, &["decision", "show", "decides:v1:test:m1", "nothing"], 1, &["has none named \"nothing\""]);
    noor(host, &["decision", "approve", "decides:v1:test:m1", "answer"], 0, &["is approved now"]);
    noor(host, &["decision", "approve", "decides:v1:test:m1", "answer"], 0, &["was approved before"]);

    check(&served.invoke("keeps-until-synced", "m1", 30.0, &json!({ "n": 1 })), 200, "done");
    noor(host, &["marker", "set", "synced"], 0, &["synced is set at"]);
    told(host, &["marker", "list"], 0, &["Noor says: looked at it"]);
    told(host, &["retain", "--dry-run"], 0, &["1 events with all that came of them would be forgotten"]);
    told(host, &["retain"], 0, &["1 events with all that came of them forgotten"]);

    check(&served.invoke("advances", "m1", 30.0, &json!({ "stages": ["received", "matched"] })), 200, "done");
    told(host, &["progress", "list"], 0, &["advances:v1:test:m1", "matched: 1"]);
    told(host, &["progress", "list", "--late"], 0, &["nothing is late"]);

    check(&served.deliver("advances", "m2", &json!({ "stages": [] })), 202, "accepted");
    let kept =
        check(&served.deliver("advances", "m2", &json!({ "stages": ["received"] })), 202, "quarantined");
    let kept = kept["kept_as"].as_str().expect("an id");
    told(host, &["quarantine", "list"], 0, &[&kept[..12]]);
    told(host, &["quarantine", "show", kept], 0, &["collides with"]);
    noor(host, &["quarantine", "admit", kept], 0, &["is admitted now"]);
    served.await_state(kept, "done");

    noor(host, &["pause", "step", "echo"], 0, &["warning: no step \"echo\"", "is paused"]);
    told(host, &["pause", "list"], 0, &["the step \"echo\"", "Noor"]);
    noor(host, &["unpause", "namespace"], 1, &["not paused by itself", "onceward pause list"]);
    noor(host, &["unpause", "step", "echo"], 0, &["goes on"]);
    noor(host, &["pause", "destination", "crm"], 1, &["no such destination", "onceward destination list"]);
    told(host, &["step", "list"], 0, &["decides:v1", "model oracle"]);
    told(host, &["step", "show", "decides"], 0, &["event key", "model oracle"]);
    told(host, &["step", "show", "nothing"], 1, &["no such step", "onceward step list"]);
    told(host, &["status"], 0, &["and nothing needs a person"]);
}
