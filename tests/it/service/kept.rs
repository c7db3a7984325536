//! Quarantine over HTTP: a person sees both contents, and says which of the two it was.

use crate::service::desk::{ELSEWHERE, ask, refuses_others, token};
use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};

/// A finished event, and another one under the same id; the id that it is kept under.
fn collision(served: &Served, id: &str) -> String {
    let first = check(&served.deliver("echo", id, &json!({ "total": 1 })), 202, "accepted");
    served.await_state(&work_of(&first), "done");
    let other = check(&served.deliver("echo", id, &json!({ "total": 2 })), 202, "quarantined");
    other["kept_as"].as_str().expect("an id").to_owned()
}

#[test]
fn both_contents_are_shown_and_the_second_is_admitted_or_dropped_once() {
    let served = Served::new(&[("echo", "")], ELSEWHERE);
    let (first, second) = (collision(&served, "m1"), collision(&served, "m2"));
    let listed = served.host.get("/v1/quarantine?state=waiting").json().expect("a list");
    assert_eq!(listed["events"].as_array().map(Vec::len), Some(2), "{listed}");
    let shown = served.host.get(&format!("/v1/quarantine/{first}")).json().expect("an event");
    let text = |at: &str| shown.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
    assert!(text("/event/payload").contains('2') && text("/first/payload").contains('1'), "{shown}");

    let act = |event: &str, act: &str| {
        served.host.post(&format!("/v1/quarantine/{event}/{act}"), &json!({ "why": "two people" }))
    };
    assert_eq!(check(&act(&first, "admit"), 200, "applied")["state"], "admitted");
    served.await_state(&first, "done");
    let refused = check(&act(&first, "drop"), 409, "wrong-state");
    assert!(refused["detail"].as_str().is_some_and(|it| it.contains("it is admitted")), "{refused}");
    let drop = format!("/v1/quarantine/{second}/drop");
    for _ in 0..2 {
        let told = served.host.act(&drop, "k1", &json!({ "why": "the same person" }));
        assert_eq!(check(&told, 200, "applied")["state"], "dropped");
    }
    check(&act(&second, "admit"), 409, "wrong-state");
    check(&served.deliver("echo", "m2", &json!({ "total": 2 })), 200, "dropped");
    let waiting = served.host.get("/v1/quarantine?state=waiting").json().expect("a list");
    assert_eq!(waiting["events"], json!([]));
}

#[test]
fn what_is_not_kept_can_not_be_decided_and_nobody_else_sees_it() {
    let served = Served::new(&[("echo", "")], ELSEWHERE);
    let kept = collision(&served, "m1");
    let said = json!({ "why": "x" });
    check(&served.host.get("/v1/quarantine/ffff"), 404, "not-found");
    check(&served.host.post("/v1/quarantine/ffff/admit", &said), 404, "not-found");
    check(&served.host.get("/v1/quarantine?state=gone"), 400, "bad-request");
    check(&served.host.post(&format!("/v1/quarantine/{kept}/admit"), &json!({})), 422, "invalid");
    for (method, act) in [("GET", ""), ("POST", "/admit"), ("POST", "/drop")] {
        refuses_others(&served, method, &format!("/v1/quarantine/{kept}{act}"), &said);
    }
    let stranger = token(&served, "elsewhere", &["operate"], None);
    let listed = ask(&served, &stranger, "GET", "/v1/quarantine", &json!({})).json().expect("a list");
    assert_eq!(listed["events"], json!([]));
}
