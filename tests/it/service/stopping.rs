//! A host that is told to stop: what is under way comes to its end, or is given back.

use crate::service::served::{Served, check, slow_model, work_of};
use serde_json::{Value, json};
use std::thread;
use support::service::Service;

const MODEL: &str = "models = [\"oracle\"]";

fn with_drain(drain_ms: u64, model_ms: u64) -> String {
    format!("[serve]\ndrain_ms = {drain_ms}\n{}", slow_model(model_ms))
}

#[test]
fn a_run_that_ends_in_time_ends_before_the_host() {
    let served = Served::new(&[("sleeps_in_host", MODEL)], &with_drain(60_000, 1_000));
    let work = work_of(&check(&served.deliver("sleeps-in-host", "m1", &json!({})), 202, "accepted"));
    let Served { mut host, workspace, _dir } = served;
    assert!(host.stop().success());
    let works = workspace.json(&["work", "list"]).expect("the file is free");
    assert_eq!(works[0]["work_id"], work);
    assert_eq!((&works[0]["state"], &works[0]["attempt"]), (&json!("done"), &json!(1)));
}

#[test]
fn a_run_that_does_not_end_in_time_gives_its_claim_back_and_the_attempt_does_not_count() {
    let served = Served::new(&[("sleeps_in_host", MODEL)], &with_drain(200, 600_000));
    let work = work_of(&check(&served.deliver("sleeps-in-host", "m1", &json!({})), 202, "accepted"));
    served.await_state(&work, "running");
    let Served { mut host, workspace, _dir } = served;
    assert!(host.stop().success());
    let works = workspace.json(&["work", "list"]).expect("the file is free");
    assert_eq!((&works[0]["state"], &works[0]["attempt"]), (&json!("waiting"), &json!(0)));
    let shown = workspace.json(&["work", "show", &work]).expect("the file is free");
    let happened = shown["evidence"].as_array().expect("evidence");
    let given_back =
        |line: &Value| line["detail"].as_str().is_some_and(|said| said.starts_with("given back"));
    assert!(happened.iter().any(given_back), "{shown}");
}

#[test]
fn whoever_waits_for_a_run_is_told_how_it_stands_when_the_host_stops() {
    let served = Served::new(&[("sleeps_in_host", MODEL)], &with_drain(3_000, 600_000));
    let work = work_of(&check(&served.invoke("sleeps-in-host", "m1", 0.0, &json!({})), 202, "in-progress"));
    let answer = thread::scope(|scope| {
        let waiting = scope.spawn(|| served.invoke("sleeps-in-host", "m1", 300.0, &json!({})));
        // The wait has begun when the second arrival is counted.
        while served.await_state(&work, "running")["work"]["duplicates"] != 1 {}
        served.host.ask_to_stop();
        waiting.join().expect("an invoker ends")
    });
    check(&answer, 202, "in-progress");
}

#[test]
fn two_hosts_never_own_one_file() {
    let served = Served::new(&[("echo", "")], "");
    let output = served.workspace.run(&["serve", "--listen", "127.0.0.1:0"]).expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("another process owns it"), "{said}");
    // The first one is not disturbed, and its socket is still its own.
    check(&served.invoke("echo", "after", 30.0, &json!({})), 200, "done");
}

#[test]
fn a_socket_that_a_killed_host_left_behind_is_in_nobodys_way() {
    let served = Served::new(&[("echo", "")], "");
    check(&served.invoke("echo", "m1", 30.0, &json!({})), 200, "done");
    let Served { mut host, workspace, _dir } = served;
    host.kill();
    let listed = workspace.json(&["work", "list"]).expect("the file is free");
    assert_eq!(listed[0]["state"], "done");
    let again = Service::start(&workspace);
    assert_eq!(again.get("/readyz").status(), Some(200));
}
