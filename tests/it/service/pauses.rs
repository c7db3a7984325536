//! Pauses over HTTP: what is stopped records and waits, and goes on where it stood.

use crate::service::desk::{Desk, ELSEWHERE, ask, token};
use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};

fn scope(scope: &str, name: Option<&str>) -> Value {
    json!({ "scope": scope, "name": name, "why": "looked at it" })
}

#[test]
fn what_is_paused_records_events_and_goes_on_where_it_stood() {
    let served = Served::new(&[("echo", "")], ELSEWHERE);
    for (round, stopped) in
        [scope("step", Some("echo")), scope("namespace", None), scope("everything", None)].iter().enumerate()
    {
        let told = check(&served.host.post("/v1/pauses", stopped), 200, "applied");
        assert_eq!((&told["scope"], &told["paused"]), (&stopped["scope"], &json!(true)), "{told}");
        check(&served.host.post("/v1/pauses", stopped), 200, "already");
        let listed = served.host.get("/v1/pauses").json().expect("a list");
        assert_eq!(listed["pauses"][0]["cause"], "looked at it", "{listed}");
        let waits = check(&served.invoke("echo", &format!("m{round}"), 30.0, &json!({})), 202, "accepted");
        assert_eq!(waits["state"], "waiting", "{waits}");
        check(&served.host.post("/v1/pauses/lift", stopped), 200, "applied");
        check(&served.host.post("/v1/pauses/lift", stopped), 200, "already");
        served.await_state(&work_of(&waits), "done");
    }
}

#[test]
fn a_paused_destination_keeps_its_rows() {
    let desk = Desk::new();
    let (host, crm) = (&desk.served.host, scope("destination", Some("crm")));
    check(&host.post("/v1/pauses", &crm), 200, "applied");
    desk.rows("a", &json!([{ "slot": "a", "body": {} }]));
    let listed = host.get("/v1/destinations").json().expect("a list");
    let standing = &listed["destinations"][0];
    assert_eq!(
        (&standing["paused"]["scope"], &standing["rows"], &standing["tier"]),
        (&json!("destination"), &json!({ "pending": 1 }), &json!("key")),
        "{listed}"
    );
    let lifted = check(&host.post("/v1/pauses/lift", &scope("namespace", None)), 409, "wrong-state");
    assert!(lifted["detail"].as_str().is_some_and(|it| it.contains("not paused by itself")), "{lifted}");
    check(&host.post("/v1/pauses/lift", &crm), 200, "applied");
    desk.of("state=sent", 1);
}

#[test]
fn everything_is_stopped_by_an_administrator_alone() {
    let served = Served::new(&[("echo", "")], ELSEWHERE);
    let operator = token(&served, "default", &["operate"], None);
    let admin = token(&served, "default", &["admin"], None);
    let post = |token: &str, path: &str, body: &Value| ask(&served, token, "POST", path, body);
    let (all, step) = (scope("everything", None), scope("step", Some("echo")));
    check(&post(&operator, "/v1/pauses", &all), 403, "forbidden");
    check(&post(&admin, "/v1/pauses", &step), 403, "forbidden");
    check(&post(&admin, "/v1/pauses", &all), 200, "applied");
    check(&post(&operator, "/v1/pauses/lift", &all), 403, "forbidden");
    // It stops the others too.
    let stranger = token(&served, "elsewhere", &["operate", "invoke"], None);
    let event = json!({ "source": "test", "id": "m1", "data": {} });
    check(&post(&stranger, "/v1/steps/echo/invoke", &event), 202, "accepted");
    check(&post(&admin, "/v1/pauses/lift", &all), 200, "applied");
    // A step of one namespace is nobody else's.
    check(&post(&operator, "/v1/pauses", &step), 200, "applied");
    let listed = ask(&served, &stranger, "GET", "/v1/pauses", &json!({})).json().expect("a list");
    assert_eq!(listed["pauses"], json!([]));
    let invoker = token(&served, "default", &["invoke"], None);
    check(&post(&invoker, "/v1/pauses", &step), 403, "forbidden");
    check(&ask(&served, &invoker, "GET", "/v1/pauses", &json!({})), 403, "forbidden");
}

#[test]
fn a_slip_of_the_hand_stops_nothing_or_is_warned_of() {
    let served = Served::new(&[("echo", "")], "");
    for (body, said) in [
        (scope("destination", Some("cmr")), "no such destination"),
        (scope("destination", None), "has a name"),
        (scope("step", Some(" ")), "has a name"),
        (scope("namespace", Some("default")), "has no name"),
        (scope("step", Some(&"a".repeat(2_000))), "longer than"),
        (scope("planet", None), "can't be paused"),
        (json!({ "scope": "namespace", "why": " " }), "why"),
        (json!({ "scope": "namespace" }), "why"),
    ] {
        let refused = check(&served.host.post("/v1/pauses", &body), 422, "invalid");
        assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains(said)), "{said}: {refused}");
    }
    let warned = check(&served.host.post("/v1/pauses", &scope("step", Some("ehco"))), 200, "applied");
    assert!(warned["warning"].as_str().is_some_and(|it| it.contains("echo")), "{warned}");
    let known = check(&served.host.post("/v1/pauses", &scope("step", Some("echo"))), 200, "applied");
    assert_eq!(known.get("warning"), None);
}
