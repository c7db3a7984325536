//! What each primitive refuses: a token that holds nothing, works that are none of the caller's, and bad input.

use crate::service::primitives::{Held, claim_of, held, hold, say, served, taken_over, with};
use crate::service::served::{Served, check, slow_model};
use onceward::clock::SystemClock;
use onceward::store::Tokens as _;
use onceward::store::operate::Actor;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use onceward::store::token::{NewToken, Verb, hash};
use serde_json::{Value, json};
use std::sync::Arc;
use support::service::Service;
use support::workspace::Workspace;

/// What can be said under a claim, each with a request that is in order.
fn under_a_claim() -> [(&'static str, Value); 12] {
    let question = json!({
        "slot": "kind", "model": "oracle", "prompt": "Sort it.", "prompt_version": "1", "input": 1,
    });
    [
        ("extend", json!({})),
        ("record-effect", json!({ "effect": "crm" })),
        ("release", json!({ "outcome": { "retry": { "cause": "away" } } })),
        ("recall", json!({ "slot": "kind" })),
        ("store", with(&question, &json!({ "answer": 1 }))),
        ("decide", question),
        ("enqueue", json!({ "destination": "crm", "slot": "deal", "payload": 1 })),
        ("advance", json!({ "stage": "matched" })),
        ("save-cursor", json!({ "cursor": "1" })),
        ("load-cursor", json!({})),
        ("claim-items", json!({ "items": ["a"] })),
        ("record-item", json!({ "item": "a" })),
    ]
}

const CONFIG: &str =
    "[destination.crm]\nkind = \"http\"\nurl = \"https://crm.example.com/deals\"\ntier = \"key\"\n";

/// What is recorded of a work, but for the duplicates that are counted.
fn recorded(served: &Served, work: &str) -> Value {
    let mut whole = served.host.get(&format!("/v1/works/{work}")).json().expect("a work");
    whole["work"]["duplicates"] = Value::Null;
    whole
}

#[test]
fn s08_a_stale_token_changes_nothing_whatever_it_says() {
    let served = served(CONFIG);
    let [slow, next] = taken_over(&served, "9");
    let before = recorded(&served, &next.work);
    for (primitive, more) in under_a_claim() {
        let (status, verdict) = match primitive {
            // The effect has happened, and nobody can refuse that: told of in the stories.
            "record-effect" => continue,
            "record-item" => (409, "not-claimed"),
            _ => (409, "lease-lost"),
        };
        let body = check(&slow.say(&served, primitive, &more), status, verdict);
        assert_eq!(
            (&body["work_id"], &body["retryable"]),
            (&next.body["work_id"], &json!(false)),
            "{primitive}"
        );
        let never = Held { token: next.token + 1_000, ..next.clone() };
        check(&never.say(&served, primitive, &more), status, verdict);
    }
    let mut after = recorded(&served, &next.work);
    // The word about an item is kept.
    let evidence = after["evidence"].as_array_mut().expect("evidence");
    assert_eq!(evidence.pop().map(|line| line["kind"].clone()), Some(json!("item-recorded")));
    assert_eq!(after, before);
    check(&next.say(&served, "extend", &json!({})), 200, "extended");
}

#[test]
fn works_that_are_not_there_and_works_of_steps_are_none_of_a_callers_business() {
    let served = Served::new(&[("sleeps_in_host", "models = [\"oracle\"]")], &slow_model(60_000));
    let running = check(&served.invoke("sleeps-in-host", "m1", 0.0, &json!({})), 202, "in-progress");
    let hosted = running["work_id"].as_str().expect("a work");
    for (primitive, more) in under_a_claim() {
        let nobody = with(&json!({ "work": "f".repeat(64), "token": 1 }), &more);
        check(&say(&served, primitive, &nobody), 404, "not-found");
        // Tokens are numbers in a row, so that they can be guessed.
        for token in 1..4 {
            let (status, verdict) = match primitive {
                "record-effect" => (422, "invalid"),
                "record-item" => (409, "not-claimed"),
                // There is no such destination here, and no claim either.
                _ => (409, "lease-lost"),
            };
            let guessed = with(&json!({ "work": hosted, "token": token }), &more);
            check(&say(&served, primitive, &guessed), status, verdict);
        }
    }
    let whole = served.host.get(&format!("/v1/works/{hosted}")).json().expect("a work");
    assert_eq!(whole["work"]["state"], "running", "{whole}");
}

#[test]
fn bad_input_is_the_callers_fault_and_changes_nothing() {
    let served = served(CONFIG);
    let held = hold(&served, "9", &json!({}));
    let before = recorded(&served, &held.work);
    for (primitive, more) in under_a_claim() {
        for bad in [json!({ "colour": "red" }), json!({ "token": "7" }), json!({ "work": 7 })] {
            check(&held.say(&served, primitive, &with(&more, &bad)), 422, "invalid");
        }
        for (body, status, verdict) in [("[]", 422, "invalid"), ("{", 400, "bad-json"), ("", 400, "bad-json")]
        {
            let path = format!("/v1/primitives/{primitive}");
            check(&served.host.send("POST", &path, &[], body.as_bytes()), status, verdict);
        }
    }
    let claim = |more: Value| say(&served, "claim", &claim_of("10", &more));
    for (more, said) in [
        (json!({ "scope": "Orders!" }), "lower-case"),
        (json!({ "effect": "" }), "short name"),
        (json!({ "effect": "x".repeat(513) }), "short name"),
        (json!({ "lease_ms": 0 }), "1 ms to a day"),
        (json!({ "lease_ms": 86_400_001 }), "1 ms to a day"),
        (json!({ "window": { "duration": 0 } }), "window"),
        (json!({ "window": { "until-marker": " " } }), "window"),
        (json!({ "window": "a while" }), "for-ever"),
        (json!({ "attempts_max": 0 }), "attempt"),
        (json!({ "occurred_at": "yesterday" }), "occurred_at"),
        (json!({ "key": "a\u{0}" }), "U+0000"),
        (json!({ "key": "k".repeat(3_000) }), "limit"),
        (json!({ "response": "shrug" }), "shrug"),
    ] {
        let body = check(&claim(more.clone()), 422, "invalid");
        assert!(body.to_string().contains(said), "{more} should say {said}: {body}");
    }
    check(&claim(json!({ "key": " " })), 400, "no-identity");
    for (primitive, more) in [
        ("record-effect", json!({ "effect": " " })),
        ("record-effect", json!({ "effect": "crm", "reference": "" })),
        ("record-effect", json!({ "effect": "crm", "reference": "r".repeat(513) })),
        ("extend", json!({ "lease_ms": 0 })),
        ("extend", json!({ "effect": "\u{0}" })),
        ("release", json!({ "outcome": { "done": {} } })),
        ("release", json!({ "outcome": "done" })),
        ("release", json!({ "outcome": { "done": { "output": 1 }, "retry": { "cause": "?" } } })),
        ("recall", json!({ "slot": "" })),
    ] {
        check(&held.say(&served, primitive, &more), 422, "invalid");
    }
    assert_eq!(recorded(&served, &held.work), before);
    let listed = served.host.get("/v1/works").json().expect("a list");
    assert_eq!(listed["works"].as_array().map(Vec::len), Some(1), "nothing else was recorded: {listed}");
}

/// A host with tokens of these verbs, each for a namespace of its own choice. A token's text is its name.
async fn with_tokens(tokens: &[(&str, &str, &[Verb])]) -> (tempfile::TempDir, Service) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let workspace =
        Workspace::with_config(dir.path(), "[serve]\nnamespaces = [\"other\"]\n").expect("a workspace");
    let settings = SqliteSettings { path: dir.path().join("onceward.db"), max_bytes: None };
    let store = SqliteStore::open(&settings, Arc::new(SystemClock)).expect("the ledger opens");
    for (name, namespace, verbs) in tokens {
        let new = NewToken {
            id: (*name).to_owned(),
            namespace: (*namespace).to_owned(),
            name: (*name).to_owned(),
            person: None,
            verbs: verbs.iter().copied().collect(),
            hash: hash(name),
        };
        let actor = Actor { name: "Noor".to_owned(), reason: "a test".to_owned(), action: None };
        store.token_create(new, actor).await.expect("the ledger works");
    }
    drop(store);
    (dir, Service::start(&workspace))
}

