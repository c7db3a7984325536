//! What the invoker of a step is told.

use crate::service::served::{Served, check, slow_model, work_of};
use serde_json::json;
use std::thread;
use std::time::{Duration, Instant};
use support::receiver::client::Exchange;

/// How long something may take to come about. It is tried again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

fn replayed(answer: &Exchange) -> bool {
    answer.header("onceward-replayed") == Some("true")
}

#[test]
fn done_work_is_answered_by_its_contract() {
    for (response, status, verdict) in [
        ("original", 200, "replay"),
        ("acknowledgement", 200, "acknowledged"),
        ("error", 409, "already-done"),
    ] {
        let served = Served::new(&[("echo", &format!("response = {response:?}"))], "");
        let first = served.invoke("echo", "m1", 30.0, &json!({ "total": 1 }));
        assert!(!replayed(&first));
        let first = check(&first, 200, "done");
        assert_eq!(first["output"], json!({ "total": 1 }));
        let again = served.invoke("echo", "m1", 30.0, &json!({ "total": 1 }));
        let body = check(&again, status, verdict);
        assert_eq!(work_of(&body), work_of(&first));
        assert_eq!(replayed(&again), status == 200, "{response}");
        assert_eq!(body["output"], if verdict == "replay" { json!({ "total": 1 }) } else { json!(null) });
        check(&served.invoke("echo", "m1", 30.0, &json!({ "total": 2 })), 422, "mismatch");
    }
}

#[test]
fn a_duplicate_of_running_work_attaches_to_it() {
    let served = Served::new(&[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(1_500));
    let invoke = |wait| served.invoke("sleeps-in-host", "m1", wait, &json!({}));
    let body = check(&invoke(0.0), 202, "in-progress");
    assert_eq!(body["status_url"], format!("/v1/works/{}", work_of(&body)));
    let answers = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| invoke(60.0))).collect();
        all.into_iter().map(|one| one.join().expect("an invoker ends")).collect::<Vec<_>>()
    });
    for answer in &answers {
        assert_eq!(check(answer, 200, "replay")["output"], json!({ "said": "yes" }));
        assert!(replayed(answer));
    }
}

#[test]
fn each_other_answer_of_the_table_at_an_invocation() {
    let once = "retry = { attempts_max = 1 }";
    let later = "retry = { attempts_max = 5, base_ms = 600000, ceiling_ms = 600000 }";
    let served = Served::new(
        &[("retries", later), ("traps", once), ("rejects", ""), ("reviews", ""), ("reads_only", "")],
        "",
    );
    for (step, status, verdict) in
        [("traps", 409, "dead"), ("rejects", 409, "rejected"), ("reviews", 202, "in-review")]
    {
        for _ in 0..2 {
            let body = check(&served.invoke(step, "m1", 30.0, &json!({})), status, verdict);
            let state = served.host.get(&format!("/v1/works/{}", work_of(&body))).json().expect("a work");
            assert_eq!(state["work"]["step"], step);
        }
        check(&served.invoke(step, "m1", 30.0, &json!({ "other": 1 })), 422, "mismatch");
    }
    // The time is long over before the next attempt.
    let waiting = check(&served.invoke("retries", "m1", 0.5, &json!({})), 202, "in-progress");
    let cancel = format!("/v1/works/{}/cancel", work_of(&waiting));
    check(&served.host.post(&cancel, &json!({ "why": "sent by mistake" })), 200, "applied");
    check(&served.invoke("retries", "m1", 0.5, &json!({})), 409, "cancelled");
    check(&served.invoke("nobody", "m1", 0.0, &json!({})), 404, "not-found");
    let read =
        check(&served.invoke("reads-only", "m1", 0.0, &json!({ "succeed_at": 1, "act": "" })), 200, "read");
    assert_eq!(read["attempts"], 1);
    for wait in ["-1", "1e9", "NaN", "soon", "1&wait=2", "1&other=2"] {
        let event = json!({ "source": "test", "id": "m1", "data": {} });
        let answer = served.host.post(&format!("/v1/steps/retries/invoke?wait={wait}"), &event);
        check(&answer, 400, "bad-request");
    }
}

