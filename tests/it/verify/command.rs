//! `onceward verify` as people and programs run it.

use serde_json::Value;
use std::process::{Command, Output};
use support::paths;
use support::verified::bad_event_path;

fn verify(args: &[&str]) -> Output {
    let mut command = Command::new(paths::binary("onceward"));
    command.arg("verify").args(args).output().expect("the program runs")
}

fn event(name: &str) -> String {
    bad_event_path(name).display().to_string()
}

fn step(name: &str) -> String {
    paths::step(name).display().to_string()
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn a_good_step_is_done_and_its_table_says_what_was_tried() {
    let output = verify(&[&step("good_deal"), "--event", &event("good_deal"), "--seconds", "1"]);
    let (said, aside) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{aside}");
    for words in ["single faults", "pairs", "dies-after", "overtaken", "nothing found: "] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(aside.contains("pairs: "), "progress is told aside: {aside}");
}

#[test]
fn a_bad_step_is_not_done_and_the_run_that_shows_it_can_be_made_again() {
    let (step, event) = (step("bad_attempt_in_payload"), event("attempt_in_payload"));
    let base = [step.as_str(), "--event", &event, "--destination", "crm=key"];
    let output = verify(&[&base[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schedule = told["failure"]["schedule"].as_str().expect("a schedule");
    assert_eq!(told["failure"]["findings"][0]["kind"], "differs", "{told}");

    let again = verify(&[&base[..], &["--schedule", schedule]].concat());
    let said = text(&again.stdout);
    assert_eq!(again.status.code(), Some(3), "{said}");
    assert!(said.contains("<== dies-after") && said.contains("\"made_by_attempt\":2"), "{said}");
    let clean = verify(&[&base[..], &["--schedule", ""]].concat());
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stdout));
}

#[test]
fn what_can_not_be_verified_is_refused_with_the_remedy() {
    let (good, lead) = (step("good_deal"), event("good_deal"));
    let check = |args: &[&str], code: i32, words: &str| {
        let output = verify(args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    };
    check(&[&good], 2, "--event");
    check(&["--event", &lead], 2, "<STEP>");
    check(&["no.wasm", "--event", &lead], 1, "build the step first");
    check(&[&good, "--event", "no.json"], 1, "reading the event");
    check(&[&good, "--event", &lead, "--really", "erp=key"], 1, "there are: crm");
    check(&[&good, "--event", &lead, "--really", "crm=good"], 2, "the tiers are key, field, lookup, blind");
    check(&[&good, "--event", &lead, "--schedule", "3:sleeps"], 2, "the faults are: dies-before");
    check(&[&step("reads_only"), "--event", &lead], 1, "read-only by its contract");
}
