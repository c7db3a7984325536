//! `onceward progress list`, as an operator looks for what stands too long.

use super::guests::Guests;
use serde_json::json;

/// A handoff at `matched` and one at `replied`, with alarms that ring after an hour, and after the shortest time.
fn guests(alarms: &str) -> Guests {
    let guests = Guests::new(&["advances"], "");
    let config = super::text(&guests.host.dir().join("onceward.toml"));
    guests
        .host
        .write("onceward.toml", &format!("{config}\n[progress]\n{alarms}\n"))
        .expect("a configuration");
    for (id, stage) in [("open", "matched"), ("answered", "replied")] {
        let file = guests.event(id, &json!({ "stages": ["received", stage] }));
        guests.check(&["run", &file], 0, &["done"]);
    }
    guests
}

#[test]
fn handoffs_are_listed_by_stage_with_their_age() {
    let guests = guests("alarms = { matched = 3600 }");
    let all = ["matched", "replied", "advances:v1:test:open", "matched: 1, the oldest for"];
    guests.check(&["progress", "list"], 0, &all);
    let listed = guests.host.json(&["progress", "list", "--stage", "matched"]).expect("an answer");
    let handoff = &listed["handoffs"][0];
    assert_eq!((&handoff["key"], &handoff["late_after_s"]), (&json!("advances:v1:test:open"), &json!(3600)));
    assert_eq!(
        (&listed["stages"][0]["handoffs"], listed["handoffs"].as_array().map(Vec::len)),
        (&json!(1), Some(1))
    );
    let older = guests.host.json(&["progress", "list", "--older-than", "3600"]).expect("an answer");
    assert_eq!(older["handoffs"], json!([]));
    guests.check(&["progress", "list", "--late"], 0, &["nothing is late"]);
    let output = guests.host.run(&["progress", "list", "--stage", "macthed"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("\"macthed\"") && said.contains("received, matched, owned, replied"), "{said}");
}

#[test]
fn a_handoff_that_stands_too_long_is_late_and_what_ended_is_not() {
    let guests = guests("alarms = { received = 60, matched = 3600 }");
    let ledger = rusqlite::Connection::open(guests.host.dir().join("onceward.db")).expect("the ledger opens");
    // An hour and a minute ago, since no test waits for so long.
    ledger.execute("UPDATE progress SET reached_ms = reached_ms - 3660500", []).expect("it is written");
    drop(ledger);
    let late = guests.check(
        &["progress", "list", "--late"],
        3,
        &["matched for 61 min (late after 60 min): advances:v1:test:open"],
    );
    assert!(!late.contains("replied"), "{late}");
    let output = guests.host.run(&["progress", "list", "--late", "--json"]).expect("it starts");
    assert_eq!(output.status.code(), Some(3));
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(listed["handoffs"].as_array().map(Vec::len), Some(1), "{listed}");
    // A busy machine may take a while between the two.
    let age_s = listed["handoffs"][0]["age_s"].as_u64().expect("an age");
    assert!((3_660..3_720).contains(&age_s), "{listed}");
}

#[test]
fn an_alarm_that_cannot_ring_is_refused_when_the_configuration_is_read() {
    let guests = guests("");
    for (alarms, said) in [
        ("alarms = { macthed = 60 }", "the stages are received, matched"),
        ("alarms = { replied = 60 }", "never late"),
        ("alarms = { matched = 0 }", "at least 1"),
        ("mirror = { destination = \"crm\" }", "add [destination.crm]"),
    ] {
        let config = super::text(&guests.host.dir().join("onceward.toml"));
        let config = config.split("[progress]").next().expect("a beginning").to_owned();
        guests
            .host
            .write("onceward.toml", &format!("{config}[progress]\n{alarms}\n"))
            .expect("a configuration");
        let output = guests.host.run(&["progress", "list", "--late"]).expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{alarms}: {told}");
        assert!(told.contains("[progress]") && told.contains(said), "{alarms}: {told}");
    }
}
