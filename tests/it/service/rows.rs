//! Rows over HTTP: what waits for a person, what is stuck, and many at once.

use crate::service::desk::{Desk, ask, id_of, refuses_others, token};
use crate::service::served::check;
use serde_json::{Value, json};

#[test]
fn a_held_row_is_approved_once_by_a_person_and_only_as_it_was_seen() {
    let desk = Desk::new();
    let row = desk.held("thanks");
    let path = format!("/v1/rows/{}/approve", id_of(&row));
    // An agent's token never has the verb.
    let agent = token(&desk.served, "default", &["operate", "invoke", "primitives", "admin"], None);
    check(&ask(&desk.served, &agent, "POST", &path, &json!({ "why": "looks fine" })), 403, "forbidden");
    let noor = token(&desk.served, "default", &["approve"], Some("Noor"));
    let approve = |body: Value| ask(&desk.served, &noor, "POST", &path, &body);
    let other = json!({ "payload_hash": "0".repeat(64), "why": "looks fine" });
    let said = check(&approve(other), 409, "changed");
    let hash = row["payload_hash"].as_str().expect("a hash");
    assert!(said["detail"].as_str().is_some_and(|detail| detail.contains(hash)), "{said}");
    check(&approve(json!({ "payload_hash": "ab", "why": "x" })), 422, "invalid");
    check(&approve(json!({ "why": " " })), 422, "invalid");
    check(&approve(json!({ "why": "x", "by": "Sam" })), 403, "forbidden");
    assert!(desk.bodies().is_empty());

    let seen = ask(&desk.served, &noor, "GET", &format!("/v1/rows/{}", id_of(&row)), &json!({}));
    assert_eq!(seen.json().expect("a row")["state"], "held", "who approves sees what");
    check(&approve(json!({ "payload_hash": hash, "why": "looks fine" })), 200, "applied");
    let again = check(&approve(json!({ "why": "looks fine" })), 200, "already");
    assert_eq!(again["approved_by"], "Noor");
    let sent = desk.of("state=sent", 1);
    assert_eq!((id_of(&sent[0]), sent[0]["approved_by"].as_str()), (id_of(&row), Some("Noor")));
    check(&approve(json!({ "why": "looks fine" })), 200, "already");
    assert_eq!(desk.bodies(), [json!({ "text": "thanks" })]);
    // Approving is all that the token opens.
    let cancel = format!("/v1/rows/{}/cancel", id_of(&row));
    check(&ask(&desk.served, &noor, "POST", &cancel, &json!({ "why": "x" })), 403, "forbidden");
}

#[test]
fn an_edit_needs_an_approval_of_its_own_and_the_log_shows_both() {
    let desk = Desk::new();
    let first = desk.held("thanks");
    let (host, old) = (&desk.served.host, id_of(&first));
    let noor = token(&desk.served, "default", &["approve"], Some("Noor"));
    let edit = |row: &str, payload: &Value| {
        host.post(&format!("/v1/rows/{row}/edit"), &json!({ "payload": payload, "why": "a name is missing" }))
    };
    let approve = |row: &str| {
        let said = json!({ "why": "looks fine" });
        ask(&desk.served, &noor, "POST", &format!("/v1/rows/{row}/approve"), &said)
    };
    let same = check(&edit(old, &json!({ "text": "thanks" })), 200, "unchanged");
    assert_eq!((same["row_id"].as_str(), &same["revision"]), (Some(old), &json!(1)));
    let edited = check(&edit(old, &json!({ "text": "thanks, Ada" })), 200, "applied");
    assert_eq!(
        (&edited["supersedes"], &edited["revision"], &edited["state"]),
        (&json!(old), &json!(2), &json!("held"))
    );
    let new = id_of(&edited);
    for refused in [approve(old), edit(old, &json!({ "text": "late" }))] {
        let said = check(&refused, 409, "changed");
        assert!(said["detail"].as_str().is_some_and(|detail| detail.contains(new)), "{said}");
    }
    assert!(desk.bodies().is_empty(), "an edit is no approval");
    check(&approve(new), 200, "applied");
    desk.of("state=sent", 1);
    assert_eq!(desk.bodies(), [json!({ "text": "thanks, Ada" })]);
    check(&edit(new, &json!({ "text": "late" })), 409, "wrong-state");
    let work = first["work_id"].as_str().expect("a work");
    let whole = host.get(&format!("/v1/works/{work}")).json().expect("a work");
    let evidence = whole["evidence"].to_string();
    for words in ["a name is missing", "by Noor: looks fine", &old[..12], &new[..12]] {
        assert!(evidence.contains(words), "{words}: {evidence}");
    }
    check(&host.post(&format!("/v1/rows/{new}/edit"), &json!({ "why": "x" })), 422, "invalid");
}

