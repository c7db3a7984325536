//! What people decide about works, over HTTP.

use crate::conformance::harness::{TERMS, arrival, at, held};
use crate::dead_letters::open;
use crate::service::served::{Served, check, work_of};
use onceward::store::Ledger as _;
use onceward::store::claim::Arrival;
use onceward::store::work::{Holder, Outcome, Settlement};
use serde_json::{Value, json};

const ONCE: &str = "retry = { attempts_max = 1 }";

fn said() -> Value {
    json!({ "by": "admin", "why": "looked at it" })
}

/// What a person has said about a work, as its evidence keeps it.
fn decided(served: &Served, work: &str) -> Vec<String> {
    let whole = served.host.get(&format!("/v1/works/{work}")).json().expect("a work");
    let lines = whole["evidence"].as_array().expect("lines").iter();
    lines.filter(|line| line["kind"] == "decided-by").map(|line| line["detail"].to_string()).collect()
}

#[test]
fn a_dead_work_is_replayed_and_one_in_review_is_rejected() {
    let served = Served::new(&[("traps", ONCE), ("reviews", "")], "");
    let dead = work_of(&check(&served.invoke("traps", "m1", 30.0, &json!({})), 409, "dead"));
    let acted = check(&served.host.post(&format!("/v1/works/{dead}/replay"), &said()), 200, "applied");
    assert_eq!((work_of(&acted), &acted["state"]), (dead.clone(), &json!("waiting")));
    // The worker is told of it, and runs it again at once.
    served.await_state(&dead, "dead");
    let lines = decided(&served, &dead);
    assert!(lines.len() == 1 && lines[0].contains("admin says: looked at it"), "{lines:?}");

    let review = work_of(&check(&served.invoke("reviews", "m1", 30.0, &json!({})), 202, "in-review"));
    let acted = check(&served.host.post(&format!("/v1/works/{review}/reject"), &said()), 200, "applied");
    assert_eq!(acted["state"], "rejected");
    check(&served.invoke("reviews", "m1", 0.0, &json!({})), 409, "rejected");
}

#[test]
fn what_can_not_be_said_in_a_state_is_refused_with_the_state_and_changes_nothing() {
    let served = Served::new(&[("echo", ""), ("reviews", "")], "");
    let done = work_of(&check(&served.invoke("echo", "m1", 30.0, &json!({})), 200, "done"));
    let review = work_of(&check(&served.invoke("reviews", "m1", 30.0, &json!({})), 202, "in-review"));
    let resolve = json!({ "as": "again", "by": "admin", "why": "looked at it" });
    for (work, act, body, state) in [
        (&done, "replay", said(), "done"),
        (&done, "reject", said(), "done"),
        (&done, "cancel", said(), "done"),
        (&done, "resolve", resolve.clone(), "done"),
        (&review, "resolve", resolve, "review"),
    ] {
        let problem = check(&served.host.post(&format!("/v1/works/{work}/{act}"), &body), 409, "wrong-state");
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(
            detail.contains(&format!("it is {state}")) && detail.contains("nothing was changed"),
            "{detail}"
        );
        assert_eq!(work_of(&problem), *work);
        assert!(decided(&served, work).is_empty());
    }
    check(&served.host.post(&format!("/v1/works/{review}/erase"), &said()), 409, "unfinished");
}

#[test]
fn an_act_that_is_not_well_said_is_refused_and_changes_nothing() {
    let served = Served::new(&[("reviews", "")], "");
    let work = work_of(&check(&served.invoke("reviews", "m1", 30.0, &json!({})), 202, "in-review"));
    let path = format!("/v1/works/{work}/reject");
    let resolve = format!("/v1/works/{work}/resolve");
    let many = "/v1/works/replay".to_owned();
    let long = "x".repeat(1_025);
    let check_body = |path: &str, body: &Value, status: u16, verdict: &str| {
        check(&served.host.post(path, body), status, verdict);
    };
    for (path, body) in [
        (&path, json!({})),
        (&path, json!({ "by": "admin", "why": " " })),
        (&path, json!({ "by": "admin", "why": long })),
        (&path, json!({ "by": "admin", "why": "a\u{0}b" })),
        (&path, json!({ "by": "admin", "why": "x", "colour": "red" })),
        (&path, json!([1])),
        (&resolve, json!({ "by": "admin", "why": "x" })),
        (&resolve, json!({ "as": "perhaps", "by": "admin", "why": "x" })),
        (&resolve, json!({ "as": "again", "output": 1, "by": "admin", "why": "x" })),
        (&resolve, json!({ "as": "dead", "reference": "r", "by": "admin", "why": "x" })),
        (&resolve, json!({ "as": "done", "reference": " ", "by": "admin", "why": "x" })),
        (&many, json!({ "state": "asleep", "by": "admin", "why": "x" })),
        (&many, json!({ "state": "done", "by": "admin", "why": "x" })),
        (&many, json!({ "limit": 0, "by": "admin", "why": "x" })),
        (&many, json!({ "limit": 100_001, "by": "admin", "why": "x" })),
        (&many, json!({ "every_ms": 3_600_001, "by": "admin", "why": "x" })),
    ] {
        check_body(path, &body, 422, "invalid");
    }
    check_body(&path, &json!({ "by": "somebody else", "why": "x" }), 403, "forbidden");
    check_body("/v1/works/abcd/reject", &said(), 404, "not-found");
    check_body("/v1/works/abcd/shout", &said(), 404, "not-found");
    let send = |headers: &[(&str, &str)], body: &[u8]| served.host.send("POST", &path, headers, body);
    let words = said().to_string();
    check(&send(&[], b"{\"by\":\"admin\",\"by\":\"admin\",\"why\":\"x\"}"), 400, "bad-json");
    check(&send(&[], b"{"), 400, "bad-json");
    for key in ["\"\"", "two words", "\"open"] {
        check(&send(&[("Idempotency-Key", key)], words.as_bytes()), 400, "bad-request");
    }
    check(&send(&[("Idempotency-Key", "a"), ("Idempotency-Key", "b")], words.as_bytes()), 400, "bad-request");
    check(&served.host.send("PUT", &path, &[], words.as_bytes()), 405, "method-not-allowed");
    assert!(decided(&served, &work).is_empty());
}

