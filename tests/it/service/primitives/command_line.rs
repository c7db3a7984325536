//! The command line beside a host that serves: the same verbs, asked through its socket.

use crate::service::primitives::{claim_of, say, served};
use crate::service::served::check;
use serde_json::{Value, json};

#[test]
fn a_script_beside_a_running_host_asks_it() {
    let served = served("");
    let call = |args: &[&str]| {
        let output = served.workspace.run(&[args, &["--json"]].concat()).expect("it starts");
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), told, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, told, _) = call(&["claim", "orders", "9", "--effect", "crm"]);
    assert_eq!((code, &told["verdict"]), (Some(0), &json!("acquired")), "{told}");
    let token = told["token"].to_string();
    // Over the network it is the same work.
    check(&say(&served, "claim", &claim_of("9", &json!({}))), 409, "in-progress");
    let (code, told, _) = call(&["claim", "orders", "9"]);
    assert_eq!((code, &told["verdict"]), (Some(3), &json!("in-progress")), "{told}");
    assert_eq!((&told["status"], &told["retryable"]), (&json!(409), &json!(true)));
    let held = ["orders:v1:9", "--token", &token];
    let said = |verb: &'static str, more: &[&str]| call(&[&[verb], &held[..], more].concat());
    for (verb, more, verdict) in [
        ("record", &["--effect", "crm", "--reference", "d-1"][..], "recorded"),
        ("extend", &["--lease", "60"], "extended"),
        ("settle", &["--done", "{\"deal\": 1}"], "applied"),
        ("settle", &["--done", "{\"deal\": 1}"], "applied"),
    ] {
        let (code, told, error) = said(verb, more);
        assert_eq!((code, &told["verdict"]), (Some(0), &json!(verdict)), "{verb}: {told} {error}");
    }
    let (code, told, _) = call(&["claim", "orders", "9"]);
    assert_eq!((code, &told["verdict"], &told["output"]), (Some(3), &json!("replay"), &json!({ "deal": 1 })));
    let (code, _, error) = call(&["settle", "nothing", "--token", "1", "--done", "{}"]);
    assert!(code == Some(1) && error.contains("nothing"), "{error}");
    // For people.
    let output = served.workspace.run(&["claim", "orders", "9"]).expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("orders:v1:9: replay") && text.contains("first result: {\"deal\":1}"), "{text}");
}