#[test]
fn a_row_that_has_not_gone_out_is_cancelled_once_however_often_it_is_sent() {
    let desk = Desk::new();
    let row = desk.held("never");
    let path = format!("/v1/rows/{}/cancel", id_of(&row));
    let said = json!({ "why": "not today" });
    for _ in 0..2 {
        let told = check(&desk.served.host.act(&path, "k1", &said), 200, "applied");
        assert_eq!(told["state"], "cancelled");
    }
    let refused = check(&desk.served.host.post(&path, &said), 409, "wrong-state");
    assert!(refused["detail"].as_str().is_some_and(|it| it.contains("it is cancelled")), "{refused}");
    let other = desk.held("other");
    let reused = desk.served.host.act(&format!("/v1/rows/{}/cancel", id_of(&other)), "k1", &said);
    check(&reused, 422, "key-reused");
    check(&desk.served.host.post("/v1/rows/ffff/cancel", &said), 404, "not-found");
    check(&desk.served.host.post(&path, &json!({ "why": "x", "soon": true })), 422, "invalid");
    assert!(desk.bodies().is_empty());
}

#[test]
fn a_blocked_row_is_resolved_as_it_happened() {
    let desk = Desk::new();
    desk.crm.fault(&["status:400", "status:400"]).expect("a fault");
    desk.rows("one", &json!([{ "slot": "a", "body": { "n": 1 } }, { "slot": "b", "body": { "n": 2 } }]));
    let blocked = desk.of("state=blocked&destination=crm", 2);
    let resolve =
        |row: &Value, body: Value| desk.served.host.post(&format!("/v1/rows/{}/resolve", id_of(row)), &body);
    let bad = json!({ "as": "again", "reference": "d-1", "why": "x" });
    check(&resolve(&blocked[0], bad), 422, "invalid");
    check(&resolve(&blocked[0], json!({ "as": "flown", "why": "x" })), 422, "invalid");
    let sent = json!({ "as": "sent", "reference": "d-7", "why": "it is in the CRM" });
    assert_eq!(check(&resolve(&blocked[0], sent.clone()), 200, "applied")["state"], "sent");
    let refused = check(&resolve(&blocked[0], sent), 409, "wrong-state");
    assert!(refused["detail"].as_str().is_some_and(|it| it.contains("blocked or in-doubt")), "{refused}");
    check(&resolve(&blocked[1], json!({ "as": "again", "why": "it is mended" })), 200, "applied");
    let all = desk.of("state=sent", 2);
    let reference = |row: &Value| {
        all.iter().find(|sent| id_of(sent) == id_of(row)).map(|sent| sent["external_reference"].clone())
    };
    assert_eq!(reference(&blocked[0]), Some(json!("d-7")));
    assert_eq!(desk.bodies().len(), 1);
}

