//! What the sender of a webhook is told.

use crate::service::served::{Served, check, slow_model, work_of};
use serde_json::json;
use std::thread;

#[test]
fn each_answer_of_the_table_at_the_intake() {
    let once = "retry = { attempts_max = 1 }";
    let served = Served::new(
        &[
            ("echo", ""),
            ("retries", "retry = { attempts_max = 5, base_ms = 600000, ceiling_ms = 600000 }"),
            ("traps", once),
            ("rejects", ""),
            ("reviews", ""),
            ("sleeps_in_host", "models = [\"oracle\"]"),
        ],
        &slow_model(600_000),
    );
    for (step, state) in [
        ("echo", "done"),
        ("traps", "dead"),
        ("rejects", "rejected"),
        ("reviews", "review"),
        ("sleeps-in-host", "running"),
        ("retries", "waiting"),
    ] {
        let first = check(&served.deliver(step, "m1", &json!({ "total": 1 })), 202, "accepted");
        served.await_state(&work_of(&first), state);
        let again = check(&served.deliver(step, "m1", &json!({ "total": 1.0 })), 200, "duplicate");
        assert_eq!(work_of(&again), work_of(&first), "{step}");
        assert_eq!(again["state"], state, "{step}");
        // The first content stands, and the other one is not lost.
        for _ in 0..2 {
            let other = check(&served.deliver(step, "m1", &json!({ "total": 2 })), 202, "quarantined");
            assert_eq!(work_of(&other), work_of(&first), "{step}");
            assert!(other["kept_as"].is_string(), "{step}: {other}");
        }
    }
    let waiting = check(&served.deliver("retries", "m2", &json!({})), 202, "accepted");
    served.await_state(&work_of(&waiting), "waiting");
    let cancel = format!("/v1/works/{}/cancel", work_of(&waiting));
    check(&served.host.post(&cancel, &json!({ "why": "sent by mistake" })), 200, "applied");
    let again = check(&served.deliver("retries", "m2", &json!({})), 200, "duplicate");
    assert_eq!(again["state"], "cancelled");
    let nameless = served.host.post("/v1/sources/echo/events", &json!({ "total": 1 }));
    let said = check(&nameless, 400, "no-identity");
    assert!(said["detail"].as_str().is_some_and(|detail| detail.contains("/id")), "{said}");
    check(&served.deliver("nobody", "m1", &json!({})), 404, "not-found");
}

#[test]
fn s01_the_same_webhook_on_two_connections_is_one_work_and_one_question() {
    let served = Served::new(
        &[("sleeps_in_host", "models = [\"oracle\"]")],
        "[model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\ndelay_ms = 300\ncall_log = \"calls.jsonl\"\n",
    );
    let answers = thread::scope(|scope| {
        let deliver = || served.deliver("sleeps-in-host", "m1", &json!({}));
        let both = [scope.spawn(deliver), scope.spawn(deliver)];
        both.map(|one| one.join().expect("a sender ends"))
    });
    let mut statuses = answers.each_ref().map(|answer| answer.status());
    statuses.sort_unstable();
    assert_eq!(statuses, [Some(200), Some(202)]);
    let works = answers.map(|answer| work_of(&answer.json().expect("a verdict")));
    assert_eq!(works[0], works[1]);
    served.await_state(&works[0], "done");
    let calls =
        std::fs::read_to_string(served.workspace.dir().join("calls.jsonl")).expect("the model was asked");
    assert_eq!(calls.lines().count(), 1, "{calls}");
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let mut served = Served::new(&[("echo", "")], "");
    for round in 0..5 {
        let accepted = check(&served.deliver("echo", &format!("m{round}"), &json!({})), 202, "accepted");
        served = served.again();
        served.await_state(&work_of(&accepted), "done");
    }
}

#[test]
fn an_event_is_taken_in_while_every_place_is_taken() {
    let served = Served::within(1, &[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(600_000));
    let first = check(&served.deliver("sleeps-in-host", "m1", &json!({})), 202, "accepted");
    assert_eq!(first["state"], "running");
    for number in 2..5 {
        let id = format!("m{number}");
        let next = check(&served.deliver("sleeps-in-host", &id, &json!({})), 202, "accepted");
        assert_eq!(next["state"], "waiting", "no claim is held in a queue");
        let again = check(&served.deliver("sleeps-in-host", &id, &json!({})), 200, "duplicate");
        assert_eq!((work_of(&again), &again["state"]), (work_of(&next), &json!("waiting")));
    }
}

#[test]
fn a_backlog_runs_when_there_is_room() {
    let served = Served::within(1, &[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(50));
    let deliver = |number: u32| {
        let data = json!({ "number": number });
        work_of(&check(&served.deliver("sleeps-in-host", &format!("m{number}"), &data), 202, "accepted"))
    };
    for work in (0..20).map(deliver).collect::<Vec<_>>() {
        served.await_state(&work, "done");
    }
}

#[test]
fn a_full_ledger_refuses_what_it_can_not_keep_and_keeps_what_it_took() {
    let full = "[store]\nmax_bytes = 1_500_000\n";
    let served = Served::new(&[("echo", "")], full);
    let text = "a".repeat(50_000);
    let mut accepted = Vec::new();
    let refused = (0..200).find_map(|number| {
        let answer = served.deliver("echo", &format!("m{number}"), &json!({ "text": text }));
        if answer.status() == Some(202) {
            accepted.push(work_of(&check(&answer, 202, "accepted")));
            return None;
        }
        Some(answer)
    });
    let refused = refused.expect("the ledger is full at some time");
    let said = check(&refused, 503, "unavailable");
    assert!(said["retryable"] == true && refused.header("retry-after").is_some(), "{said}");
    assert!(!accepted.is_empty());
    let config =
        std::fs::read_to_string(served.workspace.dir().join("onceward.toml")).expect("a configuration");
    served.workspace.write("onceward.toml", &config.replace(full, "")).expect("a configuration");
    let served = served.again();
    for work in accepted {
        served.await_state(&work, "done");
    }
}
