//! Who may ask for what, and in which namespace.

use crate::service::desk::token;
use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};
use support::receiver::client::Exchange;

/// A second namespace beside `default`.
const SHOP: &str = "[serve]\nnamespaces = [\"shop\"]\n";

fn served() -> Served {
    Served::new(&[("echo", "")], SHOP)
}

fn with(served: &Served, token: &str, method: &str, path: &str, body: &Value) -> Exchange {
    served.host.send_with(Some(token), method, path, &[], body.to_string().as_bytes())
}

fn invoke(served: &Served, token: &str, id: &str) -> Exchange {
    let event = json!({ "source": "test", "id": id, "data": { "n": 1 } });
    with(served, token, "POST", "/v1/steps/echo/invoke", &event)
}

#[test]
fn a_token_opens_what_its_verbs_say_and_nothing_else() {
    let served = served();
    let invoker = token(&served, "default", &["invoke"], None);
    check(&invoke(&served, &invoker, "m1"), 200, "done");
    let operator = token(&served, "default", &["operate"], None);
    check(&invoke(&served, &operator, "m2"), 403, "forbidden");
    assert_eq!(with(&served, &operator, "GET", "/v1/works", &json!({})).status(), Some(200));
    for closed in [&invoker, &operator] {
        let new = json!({ "name": "more", "verbs": ["admin"], "why": "I want to" });
        check(&with(&served, closed, "POST", "/v1/tokens", &new), 403, "forbidden");
        check(&with(&served, closed, "GET", "/v1/tokens", &json!({})), 403, "forbidden");
        check(
            &with(&served, closed, "POST", "/v1/tokens/first/revoke", &json!({ "why": "x" })),
            403,
            "forbidden",
        );
    }
    check(&with(&served, &invoker, "GET", "/v1/works", &json!({})), 403, "forbidden");
}

#[test]
fn a_token_is_shown_once_and_opens_nothing_when_it_is_revoked() {
    let served = served();
    let secret = token(&served, "default", &["invoke", "operate"], Some("Noor"));
    let listed = served.host.get("/v1/tokens");
    let tokens = listed.json().expect("a list");
    let record = tokens["tokens"].as_array().and_then(|all| all.last()).expect("the new one").clone();
    assert_eq!(
        (&record["name"], &record["person"], &record["verbs"], &record["created_by"]),
        (&json!("a test"), &json!("Noor"), &json!(["invoke", "operate"]), &json!("Noor says: a test"))
    );
    assert!(!listed.text().contains(&secret) && record.get("hash").is_none(), "{record}");
    check(&invoke(&served, &secret, "m1"), 200, "done");
    let path = format!("/v1/tokens/{}/revoke", record["id"].as_str().expect("an id"));
    let revoked = check(&served.host.post(&path, &json!({ "why": "it leaked" })), 200, "applied");
    assert_eq!(revoked["record"]["revoked_by"], "admin says: it leaked");
    check(&served.host.post(&path, &json!({ "why": "it leaked" })), 200, "already");
    check(&invoke(&served, &secret, "m1"), 401, "unauthenticated");
}

#[test]
fn a_key_makes_one_token() {
    let served = served();
    let new = json!({ "name": "shop", "verbs": ["invoke"], "why": "the shop sends orders" });
    let first = check(&served.host.act("/v1/tokens", "k1", &new), 200, "applied");
    let said = check(&served.host.act("/v1/tokens", "k1", &new), 409, "already-done");
    let id = first["record"]["id"].as_str().expect("an id");
    assert!(said["detail"].as_str().is_some_and(|detail| detail.contains(id)), "{said}");
    check(&served.host.act("/v1/tokens", "k2", &new), 200, "applied");
    let tokens = served.host.get("/v1/tokens").json().expect("a list");
    assert_eq!(tokens["tokens"].as_array().map(Vec::len), Some(3), "with the first one: {tokens}");
}

#[test]
fn a_token_that_can_not_be_made_says_why() {
    let served = served();
    for (body, status, verdict) in [
        (json!({ "name": "a", "verbs": ["approve"], "why": "x" }), 422, "invalid"),
        (json!({ "name": "a", "verbs": ["approve"], "person": " ", "why": "x" }), 422, "invalid"),
        (json!({ "name": "a", "verbs": [], "why": "x" }), 422, "invalid"),
        (json!({ "name": "a", "verbs": ["fly"], "why": "x" }), 422, "invalid"),
        (json!({ "name": " ", "verbs": ["invoke"], "why": "x" }), 422, "invalid"),
        (json!({ "name": "a", "verbs": ["invoke"], "why": "" }), 422, "invalid"),
        (json!({ "name": "a", "verbs": ["invoke"], "by": "Mallory", "why": "x" }), 403, "forbidden"),
        (json!({ "name": "a", "verbs": ["invoke"], "why": "x", "namespace": "shop" }), 422, "invalid"),
        (json!([]), 422, "invalid"),
    ] {
        check(&served.host.post("/v1/tokens", &body), status, verdict);
    }
    check(&served.host.act("/v1/tokens", "", &json!({})), 400, "bad-request");
    check(&served.host.post("/v1/tokens/nobody/revoke", &json!({ "why": "x" })), 404, "not-found");
    let tokens = served.host.get("/v1/tokens").json().expect("a list");
    assert_eq!(tokens["tokens"].as_array().map(Vec::len), Some(1), "the first one alone: {tokens}");
}