#[test]
fn a_double_click_is_one_act_and_is_answered_alike() {
    let served = Served::new(&[("traps", ONCE)], "");
    let work = work_of(&check(&served.invoke("traps", "m1", 30.0, &json!({})), 409, "dead"));
    let path = format!("/v1/works/{work}/replay");
    let first = check(&served.host.act(&path, "click-1", &said()), 200, "applied");
    served.await_state(&work, "dead");
    // It is dead again. A new click would replay it; the same one has been answered.
    for key in ["click-1", "\"click-1\""] {
        assert_eq!(check(&served.host.act(&path, key, &said()), 200, "applied"), first);
    }
    assert_eq!(decided(&served, &work).len(), 1);
    let other = json!({ "by": "admin", "why": "another reason" });
    check(&served.host.act(&path, "click-1", &other), 422, "key-reused");
    check(&served.host.act(&format!("/v1/works/{work}/reject"), "click-1", &said()), 422, "key-reused");
    assert_eq!(decided(&served, &work).len(), 1);
    check(&served.host.act(&path, "click-2", &said()), 200, "applied");
    // What was refused has not been done, and may be said again under the same key when it can be.
    served.await_state(&work, "dead");
    let resolve = json!({ "as": "again", "by": "admin", "why": "looked at it" });
    for _ in 0..2 {
        check(
            &served.host.act(&format!("/v1/works/{work}/resolve"), "click-3", &resolve),
            409,
            "wrong-state",
        );
    }
    check(&served.host.act(&path, "click-3", &said()), 200, "applied");
}

#[tokio::test]
async fn a_work_in_doubt_is_resolved_as_the_person_says() {
    let served = Served::new(&[("echo", "")], "");
    let Served { mut host, workspace, _dir } = served;
    assert!(host.stop().success());
    let mut works = Vec::new();
    {
        let store = open(&workspace.dir().join("onceward.db"));
        for id in ["done", "again", "dead"] {
            let (namespace, holder, intent) = ("default".to_owned(), Holder::Caller, Some("pay".to_owned()));
            let arrival = Arrival { namespace, holder, intent, ..arrival(id) };
            let held = held(store.work_claim(arrival, TERMS).await.expect("the ledger works"));
            let outcome = Outcome::InDoubt { cause: "the reply was lost".to_owned() };
            let (work, token) = (at(&held.work), held.token);
            works.push(work.id.to_string());
            let settlement = Settlement { work, token, outcome, notes: Vec::new(), replays: Vec::new() };
            store.work_settle(settlement).await.expect("the ledger works");
        }
    }
    let served = Served { host, workspace, _dir }.again();
    let resolve = |work: &str, body: Value| {
        let mut all = said();
        all.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        served.host.post(&format!("/v1/works/{work}/resolve"), &all)
    };
    let done = json!({ "as": "done", "output": { "paid": [1, 2.5] }, "reference": "tx-9" });
    for (work, body, state) in [
        (&works[0], done, "done"),
        (&works[1], json!({ "as": "again" }), "waiting"),
        (&works[2], json!({ "as": "dead" }), "dead"),
    ] {
        let acted = check(&resolve(work, body), 200, "applied");
        assert_eq!(acted["state"], json!(state), "{acted}");
    }
    let whole = served.host.get(&format!("/v1/works/{}", works[0])).json().expect("a work");
    assert_eq!(whole["work"]["output"], json!(r#"{"paid":[1,2.5]}"#));
    assert_eq!(whole["effects"][0]["external_reference"], json!("tx-9"), "{whole}");
}
