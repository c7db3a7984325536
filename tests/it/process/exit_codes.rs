//! The exit code is what a supervisor acts on: 0 only where nothing is left of what was asked for.

use super::Stage;
use super::guests::{Guests, check};
use serde_json::json;

#[test]
fn a_retry_that_is_done_within_the_wait_is_done() {
    let guests = Guests::new(&["flags_by_attempt"], "retry = { base_ms = 20, ceiling_ms = 20 }");
    let file = guests.event("one", &json!({ "succeed_at": 3 }));
    check(&guests.host, &["run", &file, "--wait", "60"], 0, &["works of this event: 1 done"]);
    let file = guests.event("two", &json!({ "succeed_at": 2 }));
    let slow = "retry = { base_ms = 3600000, ceiling_ms = 3600000 }";
    let guests = Guests::new(&["flags_by_attempt"], slow);
    guests.event("two", &json!({ "succeed_at": 2 }));
    check(&guests.host, &["run", &file], 3, &["works of this event: 1 waiting", "onceward resume"]);
}

#[test]
fn what_waits_elsewhere_does_not_count_against_an_event() {
    let slow = "retry = { base_ms = 3600000, ceiling_ms = 3600000 }";
    let guests = Guests::new(&["flags_by_attempt"], slow);
    let waits = guests.event("waits", &json!({ "succeed_at": 2 }));
    let done = guests.event("done", &json!({ "succeed_at": 1 }));
    check(&guests.host, &["run", &waits], 3, &[]);
    // It does not wait for the other one either: that would take an hour.
    check(&guests.host, &["run", &done, "--wait", "3000"], 0, &["works of this event: 1 done"]);
    check(&guests.host, &["resume"], 3, &["no work was due", "works: 1 waiting, 1 done", "onceward resume"]);
}

#[test]
fn an_event_is_not_done_while_a_later_step_of_it_is_not() {
    let guests = Guests::new(&["echo", "traps"], "retry = { attempts_max = 1 }");
    let file = guests.event("one", &json!({ "a": 1 }));
    check(&guests.host, &["run", &file], 3, &["works of this event: 1 done, 1 dead", "--state dead"]);
    let again =
        check(&guests.host, &["run", &file], 3, &["done before", "works of this event: 1 done, 1 dead"]);
    assert!(again.contains("first result"), "the contract gives it: {again}");
}

#[test]
fn resume_is_not_done_while_a_work_needs_a_person() {
    for (guest, state) in [("traps", "dead"), ("reviews", "review")] {
        let guests = Guests::new(&[guest], "retry = { attempts_max = 1 }");
        let file = guests.event("one", &json!({ "a": 1 }));
        check(&guests.host, &["run", &file], 3, &[]);
        let said = [format!("works: 1 {state}"), format!("work list --state {state}")];
        check(&guests.host, &["resume"], 3, &[&said[0], &said[1]]);
        let told = guests.host.json(&["resume"]).expect("it answers");
        assert_eq!(told["works"], json!({ state: 1 }), "{told}");
    }
    let guests = Guests::new(&["rejects"], "");
    let file = guests.event("one", &json!({ "a": 1 }));
    check(&guests.host, &["run", &file], 3, &["works of this event: 1 rejected"]);
    check(&guests.host, &["resume"], 0, &["works: 1 rejected"]);
}

#[test]
fn a_work_that_dies_when_it_is_taken_is_seen() {
    let stage = Stage::new(&[]);
    let path = stage.host.dir().join("onceward.toml");
    let once = super::text(&path).replace("attempts_max = 1000", "attempts_max = 1");
    std::fs::write(&path, once).expect("a configuration");
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    // A claim is certainly on disk where a model has been asked, and not before.
    stage.host.crash_at("decision-recorded", &["run", "lead.json"]).expect("it dies");
    check(&stage.host, &["resume"], 3, &["no work was due", "works: 1 dead", "--state dead"]);
}

#[test]
fn a_row_that_was_to_be_sent_and_is_not_is_not_done() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    check(&stage.host, &["run", "lead.json"], 0, &["outbox: 1 pending"]);
    stage.crm.fault(&["status:400"]).expect("a fault");
    check(&stage.host, &["run", "lead.json", "--deliver"], 3, &["outbox: 1 blocked"]);
    check(&stage.host, &["run", "lead.json"], 0, &[]);
    check(&stage.host, &["resume", "--deliver"], 3, &["works: 2 done", "outbox: 1 blocked"]);
    stage.host.lead("other.json", "msg-2", "And of two?").expect("an event");
    check(&stage.host, &["run", "other.json", "--deliver"], 0, &["1 sent, 1 blocked"]);
}

#[test]
fn what_the_contract_withholds_from_a_repeat_is_not_printed() {
    const RESULT: &str = "the-first-result";
    for (response, code, verdict) in
        [("original", 0, "replay"), ("acknowledgement", 0, "acknowledged"), ("error", 3, "already-done")]
    {
        let guests = Guests::new(&["echo"], &format!("response = {response:?}"));
        let file = guests.event("one", &json!({ "a": RESULT }));
        check(&guests.host, &["run", &file], 0, &[]);
        let told = check(&guests.host, &["run", &file], code, &[]);
        assert_eq!(told.contains(RESULT), response == "original", "{told}");
        let told = check(&guests.host, &["run", &file, "--json"], code, &[verdict]);
        assert_eq!(told.contains(RESULT), response == "original", "{told}");
    }
}

#[test]
fn a_wait_beyond_all_bounds_is_refused_and_the_longest_one_begins() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    check(&stage.host, &["run", "lead.json", "--deliver", "--wait", "2592000"], 0, &[]);
    for verb in [&["run", "lead.json"][..], &["resume"], &["deliver"]] {
        let mut args = verb.to_vec();
        args.extend(["--wait", "18446744073709551615"]);
        let output = stage.host.run(&args).expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("2592000") && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_paused_destination_does_not_hold_a_wait() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.crm.fault(&["status:401"]).expect("a fault");
    let begun = std::time::Instant::now();
    check(&stage.host, &["run", "lead.json", "--deliver", "--wait", "60"], 3, &["outbox: 1 pending"]);
    check(&stage.host, &["deliver", "--wait", "60"], 3, &["outbox: 1 pending"]);
    check(&stage.host, &["resume", "--deliver", "--wait", "60"], 3, &["outbox: 1 pending"]);
    assert!(begun.elapsed().as_secs() < 60, "nothing becomes due, so there is nothing to wait for");
}

#[test]
fn rows_for_a_destination_that_is_gone_are_named() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    check(&stage.host, &["run", "lead.json"], 0, &[]);
    let path = stage.host.dir().join("onceward.toml");
    let config = super::text(&path);
    std::fs::write(
        &path,
        config.replace("[destination.crm]", "[destination.erp]").replace("\"crm\"", "\"erp\""),
    )
    .expect("a configuration");
    check(
        &stage.host,
        &["deliver"],
        3,
        &["outbox: 1 pending", "1 wait for the destination \"crm\"", "[destination.crm]"],
    );
    let told = stage.json(&["deliver"]);
    assert_eq!(told["unconfigured"], json!({ "crm": 1 }), "{told}");
    std::fs::write(&path, config).expect("a configuration");
    check(&stage.host, &["deliver"], 0, &["outbox: 1 sent"]);
    stage.assert_once(&["msg-1".to_owned()]);
}
