//! Callers that die, are slow, or come all at once.

use crate::service::primitives::{after_the_lease, claim_of, held, hold, say, served, taken_over};
use crate::service::served::check;
use serde_json::json;
use std::thread;

#[test]
fn s10_twenty_callers_claim_one_key_at_once_and_one_gets_it() {
    let served = served("");
    let answers = thread::scope(|scope| {
        let all: Vec<_> =
            (0..20).map(|_| scope.spawn(|| say(&served, "claim", &claim_of("9", &json!({}))))).collect();
        all.into_iter().map(|one| one.join().expect("a caller ends")).collect::<Vec<_>>()
    });
    let of = |status| answers.iter().filter(|answer| answer.status() == Some(status)).collect::<Vec<_>>();
    let (acquired, busy) = (of(200), of(409));
    assert_eq!((acquired.len(), busy.len()), (1, 19), "{answers:?}");
    for answer in busy {
        check(answer, 409, "in-progress");
        assert!(answer.header("retry-after").is_some());
    }
}

#[test]
fn s02_s14_a_caller_that_dies_between_its_effect_and_its_record_leaves_a_doubt_for_a_person() {
    let served = served("");
    let task = json!({ "effect": "task", "lease_ms": 1 });
    let first = hold(&served, "9", &task);
    // The task is made here, and the caller dies before it can say so; its platform starts it again.
    for _ in 0..2 {
        let body = check(&after_the_lease(&served, "9", &task), 409, "in-doubt");
        let detail = body["detail"].as_str().expect("a detail");
        for words in ["task", &format!("token {}", first.token)] {
            assert!(detail.contains(words), "{words} of the first attempt is missing: {detail}");
        }
        assert_eq!((&body["retryable"], &body["work_id"]), (&json!(false), &first.body["work_id"]));
    }
    check(
        &first.say(&served, "release", &json!({ "outcome": { "done": { "output": 1 } } })),
        409,
        "lease-lost",
    );
    // It was slow, not dead: what it says now is kept, and the work still waits for the person.
    for _ in 0..2 {
        let said = json!({ "effect": "task", "reference": "task-1" });
        let body = check(&first.say(&served, "record-effect", &said), 200, "late");
        assert_eq!(body["state"], "in-doubt");
    }
    let whole = served.host.get(&format!("/v1/works/{}", first.work)).json().expect("a work");
    assert_eq!(whole["effects"][0]["external_reference"], "task-1", "{whole}");
    assert_eq!(whole["effects"][0]["late"], true);
}

#[test]
fn s15_a_caller_that_dies_before_it_acts_is_taken_over_also_after_a_restart() {
    let served = served("");
    let [slow, next] = taken_over(&served, "9");
    check(
        &slow.say(&served, "release", &json!({ "outcome": { "done": { "output": 1 } } })),
        409,
        "lease-lost",
    );
    // A caller's lease is its own: it outlives the host.
    let served = served.again();
    check(&say(&served, "claim", &claim_of("9", &json!({}))), 409, "in-progress");
    check(&next.say(&served, "record-effect", &json!({ "effect": "crm" })), 200, "recorded");
    check(
        &next.say(&served, "release", &json!({ "outcome": { "retry": { "cause": "mail is away" } } })),
        200,
        "applied",
    );
    let again =
        check(&say(&served, "claim", &claim_of("9", &json!({ "effect": "crm" }))), 200, "effect-recorded");
    // What was done is not done again, and the claim is held, so that it can be released.
    let third = held(again);
    check(&third.say(&served, "release", &json!({ "outcome": { "done": { "output": 1 } } })), 200, "applied");
}

#[test]
fn s08_a_late_word_stops_whoever_holds_the_work_meanwhile() {
    let served = served("");
    let [slow, next] = taken_over(&served, "9");
    let body = check(&slow.say(&served, "record-effect", &json!({ "effect": "crm" })), 200, "late");
    assert_eq!(body["state"], "in-doubt");
    check(&next.say(&served, "extend", &json!({ "effect": "crm" })), 409, "lease-lost");
    check(
        &next.say(&served, "release", &json!({ "outcome": { "done": { "output": 1 } } })),
        409,
        "lease-lost",
    );
}
