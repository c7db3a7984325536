//! Cancelling while a work runs, and while it is about to.

use crate::service::served::{Served, check, slow_model, work_of};
use serde_json::{Value, json};
use std::thread;

/// A run that nobody stops goes on for longer than any test.
const FOR_EVER: &str = "limits = { wall_ms = 3600000 }";

fn said() -> Value {
    json!({ "by": "admin", "why": "it eats the host" })
}

#[test]
fn s18_a_run_that_never_ends_is_stopped_and_cancelled_while_it_runs() {
    let served = Served::new(&[("endless_loop", FOR_EVER), ("echo", "")], "");
    let work = work_of(&check(&served.deliver("endless-loop", "m1", &json!({})), 202, "accepted"));
    served.await_state(&work, "running");
    let path = format!("/v1/works/{work}/cancel");
    let acted = check(&served.host.post(&path, &said()), 200, "applied");
    assert_eq!(acted["state"], "cancelled", "the run was stopped before the answer");
    let whole = served.await_state(&work, "cancelled");
    assert!(
        whole["work"]["cause"].as_str().is_some_and(|cause| cause.contains("it eats the host")),
        "{whole}"
    );
    check(&served.host.post(&path, &said()), 409, "wrong-state");
    let again = check(&served.deliver("endless-loop", "m1", &json!({})), 200, "duplicate");
    assert_eq!(again["state"], "cancelled");
    check(&served.invoke("echo", "m1", 30.0, &json!({})), 200, "done");
}

#[test]
fn a_run_that_waits_for_a_model_is_stopped_too() {
    let served = Served::new(&[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(600_000));
    let work = work_of(&check(&served.deliver("sleeps-in-host", "m1", &json!({})), 202, "accepted"));
    served.await_state(&work, "running");
    let acted = check(&served.host.post(&format!("/v1/works/{work}/cancel"), &said()), 200, "applied");
    assert_eq!(acted["state"], "cancelled");
}

#[test]
fn a_work_that_waits_for_a_place_is_stopped_as_it_begins() {
    let served = Served::within(1, &[("endless_loop", FOR_EVER)], "");
    let first = work_of(&check(&served.deliver("endless-loop", "m1", &json!({})), 202, "accepted"));
    served.await_state(&first, "running");
    thread::scope(|scope| {
        // An invoker claims first, and waits for a place then.
        let invoked = scope.spawn(|| served.invoke("endless-loop", "m2", 60.0, &json!({})));
        let second = "endless-loop:v1:test:m2";
        served.await_state(second, "running");
        let cancel =
            |work: &str, key: &str| served.host.act(&format!("/v1/works/{work}/cancel"), key, &said());
        let asked = check(&cancel(second, "click-1"), 202, "asked");
        assert_eq!(asked["state"], "running", "its run has not begun, so that nothing can be stopped");
        check(&cancel(second, "click-2"), 202, "asked");
        check(&cancel(&first, "click-3"), 200, "applied");
        check(&invoked.join().expect("the invoker ends"), 409, "cancelled");
        assert_eq!(check(&cancel(second, "click-1"), 200, "applied")["state"], "cancelled");
    });
}

#[test]
fn a_cancellation_and_a_claim_exclude_each_other() {
    let retry = "retry = { base_ms = 1, ceiling_ms = 1, attempts_max = 1000 }";
    let served = Served::new(&[("flags_by_attempt", retry)], "");
    let works: Vec<String> = (0..40)
        .map(|n| {
            let taken =
                served.deliver("flags-by-attempt", &n.to_string(), &json!({ "succeed_at": 2 + n % 5 }));
            work_of(&check(&taken, 202, "accepted"))
        })
        .collect();
    let answers: Vec<(u16, Value)> = thread::scope(|scope| {
        let cancel = |work: &String| {
            let answer = served.host.post(&format!("/v1/works/{work}/cancel"), &said());
            (answer.status().unwrap_or_default(), answer.json().unwrap_or_default())
        };
        let all: Vec<_> = works.iter().map(|work| scope.spawn(move || cancel(work))).collect();
        all.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    for (work, (status, answer)) in works.iter().zip(answers) {
        let ends = match status {
            200 => "cancelled",
            409 => "done",
            other => panic!("{other}: {answer}"),
        };
        let whole = served.await_state(work, ends);
        let last = whole["evidence"].as_array().and_then(|lines| lines.last()).expect("evidence");
        let by_settle = last["detail"].as_str().is_some_and(|detail| detail.starts_with("cancelled: "));
        match ends {
            // A waiting one at once, a running one when its run was stopped.
            "cancelled" => assert!(last["kind"] == "decided-by" || by_settle, "{last}"),
            _ => assert!(last["kind"] == "settled" && !by_settle, "{last}"),
        }
    }
}
