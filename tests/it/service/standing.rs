//! How things stand, over HTTP: what is idle beside what is stuck, destinations, stages, windows and steps.

use crate::service::desk::{Desk, ELSEWHERE, ask, token};
use crate::service::served::{Served, check};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// The status, as soon as the host is idle.
fn idle(served: &Served) -> Value {
    let until = Instant::now() + PATIENCE;
    loop {
        let status = served.host.get("/v1/status").json().expect("a status");
        if status["idle"] == json!(true) {
            return status;
        }
        assert!(Instant::now() < until, "the host is not idle: {status}");
    }
}

#[test]
fn s25_idle_is_never_shown_without_what_is_stuck() {
    let desk = Desk::new();
    assert_eq!(idle(&desk.served)["needs_person"], 0);
    desk.crm.fault(&["status:400"]).expect("a fault");
    desk.rows("one", &json!([{ "slot": "a", "body": {} }]));
    desk.of("state=blocked", 1);
    desk.held("draft");
    let status = idle(&desk.served);
    assert_eq!(status["rows"], json!({ "blocked": 1, "held": 1 }), "{status}");
    assert_eq!(
        (&status["needs_person"], &status["works"], &status["oldest_pending_ms"]),
        (&json!(2), &json!({ "done": 2 }), &json!(null)),
        "{status}"
    );
    let figures = desk.served.host.get("/metrics").text();
    assert!(figures.contains(r#"onceward_outbox_rows{namespace="default",state="blocked"} 1"#), "{figures}");
    let listed = desk.served.host.get("/v1/destinations").json().expect("a list");
    assert_eq!(listed["destinations"][0]["rows"], json!({ "held": 1, "blocked": 1 }), "{listed}");
}

#[test]
fn handoffs_are_listed_by_stage_and_those_that_stand_too_long() {
    let more = format!("{ELSEWHERE}[progress]\nalarms = {{ matched = 3600 }}\n");
    let served = Served::new(&[("advances", "")], &more);
    for (id, stage) in [("open", "matched"), ("answered", "replied")] {
        let data = json!({ "stages": ["received", stage] });
        check(&served.invoke("advances", id, 30.0, &data), 200, "done");
    }
    let get = |query: &str| served.host.get(&format!("/v1/progress{query}"));
    let all = get("").json().expect("a list");
    assert_eq!(all["handoffs"].as_array().map(Vec::len), Some(2), "{all}");
    let matched = get("?stage=matched").json().expect("a list");
    assert_eq!(
        (
            &matched["handoffs"][0]["key"],
            &matched["handoffs"][0]["late_after_s"],
            &matched["stages"][0]["handoffs"]
        ),
        (&json!("advances:v1:test:open"), &json!(3600), &json!(1)),
        "{matched}"
    );
    for none in ["?late=true", "?older_than_s=3600"] {
        assert_eq!(get(none).json().expect("a list")["handoffs"], json!([]), "{none}");
    }
    check(&get("?stage=macthed"), 404, "not-found");
    check(&get("?late=perhaps"), 400, "bad-request");
}

#[test]
fn what_no_window_keeps_is_forgotten_when_its_marker_is_set() {
    let served = Served::new(&[("keeps_until_synced", "")], ELSEWHERE);
    check(&served.invoke("keeps-until-synced", "m1", 30.0, &json!({})), 200, "done");
    let run = |body: Value| served.host.post("/v1/retention/run", &body).json().expect("a report");
    let kept = run(json!({}));
    assert_eq!((&kept["events"], &kept["kept"][0]["marker"]), (&json!(0), &json!("synced")), "{kept}");
    let marker = json!({ "name": "synced", "why": "nightly" });
    let first = served.host.act("/v1/markers", "k1", &marker).json().expect("a marker");
    let again = served.host.act("/v1/markers", "k1", &marker).json().expect("a marker");
    assert_eq!(first, again, "a repeat does not move it on");
    let listed = served.host.get("/v1/markers").json().expect("a list");
    assert_eq!(listed["markers"], json!([first]));
    check(&served.host.post("/v1/markers", &json!({ "name": " ", "why": "x" })), 422, "invalid");
    check(
        &served.host.post("/v1/markers", &json!({ "name": "a".repeat(5_000), "why": "x" })),
        422,
        "invalid",
    );
    let would = run(json!({ "dry_run": true }));
    assert_eq!((&would["events"], &would["dry_run"]), (&json!(1), &json!(true)), "{would}");
    assert_eq!(run(json!({ "limit": 1 }))["events"], 1);
    assert_eq!(run(json!({}))["events"], 0);
    check(&served.host.post("/v1/retention/run", &json!({ "limit": -1 })), 422, "invalid");
    check(&served.invoke("keeps-until-synced", "m1", 30.0, &json!({})), 410, "too-old");
}

#[test]
fn a_step_says_what_it_promises_and_what_it_is_missing() {
    let served = Served::new(&[("echo", "response = \"error\""), ("enqueues", "")], "");
    let listed = served.host.get("/v1/steps").json().expect("a list");
    assert_eq!(listed["steps"].as_array().map(Vec::len), Some(2), "{listed}");
    let echo = served.host.get("/v1/steps/echo").json().expect("a step");
    assert_eq!(
        (&echo["response"], &echo["contract"]["response"], &echo["paused"]),
        (&json!("error"), &json!("original"), &json!(null)),
        "{echo}"
    );
    let enqueues = served.host.get("/v1/steps/enqueues").json().expect("a step");
    assert_eq!(enqueues["missing"], json!({ "destinations": ["crm"], "models": [] }), "{enqueues}");
    let pause = json!({ "scope": "namespace", "why": "x" });
    check(&served.host.post("/v1/pauses", &pause), 200, "applied");
    let paused = served.host.get("/v1/steps/echo").json().expect("a step");
    assert_eq!(paused["paused"]["scope"], "namespace", "{paused}");
    check(&served.host.get("/v1/steps/nothing"), 404, "not-found");
}

#[test]
fn each_look_takes_the_verb_of_an_operator_and_shows_one_namespace() {
    let served = Served::new(&[("advances", "")], ELSEWHERE);
    check(&served.invoke("advances", "m1", 30.0, &json!({ "stages": ["received"] })), 200, "done");
    let set = served.host.post("/v1/markers", &json!({ "name": "synced", "why": "x" }));
    assert_eq!(set.status(), Some(200));
    let invoker = token(&served, "default", &["invoke", "primitives", "approve"], Some("Noor"));
    let stranger = token(&served, "elsewhere", &["operate"], None);
    for (path, member) in [
        ("/v1/destinations", "destinations"),
        ("/v1/progress", "handoffs"),
        ("/v1/markers", "markers"),
        ("/v1/status", "works"),
    ] {
        check(&ask(&served, &invoker, "GET", path, &json!({})), 403, "forbidden");
        let seen = ask(&served, &stranger, "GET", path, &json!({})).json().expect("an answer");
        let nothing = if member == "works" { json!({}) } else { json!([]) };
        assert_eq!(seen[member], nothing, "{path}: {seen}");
    }
    for path in ["/v1/retention/run", "/v1/markers"] {
        let body = json!({ "name": "synced", "why": "x" });
        check(&ask(&served, &invoker, "POST", path, &body), 403, "forbidden");
    }
    check(&ask(&served, &invoker, "GET", "/v1/steps", &json!({})), 403, "forbidden");
}
