//! Decisions of callers: recalled, kept, asked.

use crate::service::primitives::{Held, hold, say, served, taken_over, with};
use crate::service::served::{Served, check};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpStream;
use support::model_server::ModelServer;
use support::receiver::client;

fn asked() -> (ModelServer, Served) {
    let model = ModelServer::start().expect("a provider");
    let url = model.base_url();
    let served = served(&format!(
        "[model.oracle]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"gpt-x\"\n\
         allow_private_addresses = true\nretry = {{ base_ms = 0 }}\n"
    ));
    model.answer(r#"{"call": {n}}"#);
    (model, served)
}

fn question(slot: &str, input: &Value) -> Value {
    json!({ "slot": slot, "model": "oracle", "prompt": "Sort it.", "prompt_version": "1", "input": input })
}

fn decide(served: &Served, held: &Held, slot: &str, input: &Value) -> Value {
    check(&held.say(served, "decide", &question(slot, input)), 200, "decided")
}

fn told(body: &Value) -> (&Value, Option<&str>) {
    (&body["answer"], body["origin"].as_str())
}

#[test]
fn a_question_is_paid_for_once_whoever_asks_it() {
    let (model, served) = asked();
    let first = hold(&served, "1", &json!({}));
    check(&first.say(&served, "recall", &json!({ "slot": "kind" })), 200, "undecided");
    let body = decide(&served, &first, "kind", &json!({ "a": 1, "b": 2 }));
    assert_eq!(told(&body), (&json!({ "call": 1 }), Some("asked")));
    // The same slot keeps its answer, whatever is asked; an equal question of another work has it too.
    let body = decide(&served, &first, "kind", &json!("something else"));
    assert_eq!(told(&body), (&json!({ "call": 1 }), Some("pinned")));
    let other = hold(&served, "2", &json!({}));
    let body = decide(&served, &other, "kind", &json!({ "b": 2.0, "a": 1 }));
    assert_eq!(told(&body), (&json!({ "call": 1 }), Some("cached")));
    let body = check(&other.say(&served, "recall", &json!({ "slot": "kind" })), 200, "decided");
    assert_eq!(told(&body), (&json!({ "call": 1 }), Some("pinned")));
    assert_eq!(model.calls(), 1);
    // The next attempt recalls it too.
    check(
        &first.say(&served, "release", &json!({ "outcome": { "retry": { "cause": "away" } } })),
        200,
        "applied",
    );
    let again = hold(&served, "1", &json!({}));
    let body = check(&again.say(&served, "recall", &json!({ "slot": "kind" })), 200, "decided");
    assert_eq!(body["answer"], json!({ "call": 1 }));
}

#[test]
fn a_claim_holds_while_the_host_asks_for_it() {
    let (_model, served) = asked();
    let held = hold(&served, "1", &json!({ "lease_ms": 5_000 }));
    decide(&served, &held, "kind", &json!(1));
    let body = check(&held.say(&served, "extend", &json!({ "lease_ms": 1 })), 200, "extended");
    let until = |body: &Value| body["lease_until_ms"].as_i64().expect("a moment");
    assert!(until(&body) > until(&held.body) + 30_000, "{body}");
}

#[test]
fn a_lost_connection_loses_no_answer() {
    let (model, served) = asked();
    model.order(&["slow:400"]).expect("a mode");
    let held = hold(&served, "1", &json!({}));
    let body = held.said(&question("kind", &json!(1))).to_string();
    let bearer = format!("Bearer {}", served.host.token().expect("a token"));
    let request =
        client::request("POST", "/v1/primitives/decide", &[("Authorization", &bearer)], body.as_bytes());
    let mut connection = TcpStream::connect(served.host.address()).expect("the host listens");
    connection.write_all(&request).expect("it takes the request");
    while model.calls() == 0 {
        std::thread::yield_now();
    }
    drop(connection);
    let recalled = loop {
        let body = held.say(&served, "recall", &json!({ "slot": "kind" })).json().expect("JSON");
        if body["verdict"] == "decided" {
            break body;
        }
    };
    assert_eq!((&recalled["answer"], model.calls()), (&json!({ "call": 1 }), 1));
}

#[test]
fn an_answer_that_a_caller_got_itself_is_kept_and_the_first_one_stands() {
    let (model, served) = asked();
    let (first, other) = (hold(&served, "1", &json!({})), hold(&served, "2", &json!({})));
    let kept = |answer: Value| {
        json!({
            "slot": "kind", "model": "oracle", "prompt": "Sort it.", "prompt_version": "1", "input": { "a": 1 },
            "answer": answer, "spent": { "tokens_in": 7, "cost_micros": 11 },
        })
    };
    let store = |held: &Held, answer| check(&held.say(&served, "store", &kept(answer)), 200, "decided");
    assert_eq!(told(&store(&first, json!("mine"))), (&json!("mine"), Some("asked")));
    assert_eq!(told(&store(&first, json!("mine"))), (&json!("mine"), Some("pinned")), "a lost reply");
    assert_eq!(told(&store(&first, json!("another"))), (&json!("mine"), Some("pinned")));
    assert_eq!(told(&store(&other, json!("another"))), (&json!("mine"), Some("cached")));
    // The host's own question is the same question.
    let third = hold(&served, "3", &json!({}));
    let body = decide(&served, &third, "kind", &json!({ "a": 1 }));
    assert_eq!((told(&body), model.calls()), ((&json!("mine"), Some("cached")), 0));
    // What they paid is added up: the first, and the other who came second.
    let whole = served.host.get(&format!("/v1/works/{}", first.work)).json().expect("a work");
    assert_eq!(whole["decisions"][0]["decided"]["figures"]["tokens_in"], 7, "{whole}");
    let said = whole["evidence"].to_string();
    assert!(said.contains("brought along (oracle, prompt 1)") && !said.contains("asked"), "{said}");
    let misfit = json!({
        "slot": "other", "model": "oracle", "prompt_version": "1", "input": 1, "answer": 5,
        "schema": { "type": "object" },
    });
    let body = check(&first.say(&served, "store", &misfit), 422, "invalid");
    assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("object")), "{body}");
}