#[test]
fn an_event_comes_in_any_of_its_shapes() {
    let served = Served::new(&[("echo", "")], "");
    let path = "/v1/steps/echo/invoke";
    let plain = served.host.post(path, &json!({ "source": "shop", "id": "7", "data": { "n": 1 } }));
    let first = check(&plain, 200, "done");
    let structured =
        json!({ "specversion": "1.0", "type": "t", "source": "shop", "id": "7", "data": { "n": 1 } });
    let raw = |headers: &[(&str, &str)], body: &str| {
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        served.host.send_bytes(format!("{head}\r\n{body}").as_bytes())
    };
    let structured = raw(&[("Content-Type", "application/cloudevents+json")], &structured.to_string());
    let binary = [
        ("Content-Type", "application/json"),
        ("ce-specversion", "1.0"),
        ("ce-type", "t"),
        ("ce-source", "shop"),
        ("ce-id", "7"),
    ];
    for answer in [structured, raw(&binary, r#"{"n": 1}"#)] {
        assert_eq!(work_of(&check(&answer, 200, "replay")), work_of(&first));
    }
    let json = ("Content-Type", "application/json");
    let keyed = raw(&[json, ("Idempotency-Key", "\"order-7\"")], r#"{"n": 1}"#);
    let keyed = check(&keyed, 200, "done");
    assert_eq!(keyed["output"], json!({ "n": 1 }));
    assert_ne!(work_of(&keyed), work_of(&first), "another key is other work");
    // Quotes or none: many clients send the bare key.
    let bare = raw(&[json, ("Idempotency-Key", "order-7")], r#"{"n": 1}"#);
    assert_eq!(work_of(&check(&bare, 200, "replay")), work_of(&keyed));
    check(&raw(&[json, ("Idempotency-Key", "order-7")], r#"{"n": 2}"#), 422, "mismatch");
    check(&raw(&[json, ("Idempotency-Key", "\"\"")], r#"{"n": 2}"#), 400, "bad-request");
    check(&raw(&[json, ("Idempotency-Key", "a"), ("ce-id", "7")], r#"{"n": 2}"#), 400, "bad-request");
    let batch = raw(&[("Content-Type", "application/cloudevents-batch+json")], "[]");
    check(&batch, 415, "unsupported-media-type");
}

#[test]
fn s10_twenty_invokers_of_one_key_get_one_result() {
    let served = Served::new(&[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(200));
    let answers = thread::scope(|scope| {
        let invoke = || served.invoke("sleeps-in-host", "m1", 60.0, &json!({}));
        let all: Vec<_> = (0..20).map(|_| scope.spawn(invoke)).collect();
        all.into_iter().map(|one| one.join().expect("an invoker ends")).collect::<Vec<_>>()
    });
    let first = answers.iter().filter(|answer| !replayed(answer)).count();
    assert_eq!(first, 1, "one of them began it");
    for answer in &answers {
        assert_eq!(answer.status(), Some(200), "{}", answer.text());
        assert_eq!(answer.json().expect("a verdict")["output"], json!({ "said": "yes" }));
    }
}

#[test]
fn a_run_that_outlives_its_lease_keeps_it_while_its_host_lives() {
    let short = "models = [\"oracle\"]\nlease_ms = 500\nlimits = { wall_ms = 400 }";
    let served = Served::new(&[("sleeps_in_host", short)], &slow_model(3_000));
    let body = check(&served.invoke("sleeps-in-host", "m1", 60.0, &json!({})), 200, "done");
    let whole = served.host.get(&format!("/v1/works/{}", work_of(&body))).json().expect("a work");
    assert_eq!(whole["work"]["attempt"], 1, "nobody has taken it over: {whole}");
}

#[test]
fn an_invoker_waits_no_longer_than_it_said_while_every_place_is_taken() {
    let served = Served::within(1, &[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(600_000));
    check(&served.invoke("sleeps-in-host", "m1", 0.0, &json!({})), 202, "in-progress");
    let second = check(&served.invoke("sleeps-in-host", "m2", 0.0, &json!({})), 202, "in-progress");
    let again = check(&served.invoke("sleeps-in-host", "m2", 0.5, &json!({})), 202, "in-progress");
    assert_eq!(work_of(&again), work_of(&second));
}

#[test]
fn callers_wait_in_a_bounded_queue_and_are_told_busy_when_it_is_full() {
    let steps = [("sleeps_in_host", "models = [\"oracle\"]"), ("echo", ""), ("reads_only", "")];
    let served = Served::queued(1, 2, &steps, &slow_model(600_000));
    // Asked again while it is busy: a caller leaves the queue when it has its place, and not before.
    let accepted = |step: &str, id: &str| {
        let begun = Instant::now();
        loop {
            let answer = served.invoke(step, id, 0.0, &json!(id));
            if answer.status() != Some(503) {
                return work_of(&check(&answer, 202, "in-progress"));
            }
            assert!(begun.elapsed() < PATIENCE, "{step} finds no room: {}", answer.text());
        }
    };
    let cancel = |work: &str| {
        served.host.post(&format!("/v1/works/{work}/cancel"), &json!({ "why": "it takes too long" }));
        served.await_state(work, "cancelled");
    };
    let first = accepted("sleeps-in-host", "m1");
    let (second, third) = (accepted("sleeps-in-host", "m2"), accepted("echo", "m3"));

    let read = json!({ "succeed_at": 1, "act": "" });
    for (step, data) in [("sleeps-in-host", json!("m4")), ("echo", json!("m4")), ("reads-only", read)] {
        let refused = served.invoke(step, "m4", 30.0, &data);
        let body = check(&refused, 503, "busy");
        assert_eq!((refused.header("retry-after"), &body["retryable"]), (Some("1"), &json!(true)), "{step}");
        let said = body["detail"].as_str().unwrap_or_default();
        assert!(
            said.contains("2 callers wait for one, which is the limit (runtime.queue)"),
            "{step}: {said}"
        );
    }
    let works = served.host.get("/v1/works").json().expect("a list");
    assert_eq!(works["works"].as_array().map(Vec::len), Some(3), "nothing else is recorded: {works}");

    // Who needs no room is answered: a repeat, and a source, whose events wait in the ledger.
    let again = served.invoke("sleeps-in-host", "m2", 0.0, &json!("m2"));
    assert_eq!(work_of(&check(&again, 202, "in-progress")), second);
    check(&served.invoke("echo", "m3", 0.0, &json!("other")), 422, "mismatch");
    let kept = check(&served.deliver("echo", "s1", &json!({})), 202, "accepted");
    assert_eq!(kept["state"], "waiting");

    cancel(&first);
    let fourth = accepted("echo", "m4");
    cancel(&second);
    for work in [third, fourth, work_of(&kept)] {
        served.await_state(&work, "done");
    }
}