#[test]
fn many_rows_are_counted_and_resolved_alike() {
    let desk = Desk::new();
    let rows: Vec<Value> = (0..5).map(|n| json!({ "slot": format!("{n}"), "body": { "n": n } })).collect();
    desk.crm.fault(&["status:400"; 5]).expect("faults");
    desk.rows("many", &json!(rows));
    desk.of("state=blocked", 5);
    let resolve = |body: Value| desk.served.host.post("/v1/rows/resolve", &body);
    let told = resolve(json!({ "as": "again", "dry_run": true, "why": "x" })).json().expect("an answer");
    assert_eq!(told, json!({ "dry_run": true, "decided": 0, "left": 5 }));
    for (body, said) in [
        (json!({ "as": "sent", "why": "x" }), "one row"),
        (json!({ "as": "again", "state": "sent", "why": "x" }), "blocked or in-doubt"),
        (json!({ "as": "again", "limit": 0, "why": "x" }), "limit"),
        (json!({ "as": "again", "every_ms": 3_600_001, "why": "x" }), "every_ms"),
        (json!({ "as": "again" }), "why"),
    ] {
        let refused = check(&resolve(body), 422, "invalid");
        assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains(said)), "{said}: {refused}");
    }
    let elsewhere = json!({ "as": "cancel", "destination": "mail", "why": "x" });
    assert_eq!(resolve(elsewhere).json().expect("an answer")["decided"], 0);
    let part = json!({ "as": "cancel", "limit": 2, "why": "too many" });
    for _ in 0..2 {
        // A batch that was decided about is answered from the record.
        let told = desk.served.host.act("/v1/rows/resolve", "k1", &part).json().expect("an answer");
        assert_eq!((&told["decided"], &told["left"]), (&json!(2), &json!(3)), "{told}");
    }
    let told = resolve(json!({ "as": "again", "cause": "400", "why": "mended" })).json().expect("an answer");
    assert_eq!((&told["decided"], &told["left"]), (&json!(3), &json!(0)), "{told}");
    desk.of("state=sent", 3);
    desk.of("state=cancelled", 2);
    assert_eq!(desk.bodies().len(), 3);
}

#[test]
fn rows_are_listed_page_by_page_and_chosen_by_what_they_have_in_common() {
    let desk = Desk::new();
    let row = |slot: &str| json!({ "slot": slot, "body": { "slot": slot }, "approval": "it speaks" });
    let work = desk.rows("one", &json!([row("a"), row("b"), row("c")]));
    desk.rows("two", &json!([row("d")]));
    let get = |query: &str| desk.served.host.get(&format!("/v1/rows?{query}"));
    let slots = |listed: &Value| -> Vec<String> {
        let rows = listed["rows"].as_array().expect("a list");
        rows.iter().filter_map(|row| row["slot"].as_str().map(str::to_owned)).collect()
    };
    let first = get("limit=3").json().expect("a list");
    assert_eq!(slots(&first), ["d", "c", "b"]);
    let next = first["next"].as_str().expect("there is more");
    let rest = get(&format!("limit=3&before={next}")).json().expect("a list");
    assert_eq!((slots(&rest), rest.get("next")), (vec!["a".to_owned()], None));
    assert_eq!(slots(&get(&format!("work={work}")).json().expect("a list")), ["c", "b", "a"]);
    assert!(slots(&get("destination=mail").json().expect("a list")).is_empty());
    assert!(slots(&get("state=sent").json().expect("a list")).is_empty());
    for (query, status, verdict) in [
        ("state=flown", 400, "bad-request"),
        ("sate=sent", 400, "bad-request"),
        ("limit=many", 400, "bad-request"),
        ("work=nobody", 404, "not-found"),
        ("before=ffff", 404, "not-found"),
    ] {
        check(&get(query), status, verdict);
    }
    check(&desk.served.host.get("/v1/rows/xyz"), 404, "not-found");
}

#[test]
fn nobody_else_sees_a_row_or_decides_about_it() {
    let desk = Desk::new();
    let row = desk.held("mine");
    let path = |act: &str| format!("/v1/rows/{}{act}", id_of(&row));
    for (method, act, body) in [
        ("GET", "", json!({})),
        ("POST", "/approve", json!({ "why": "x" })),
        ("POST", "/edit", json!({ "payload": 1, "why": "x" })),
        ("POST", "/cancel", json!({ "why": "x" })),
        ("POST", "/resolve", json!({ "as": "cancel", "why": "x" })),
    ] {
        refuses_others(&desk.served, method, &path(act), &body);
    }
    let stranger = token(&desk.served, "elsewhere", &["operate"], None);
    let get = |path: &str| ask(&desk.served, &stranger, "GET", path, &json!({})).json().expect("an answer");
    assert_eq!(get("/v1/rows")["rows"], json!([]));
    let many = json!({ "state": "held", "as": "cancel", "why": "x" });
    let told = ask(&desk.served, &stranger, "POST", "/v1/rows/resolve", &many).json().expect("an answer");
    assert_eq!(told["decided"], 0);
    assert_eq!(desk.of("state=held", 1).len(), 1);
}
