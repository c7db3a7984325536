//! Many of one primitive at once: each item gets the answer that it would have had alone.

use crate::service::primitives::{Held, claim_of, hold, say, served, taken_over, with};
use crate::service::served::{Served, check};
use serde_json::{Value, json};

/// Say a primitive in bulk; status, verdict and body of each item.
fn bulk(served: &Served, primitive: &str, items: &[Value]) -> Vec<(u64, String, Value)> {
    let answer = say(served, &format!("{primitive}/bulk"), &json!({ "items": items }));
    assert_eq!(answer.status(), Some(200), "{}", answer.text());
    let body = answer.json().expect("JSON");
    let told = body["items"].as_array().expect("items").iter().map(|item| {
        let verdict = item["body"]["verdict"].as_str().unwrap_or_default().to_owned();
        (item["status"].as_u64().expect("a status"), verdict, item["body"].clone())
    });
    told.collect()
}

fn words(told: &[(u64, String, Value)]) -> Vec<(u64, &str)> {
    told.iter().map(|(status, verdict, _)| (*status, verdict.as_str())).collect()
}

#[test]
fn duplicates_inside_a_bulk_and_items_that_are_wrong_get_their_own_verdicts() {
    let served = served("");
    let done = hold(&served, "done", &json!({}));
    check(&done.say(&served, "release", &json!({ "outcome": { "done": { "output": 4 } } })), 200, "applied");
    let told = bulk(
        &served,
        "claim",
        &[
            claim_of("1", &json!({})),
            claim_of("1", &json!({})),
            claim_of("1", &json!({ "content": 7 })),
            json!({ "scope": "orders" }),
            claim_of("2", &json!({ "colour": "red" })),
            json!(7),
            claim_of("done", &json!({})),
            claim_of("2", &json!({})),
            claim_of(" ", &json!({})),
        ],
    );
    assert_eq!(
        words(&told),
        [
            (200, "acquired"),
            (409, "in-progress"),
            (422, "mismatch"),
            (422, "invalid"),
            (422, "invalid"),
            (422, "invalid"),
            (200, "replay"),
            (200, "acquired"),
            (400, "no-identity"),
        ]
    );
    assert_eq!((&told[6].2["output"], &told[7].2["attempt"]), (&json!(4), &json!(1)));
    for (status, _, body) in &told {
        assert_eq!(*status >= 400, body["request_id"].is_string(), "{body}");
    }
}

#[test]
fn an_item_that_means_two_things_spoils_no_other() {
    let served = served("");
    let twice =
        r#"{"items": [{"scope": "orders", "key": "1"}, {"scope": "orders", "key": "2", "key": "3"}]}"#;
    let answer = served.host.send("POST", "/v1/primitives/claim/bulk", &[], twice.as_bytes());
    let body = answer.json().expect("JSON");
    assert_eq!(
        (&body["items"][0]["status"], &body["items"][1]["status"]),
        (&json!(200), &json!(400)),
        "{body}"
    );
    assert_eq!(body["items"][1]["body"]["verdict"], "bad-json");
}