#[test]
fn a_model_that_fails_is_a_failure_of_the_model() {
    let (model, served) = asked();
    let held = hold(&served, "1", &json!({}));
    let ask = |slot: &str, more: &Value| {
        say(&served, "decide", &held.said(&with(&question(slot, &json!(slot)), more)))
    };
    model.order(&["status:500", "status:500", "status:500"]).expect("modes");
    let body = check(&ask("a", &json!({})), 502, "model-failed");
    assert_eq!((&body["retryable"], &body["work_id"]), (&json!(true), &held.body["work_id"]));
    model.order(&["refusal"]).expect("a mode");
    assert_eq!(check(&ask("b", &json!({})), 502, "model-refused")["retryable"], false);
    model.order(&["misfit", "misfit", "misfit"]).expect("modes");
    let schema = json!({ "schema": { "type": "object", "required": ["call"] } });
    check(&ask("c", &schema), 502, "model-failed");
    let calls = model.calls();
    check(&ask("d", &json!({ "model": "nobody" })), 422, "invalid");
    check(&ask("e", &json!({ "schema": { "type": 7 } })), 422, "invalid");
    check(&ask("", &json!({})), 422, "invalid");
    assert_eq!(model.calls(), calls, "refused before anything is paid");
    // The work is held all the same, and can ask again.
    assert_eq!(check(&ask("a", &json!({})), 200, "decided")["origin"], "asked");
}

#[test]
fn s08_a_caller_that_lost_its_claim_asks_nobody() {
    let (model, served) = asked();
    let [slow, next] = taken_over(&served, "1");
    check(&slow.say(&served, "decide", &question("kind", &json!(1))), 409, "lease-lost");
    assert_eq!(model.calls(), 0);
    decide(&served, &next, "kind", &json!(1));
}