#[test]
fn an_event_is_the_same_work_whichever_token_sends_it() {
    let served = served();
    let old = token(&served, "default", &["invoke"], None);
    let first = check(&invoke(&served, &old, "m1"), 200, "done");
    let new = token(&served, "default", &["invoke"], None);
    let again = check(&invoke(&served, &new, "m1"), 200, "replay");
    assert_eq!((work_of(&again), &again["output"]), (work_of(&first), &first["output"]));
}

#[test]
fn a_token_of_one_namespace_sees_and_changes_nothing_of_another() {
    let served = served();
    let all = ["invoke", "operate", "admin"];
    let (here, there) = (token(&served, "default", &all, None), token(&served, "shop", &all, None));
    let work = work_of(&check(&invoke(&served, &here, "m1"), 200, "done"));
    let get = |token: &str, path: &str| with(&served, token, "GET", path, &json!({}));
    assert_eq!(get(&there, "/v1/works").json().expect("a list")["works"], json!([]));
    check(&get(&there, &format!("/v1/works/{work}")), 404, "not-found");
    assert_eq!(get(&here, &format!("/v1/works/{work}")).status(), Some(200));
    // The same event is work of its own there.
    let other = work_of(&check(&invoke(&served, &there, "m1"), 200, "done"));
    assert_ne!(other, work);
    let seen = get(&there, "/v1/tokens").json().expect("a list");
    assert_eq!(seen["tokens"].as_array().map(Vec::len), Some(1), "{seen}");
    check(
        &with(&served, &there, "POST", "/v1/tokens/first/revoke", &json!({ "why": "x" })),
        404,
        "not-found",
    );
}

#[test]
fn tokens_are_made_on_the_command_line_with_a_host_and_without() {
    let served = served();
    let run = |args: &[&str], code: i32| {
        let output = served.workspace.run(args).expect("it starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        said
    };
    let by = ["--by", "Noor", "--why", "orders"];
    let create = |more: &[&str]| {
        let args = [&["token", "create", "--name", "shop", "--verbs", "invoke,operate"], more, &by].concat();
        served.workspace.json(&args).expect("it answers")
    };
    let made = create(&["--namespace", "shop"]);
    assert_eq!(made["record"]["namespace"], "shop");
    check(&invoke(&served, made["token"].as_str().expect("a token"), "m1"), 200, "done");
    let listed = run(&["token", "list", "--namespace", "shop"], 0);
    assert!(listed.contains("invoke operate") && listed.contains("open"), "{listed}");
    let id = made["record"]["id"].as_str().expect("an id").to_owned();
    let revoke = [&["token", "revoke", &id], &by[..]].concat();
    run(&revoke, 1);
    let revoke = [&revoke[..], &["--namespace", "shop"]].concat();
    assert!(run(&revoke, 0).contains("is revoked"));
    for (args, code, said) in [
        (&["token", "create", "--name", "x", "--verbs", "fly"][..], 2, "there is no verb"),
        (&["token", "create", "--name", "x", "--verbs", "approve"], 1, "names nobody"),
        (
            &["token", "create", "--name", "x", "--verbs", "invoke", "--namespace", "elsewhere"],
            1,
            "the configuration has none",
        ),
    ] {
        let told = run(&[args, &by].concat(), code);
        assert!(told.contains(said), "{args:?} should say {said}: {told}");
    }
    assert!(run(&["serve", "--namespace", "shop"], 1).contains("leave --namespace out"));

    let Served { mut host, workspace, _dir } = served;
    assert!(host.stop().success());
    let revoked = workspace.json(&["token", "list", "--namespace", "shop"]).expect("the file is free");
    assert!(revoked[0]["revoked_ms"].is_i64(), "{revoked}");
    let args =
        [&["token", "create", "--name", "desk", "--verbs", "approve", "--person", "Noor"], &by[..]].concat();
    let made = workspace.json(&args).expect("the file is free");
    assert_eq!(
        (&made["record"]["namespace"], &made["record"]["person"]),
        (&json!("default"), &json!("Noor"))
    );
}
