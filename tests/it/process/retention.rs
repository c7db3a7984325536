//! `onceward retain` and `onceward marker`, as an operator uses them.

use super::guests::Guests;
use serde_json::json;

#[test]
fn an_operator_sees_what_would_go_and_what_stays_and_then_lets_it_go() {
    let guests = Guests::new(&["keeps_until_synced"], "");
    let timed = guests.event("timed", &json!("a"));
    guests.host.write("untimed.json", r#"{"source":"test","id":"untimed","data":"b"}"#).expect("an event");
    for file in [timed.as_str(), "untimed.json"] {
        guests.check(&["run", file], 0, &["done"]);
    }
    let waits = ["0 events", "2 are kept until the marker \"synced\" is set", "onceward marker set synced"];
    guests.check(&["retain"], 0, &waits);
    guests.check(&["marker", "list"], 0, &["MARKER"]);
    guests.check(
        &["marker", "set", "synced", "--by", "sync", "--why", "nightly"],
        0,
        &["synced is set at", "onceward retain"],
    );
    guests.check(&["marker", "list"], 0, &["synced", "sync says: nightly"]);
    guests.check(&["retain", "--dry-run"], 0, &["2 events with all that came of them would be forgotten"]);
    let limited = guests.host.json(&["retain", "--limit", "1"]).expect("an answer");
    assert_eq!((&limited["events"], &limited["kept"][0]["families"]), (&json!(1), &json!(1)), "{limited}");
    let rest = guests.host.json(&["retain"]).expect("an answer");
    assert_eq!(rest, json!({ "dry_run": false, "events": 1, "decisions": 0, "kept": [] }));
    for file in [timed.as_str(), "untimed.json"] {
        guests.check(&["run", file], 3, &["too old"]);
    }
}

#[test]
fn a_marker_without_a_name_is_refused() {
    let guests = Guests::new(&["keeps_until_synced"], "");
    let output =
        guests.host.run(&["marker", "set", " ", "--by", "sync", "--why", "nightly"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("setting a marker") && said.contains("window"), "{said}");
}