#[test]
fn each_primitive_says_in_bulk_what_it_says_alone() {
    let config = "[destination.crm]\nkind = \"http\"\nurl = \"https://crm.example.com/deals\"\ntier = \"key\"\nhold = true\n\
                  [model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\n";
    let served = served(config);
    let question = json!({
        "slot": "kind", "model": "oracle", "prompt": "Sort it.", "prompt_version": "1", "input": 1,
    });
    let said = [
        ("extend", json!({ "lease_ms": 1 })),
        ("record-effect", json!({ "effect": "crm", "reference": "deal-1" })),
        ("recall", json!({ "slot": "none" })),
        ("store", with(&question, &json!({ "slot": "mine", "answer": "mine" }))),
        ("decide", question),
        ("enqueue", json!({ "destination": "crm", "slot": "deal", "payload": 1 })),
        ("advance", json!({ "stage": "matched" })),
        ("save-cursor", json!({ "cursor": "1" })),
        ("load-cursor", json!({})),
        ("claim-items", json!({ "items": ["a"] })),
        ("record-item", json!({ "item": "a" })),
        ("release", json!({ "outcome": { "done": { "output": [1] } } })),
    ];
    let [slow, next] = taken_over(&served, "9");
    let nobody = Held { work: "nothing".to_owned(), ..next.clone() };
    for (primitive, more) in said {
        // Said once before, so that all further ones are the same act.
        let first = next.say(&served, primitive, &more);
        assert_eq!(first.status(), Some(200), "{primitive}: {}", first.text());
        let bad = with(&more, &json!({ "colour": "red" }));
        let requests: Vec<Value> = [(&next, &more), (&next, &bad), (&nobody, &more), (&next, &more)]
            .into_iter()
            .map(|(held, more)| held.said(more))
            // An effect that is told of under a stale token would stop the work, and is told of elsewhere.
            .chain((primitive != "record-effect").then(|| slow.said(&more)))
            .collect();
        let told = bulk(&served, primitive, &requests);
        assert_eq!(told.len(), requests.len());
        for (request, (status, _, mut body)) in requests.iter().zip(told) {
            let alone = say(&served, primitive, request);
            let mut expected = alone.json().expect("JSON");
            assert!(body["request_id"].is_string() == (status >= 400), "{primitive}: {body}");
            for each in [&mut body, &mut expected] {
                each["request_id"] = Value::Null;
            }
            assert_eq!(
                (status, body),
                (u64::from(alone.status().unwrap_or(0)), expected),
                "{primitive}: {request}"
            );
        }
    }
}

#[test]
fn a_bulk_of_decisions_asks_each_question_once() {
    let config = "[model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\ncall_log = \"calls.jsonl\"\ndelay_ms = 20\n";
    let served = served(config);
    let held: Vec<Held> = (0..12).map(|n| hold(&served, &n.to_string(), &json!({}))).collect();
    let question = |input: usize| json!({ "slot": "kind", "model": "oracle", "prompt": "Sort it.", "prompt_version": "1", "input": input });
    let mut items: Vec<Value> =
        held.iter().enumerate().map(|(n, held)| held.said(&question(n % 3))).collect();
    items.push(held[0].said(&question(99)));
    let told = bulk(&served, "decide", &items);
    assert!(
        told.iter().all(|(status, verdict, _)| (*status, verdict.as_str()) == (200, "decided")),
        "{told:?}"
    );
    assert_eq!(told[12].2["origin"], "pinned", "the work's slot had its answer from the first item");
    for (n, (_, _, body)) in told.iter().take(12).enumerate() {
        assert_eq!(body["work_id"], held[n].body["work_id"], "in order");
    }
    let calls = std::fs::read_to_string(served.workspace.dir().join("calls.jsonl")).expect("the model's log");
    assert_eq!(calls.lines().count(), 3);
}

#[test]
fn a_bulk_that_can_not_be_read_is_refused_as_a_whole() {
    let served = served("");
    let many: Vec<Value> = (0..257).map(|n| claim_of(&n.to_string(), &json!({}))).collect();
    check(&say(&served, "claim/bulk", &json!({ "items": many })), 422, "invalid");
    check(&say(&served, "claim/bulk", &json!({ "items": 7 })), 422, "invalid");
    check(&say(&served, "claim/bulk", &json!({ "items": [], "colour": "red" })), 422, "invalid");
    check(&say(&served, "claim/bulk", &json!([])), 422, "invalid");
    check(&say(&served, "nothing/bulk", &json!({ "items": [] })), 404, "not-found");
    for body in ["{", r#"{"items": [{]}"#, ""] {
        check(&served.host.send("POST", "/v1/primitives/claim/bulk", &[], body.as_bytes()), 400, "bad-json");
    }
    assert_eq!(bulk(&served, "claim", &[]), []);
    assert_eq!(bulk(&served, "claim", &many[..256]).len(), 256);
    let listed = served.host.get("/v1/works?limit=1000").json().expect("a list");
    assert_eq!(listed["works"].as_array().map(Vec::len), Some(256));
}