#[tokio::test]
async fn a_token_without_the_verb_and_one_of_another_namespace_get_nothing() {
    let every = [Verb::Invoke, Verb::Operate, Verb::Admin];
    let (_dir, host) = with_tokens(&[
        ("caller", "default", &[Verb::Primitives]),
        ("operator", "default", &every),
        ("stranger", "other", &[Verb::Primitives]),
    ])
    .await;
    let send = |token: &str, primitive: &str, body: &Value| {
        let path = format!("/v1/primitives/{primitive}");
        host.send_with(Some(token), "POST", &path, &[], body.to_string().as_bytes())
    };
    let claimed = check(&send("caller", "claim", &claim_of("9", &json!({}))), 200, "acquired");
    let held = held(claimed);
    for (primitive, more) in under_a_claim().into_iter().chain([("claim", claim_of("9", &json!({})))]) {
        let body = if primitive == "claim" { more } else { held.said(&more) };
        for bulk in ["", "/bulk"] {
            let path = format!("{primitive}{bulk}");
            check(&send("operator", &path, &body), 403, "forbidden");
            check(&send("nobody", &path, &body), 401, "unauthenticated");
        }
        if primitive != "claim" {
            check(&send("stranger", primitive, &body), 404, "not-found");
        }
    }
    // The same key is another work there.
    let theirs = check(&send("stranger", "claim", &claim_of("9", &json!({}))), 200, "acquired");
    assert_ne!(theirs["work_id"], held.body["work_id"]);
    check(&send("caller", "extend", &held.said(&json!({}))), 200, "extended");
}
