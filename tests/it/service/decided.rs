//! Decisions over HTTP: a person reads an answer, lets it through, stops it, or has it asked anew.

use crate::service::desk::{ELSEWHERE, ask, refuses_others, token};
use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};

/// A step that is held for its answer.
fn served() -> Served {
    let oracle = "[model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\ncall_log = \"calls.jsonl\"\n";
    let held = "models = [\"oracle\"]\nhold_decisions = [\"answer\"]";
    Served::new(&[("decides", held)], &format!("{ELSEWHERE}{oracle}"))
}

/// A work that waits for a person.
fn held(served: &Served, id: &str) -> String {
    let data = json!({ "prompt_version": "1", "id": id });
    work_of(&check(&served.invoke("decides", id, 30.0, &data), 202, "in-review"))
}

#[test]
fn an_answer_is_read_and_approved_once_by_a_person() {
    let served = served();
    let work = held(&served, "m1");
    let listed = served.host.get("/v1/decisions?waiting=true").json().expect("a list");
    assert_eq!(listed["decisions"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed["totals"][0]["calls"], 1, "{listed}");
    let path = format!("/v1/decisions/{work}/answer");
    let entry = served.host.get(&path).json().expect("a decision");
    assert_eq!(
        (&entry["slot"], &entry["approval"]["state"]),
        (&json!("answer"), &json!("waiting")),
        "{entry}"
    );
    let hash = entry["decided"]["answer_hash"].as_str().expect("a hash");
    let of_work = served.host.get(&format!("/v1/decisions/{work}")).json().expect("decisions");
    assert_eq!((&of_work["work_id"], &of_work["decisions"][0]), (&json!(work), &entry));

    let agent = token(&served, "default", &["operate", "admin"], None);
    let noor = token(&served, "default", &["approve"], Some("Noor"));
    let said = json!({ "why": "read it" });
    for act in ["approve", "reject"] {
        check(&ask(&served, &agent, "POST", &format!("{path}/{act}"), &said), 403, "forbidden");
    }
    let act = |act: &str, body: &Value| ask(&served, &noor, "POST", &format!("{path}/{act}"), body);
    let other = json!({ "answer_hash": "0".repeat(64), "why": "read it" });
    let refused = check(&act("approve", &other), 409, "changed");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains(hash)), "{refused}");
    check(&act("approve", &json!({ "revision": 2, "why": "read it" })), 409, "changed");
    let seen = json!({ "answer_hash": hash, "revision": 1, "why": "read it" });
    let told = check(&act("approve", &seen), 200, "applied");
    assert_eq!((&told["decision"], &told["work_state"]), (&json!("approved"), &json!("waiting")));
    check(&act("approve", &said), 200, "already");
    check(&act("reject", &said), 409, "wrong-state");
    let whole = served.await_state(&work, "done");
    let evidence = whole["evidence"].to_string();
    assert!(evidence.contains("Noor says: read it") && evidence.contains(hash), "{evidence}");
    let calls = std::fs::read_to_string(served.workspace.dir().join("calls.jsonl")).expect("it was asked");
    assert_eq!(calls.lines().count(), 1, "{calls}");
    check(&act("renew", &said), 403, "forbidden");
    check(&served.host.post(&format!("{path}/renew"), &said), 409, "wrong-state");
}

#[test]
fn an_answer_is_stopped_or_asked_anew() {
    let served = served();
    let renewed = held(&served, "m1");
    let said = json!({ "why": "it is wrong" });
    let path = format!("/v1/decisions/{renewed}/answer");
    for _ in 0..2 {
        let told = check(&served.host.act(&format!("{path}/renew"), "k1", &said), 200, "applied");
        assert_eq!(told["decision"], "renewed");
    }
    served.await_state(&renewed, "review");
    let entry = served.host.get(&path).json().expect("a decision");
    assert_eq!((&entry["revision"], &entry["approval"]["state"]), (&json!(2), &json!("waiting")), "{entry}");
    let noor = token(&served, "default", &["approve"], Some("Noor"));
    let reject = || ask(&served, &noor, "POST", &format!("{path}/reject"), &said);
    assert_eq!(check(&reject(), 200, "applied")["decision"], "rejected");
    check(&reject(), 200, "already");
    let entry = served.host.get(&path).json().expect("a decision");
    assert_eq!(entry["approval"]["state"], "rejected", "{entry}");
}

#[test]
fn what_is_not_there_can_not_be_decided_and_nobody_else_sees_it() {
    let served = served();
    let work = held(&served, "m1");
    let path = |slot: &str, act: &str| format!("/v1/decisions/{work}/{slot}{act}");
    let said = json!({ "why": "x" });
    check(&served.host.get(&path("nothing", "")), 404, "not-found");
    check(&served.host.post(&path("nothing", "/renew"), &said), 404, "not-found");
    check(&served.host.get("/v1/decisions/nobody"), 404, "not-found");
    check(&served.host.get("/v1/decisions?work=nobody"), 404, "not-found");
    check(&served.host.get("/v1/decisions?limit=1001"), 400, "bad-request");
    check(&served.host.post(&path("answer", "/renew"), &json!({ "why": "" })), 422, "invalid");
    for (method, path) in [
        ("GET", format!("/v1/decisions/{work}")),
        ("GET", path("answer", "")),
        ("POST", path("answer", "/approve")),
        ("POST", path("answer", "/reject")),
        ("POST", path("answer", "/renew")),
    ] {
        refuses_others(&served, method, &path, &said);
    }
    let stranger = token(&served, "elsewhere", &["operate"], None);
    let listed = ask(&served, &stranger, "GET", "/v1/decisions", &json!({})).json().expect("a list");
    assert_eq!(listed, json!({ "decisions": [], "totals": [] }));
}
