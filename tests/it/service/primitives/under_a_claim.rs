//! Batches of callers: the place in the list, and its items.

use crate::service::primitives::{after_the_lease, held, hold, say, served, taken_over};
use crate::service::served::{Served, check};
use serde_json::{Value, json};

#[test]
fn a_batch_goes_on_from_its_cursor() {
    let served = served("");
    let first = hold(&served, "list", &json!({ "attempts_max": 2 }));
    let body = check(&first.say(&served, "load-cursor", &json!({})), 200, "loaded");
    assert_eq!(body["cursor"], Value::Null);
    for _ in 0..2 {
        let body = check(&first.say(&served, "save-cursor", &json!({ "cursor": "300" })), 200, "saved");
        assert_eq!(body["cursor"], "300");
    }
    check(
        &first.say(&served, "release", &json!({ "outcome": { "retry": { "cause": "cut off" } } })),
        200,
        "applied",
    );
    // A batch that moves on may be cut off more often than it has attempts.
    for (attempt, place) in [(2, "600"), (2, "900"), (2, "1200")] {
        let next = hold(&served, "list", &json!({ "attempts_max": 2 }));
        assert_eq!(next.body["attempt"], attempt);
        check(&next.say(&served, "load-cursor", &json!({})), 200, "loaded");
        check(&next.say(&served, "save-cursor", &json!({ "cursor": place })), 200, "saved");
        check(
            &next.say(&served, "release", &json!({ "outcome": { "retry": { "cause": "cut" } } })),
            200,
            "applied",
        );
    }
    let last = hold(&served, "list", &json!({}));
    assert_eq!(check(&last.say(&served, "load-cursor", &json!({})), 200, "loaded")["cursor"], "1200");
    let long = json!({ "cursor": "x".repeat(16 * 1024 + 1) });
    check(&last.say(&served, "save-cursor", &long), 422, "invalid");
}

#[test]
fn s21_no_item_is_done_twice_by_a_batch_that_died() {
    let served = served("");
    let verdicts = |body: &Value| -> Vec<String> {
        let items = body["items"].as_array().expect("items");
        items.iter().map(|item| item["verdict"].as_str().expect("a word").to_owned()).collect()
    };
    let items = |keys: &[&str]| json!({ "items": keys });
    let first = hold(&served, "monday", &json!({ "lease_ms": 1 }));
    let body = check(&first.say(&served, "claim-items", &items(&["1", "2", "1"])), 200, "claimed");
    assert_eq!(verdicts(&body), ["acquired", "acquired", "in-progress"]);
    let done = json!({ "item": "1", "reference": "crm-1" });
    for _ in 0..2 {
        let body = check(&first.say(&served, "record-item", &done), 200, "recorded");
        assert_eq!(body["reference"], "crm-1");
    }
    let other = json!({ "item": "1", "reference": "crm-9" });
    check(&first.say(&served, "record-item", &other), 409, "already-recorded");
    check(&first.say(&served, "record-item", &json!({ "item": "3" })), 409, "not-claimed");
    // It dies here. The list is started again under another key of the same scope, and by its own.
    let again = held(check(&after_the_lease(&served, "monday", &json!({})), 200, "acquired"));
    let restarted = hold(&served, "tuesday", &json!({}));
    let body = check(&restarted.say(&served, "claim-items", &items(&["1", "2", "3"])), 200, "claimed");
    assert_eq!(verdicts(&body), ["done", "acquired", "acquired"]);
    assert_eq!(body["items"][0]["reference"], "crm-1");
    let body = check(&again.say(&served, "claim-items", &items(&["1", "2"])), 200, "claimed");
    assert_eq!(verdicts(&body), ["done", "in-progress"]);
    // The first one was slow: somebody else has the item now, and a person finds the word.
    check(&first.say(&served, "record-item", &json!({ "item": "2" })), 409, "not-claimed");
}

#[test]
fn a_scope_shares_no_items_with_a_step_of_its_name() {
    let served = Served::new(&[("items", "")], "");
    let ran = served.invoke("items", "m1", 60.0, &json!({ "items": ["1"] }));
    assert_eq!(check(&ran, 200, "done")["output"], json!(["acquired"]));
    let claim = json!({ "scope": "items", "key": "list" });
    let held = held(check(&say(&served, "claim", &claim), 200, "acquired"));
    let body = check(&held.say(&served, "claim-items", &json!({ "items": ["1"] })), 200, "claimed");
    assert_eq!(body["items"][0]["verdict"], "acquired");
}

#[test]
fn items_that_can_not_be_are_refused() {
    let served = served("");
    let held = hold(&served, "list", &json!({}));
    let many: Vec<String> = (0..1_001).map(|n| n.to_string()).collect();
    for items in [json!(many), json!(["a", ""]), json!(["x".repeat(513)]), json!("a"), json!([1])] {
        check(&held.say(&served, "claim-items", &json!({ "items": items })), 422, "invalid");
    }
    let [slow, _] = taken_over(&served, "other");
    check(&slow.say(&served, "claim-items", &json!({ "items": ["a"] })), 409, "lease-lost");
    let nobody = json!({ "work": "nothing", "token": 1, "items": ["a"] });
    check(&say(&served, "claim-items", &nobody), 404, "not-found");
}
