//! Claims: taken, held for longer, recorded, released.

use crate::service::primitives::{after_the_lease, claim_of, hold, say, served};
use crate::service::served::check;
use serde_json::{Value, json};

#[test]
fn a_caller_that_is_started_twice_acts_once() {
    let served = served("");
    let first = hold(&served, "9", &json!({ "effect": "crm" }));
    assert_eq!(first.body["key"], "orders:v1:9");
    assert_eq!(first.body["effects"][0]["state"], "open");
    let busy = say(&served, "claim", &claim_of("9", &json!({ "effect": "crm" })));
    let body = check(&busy, 409, "in-progress");
    assert_eq!((&body["retryable"], &body["work_id"]), (&json!(true), &first.body["work_id"]));
    assert!(busy.header("retry-after").is_some(), "{}", busy.text());

    let record = json!({ "effect": "crm", "reference": "deal-1" });
    for _ in 0..2 {
        let body = check(&first.say(&served, "record-effect", &record), 200, "recorded");
        assert_eq!(body["reference"], "deal-1");
    }
    let other = json!({ "effect": "crm", "reference": "deal-2" });
    let body = check(&first.say(&served, "record-effect", &other), 409, "already-recorded");
    assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("deal-1")), "{body}");

    let done = json!({ "outcome": { "done": { "output": { "deal": 1.50 } } } });
    for _ in 0..2 {
        // The answer to the first one may have been lost.
        check(&first.say(&served, "release", &done), 200, "applied");
    }
    let otherwise = json!({ "outcome": { "done": { "output": { "deal": 2 } } } });
    check(&first.say(&served, "release", &otherwise), 409, "lease-lost");
    let repeat = say(&served, "claim", &claim_of("9", &json!({ "effect": "crm" })));
    let body = check(&repeat, 200, "replay");
    assert_eq!(
        (repeat.header("onceward-replayed"), &body["output"]),
        (Some("true"), &json!({ "deal": 1.5 }))
    );
    // A word that was said in time may be repeated at any time.
    check(&first.say(&served, "record-effect", &record), 200, "recorded");
}

#[test]
fn each_end_of_a_claim_is_told_to_the_next_one() {
    let served = served("");
    for (outcome, status, verdict) in [
        (json!({ "retry": { "cause": "the CRM is away", "due_in_ms": 600_000 } }), 409, "in-progress"),
        (json!({ "retry": { "cause": "the CRM is away" } }), 200, "acquired"),
        (json!({ "reject": { "cause": "spam" } }), 409, "rejected"),
        (json!({ "review": { "cause": "unsure" } }), 409, "in-review"),
        (json!({ "doubt": { "cause": "the reply was lost" } }), 409, "in-doubt"),
        (json!({ "done": { "output": null } }), 200, "replay"),
    ] {
        let key = outcome.to_string();
        let held = hold(&served, &key, &json!({ "effect": "crm" }));
        for _ in 0..2 {
            check(&held.say(&served, "release", &json!({ "outcome": outcome })), 200, "applied");
        }
        check(&say(&served, "claim", &claim_of(&key, &json!({ "effect": "crm" }))), status, verdict);
    }
}

#[test]
fn what_a_claim_says_about_its_key_is_kept() {
    let served = served("");
    let content = |total: Value| json!({ "content": { "total": total, "lines": [1] } });
    hold(&served, "1", &content(json!(12)));
    check(&say(&served, "claim", &claim_of("1", &content(json!(12.0)))), 409, "in-progress");
    check(&say(&served, "claim", &claim_of("1", &content(json!(13)))), 422, "mismatch");
    check(&say(&served, "claim", &claim_of("1", &json!({}))), 422, "mismatch");
    let old = json!({ "occurred_at": "2020-01-01T00:00:00Z", "window": { "duration": 3_600 } });
    check(&say(&served, "claim", &claim_of("2", &old)), 410, "too-old");
    let marked = json!({ "occurred_at": "2020-01-01T00:00:00Z", "window": { "until-marker": "synced" } });
    hold(&served, "3", &marked);
    for (response, status, verdict) in [
        ("original", 200, "replay"),
        ("acknowledgement", 200, "acknowledged"),
        ("error", 409, "already-done"),
    ] {
        let held = hold(&served, response, &json!({}));
        check(
            &held.say(&served, "release", &json!({ "outcome": { "done": { "output": 4 } } })),
            200,
            "applied",
        );
        check(&say(&served, "claim", &claim_of(response, &json!({ "response": response }))), status, verdict);
    }
    let mortal = json!({ "attempts_max": 1, "lease_ms": 1 });
    hold(&served, "4", &mortal);
    check(&after_the_lease(&served, "4", &mortal), 409, "dead");
}

#[test]
fn a_claim_is_held_for_longer_and_never_shortened() {
    let served = served("");
    let held = hold(&served, "9", &json!({ "lease_ms": 60_000 }));
    let until = |body: &Value| body["lease_until_ms"].as_i64().expect("a moment");
    let longer = json!({ "lease_ms": 3_600_000, "effect": "mail" });
    let body = check(&held.say(&served, "extend", &longer), 200, "extended");
    assert!(until(&body) > until(&held.body) + 1_800_000, "{body}");
    assert_eq!(body["effects"][0]["slot"], "mail");
    let shorter = check(&held.say(&served, "extend", &json!({ "lease_ms": 1 })), 200, "extended");
    assert_eq!(until(&shorter), until(&body));
    check(&held.say(&served, "record-effect", &json!({ "effect": "mail" })), 200, "recorded");
    check(&held.say(&served, "extend", &json!({ "effect": "mail" })), 200, "effect-recorded");
    // The readable key names it as well.
    let by_key = json!({ "work": "orders:v1:9", "token": held.token });
    check(&say(&served, "extend", &by_key), 200, "extended");
}
