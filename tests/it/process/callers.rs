//! Scripts and schedules that do their effects themselves, and claim a key for it on the command line.

use serde_json::{Value, json};
use support::workspace::Workspace;
use tempfile::TempDir;

/// A configured folder without a step: callers need none.
struct Script {
    host: Workspace,
    _dir: TempDir,
}

impl Script {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let host = Workspace::with_config(dir.path(), "").expect("a workspace");
        Self { host, _dir: dir }
    }

    /// The exit code and what was printed for programs.
    fn call(&self, args: &[&str]) -> (Option<i32>, Value) {
        let mut with_json = args.to_vec();
        with_json.push("--json");
        let output = self.host.run(&with_json).expect("it starts");
        let told = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&output.stderr).into_owned()));
        (output.status.code(), told)
    }

    /// Claim, and be told to act.
    fn acquired(&self, args: &[&str]) -> (String, String) {
        let (code, told) = self.call(args);
        assert_eq!((code, told["verdict"].as_str()), (Some(0), Some("acquired")), "{told}");
        let work = told["work_id"].as_str().expect("a work id").to_owned();
        (work, told["token"].to_string())
    }

    /// The command ends with this code and verdict.
    #[track_caller]
    fn check(&self, args: &[&str], code: i32, verdict: &str) -> Value {
        let (ended, told) = self.call(args);
        assert_eq!((ended, told["verdict"].as_str()), (Some(code), Some(verdict)), "{args:?}: {told}");
        told
    }

    /// Claim until the lease of the last holder has ended.
    fn after_the_lease(&self, args: &[&str]) -> (Option<i32>, Value) {
        loop {
            let (code, told) = self.call(args);
            if told["verdict"] != "in-progress" {
                return (code, told);
            }
        }
    }
}

const CLAIM: [&str; 5] = ["claim", "invoices", "2026-07", "--effect", "mail"];

#[test]
fn a_script_that_is_started_twice_acts_once() {
    let script = Script::new();
    let (work, token) = script.acquired(&CLAIM);
    script.check(&CLAIM, 3, "in-progress");
    let recorded = ["record", &work, "--token", &token, "--effect", "mail", "--reference", "m-1"];
    script.check(&recorded, 0, "recorded");
    script.check(&recorded, 0, "recorded");
    script.check(
        &["record", &work, "--token", &token, "--effect", "mail", "--reference", "m-2"],
        3,
        "already-recorded",
    );
    script.check(
        &["settle", "invoices:v1:2026-07", "--token", &token, "--done", r#"{"sent": 3}"#],
        0,
        "applied",
    );
    let told = script.check(&CLAIM, 3, "replay");
    assert_eq!(told["output"], json!({ "sent": 3 }), "{told}");
    script.check(&["settle", &work, "--token", &token, "--done", "null"], 3, "lease-lost");
    let shown = script.host.json(&["work", "show", &work]).expect("it answers");
    assert_eq!(shown["work"]["holder"], "caller", "{shown}");
    assert_eq!(shown["effects"][0]["external_reference"], "m-1", "{shown}");
}

#[test]
fn s14_s15_a_script_that_is_cut_off_is_in_doubt_with_an_effect_and_taken_over_without() {
    let script = Script::new();
    let pay = ["claim", "payouts", "7", "--effect", "pay", "--lease", "1"];
    let (work, token) = script.acquired(&pay);
    // The effect happens here, and the script is cut off before it can say so.
    let (code, told) = script.after_the_lease(&pay);
    assert_eq!((code, told["verdict"].as_str()), (Some(3), Some("in-doubt")), "{told}");
    let cause = told["detail"].as_str().expect("a cause");
    assert!(cause.contains("pay") && cause.contains(&format!("token {token}")), "{cause}");
    // It was slow, not dead: what it says now is kept, and the work still waits for a person.
    let late = ["record", &work, "--token", &token, "--effect", "pay", "--reference", "tx-1"];
    let told = script.check(&late, 3, "late");
    assert_eq!(told["state"], "in-doubt");
    let told = script.check(&pay, 3, "in-doubt");
    assert!(told["detail"].as_str().is_some_and(|cause| cause.contains("tx-1")), "{told}");

    // The person has looked there, and says so.
    let by = ["--by", "Noor", "--why", "the bank has it"];
    let resolve = |more: &[&str]| script.call(&[&["work", "resolve", &work][..], more, &by].concat());
    let (code, told) = resolve(&["--as", "again", "--reference", "tx-1"]);
    assert!(code == Some(1) && told.to_string().contains("go with `done` alone"), "{told}");
    let (code, _) = resolve(&["--as", "done", "--output", r#"{"tx": 1}"#, "--reference", "tx-1"]);
    assert_eq!(code, Some(0));
    assert_eq!(script.check(&pay, 3, "replay")["output"], json!({ "tx": 1 }));
    let (code, told) = resolve(&["--as", "again"]);
    assert!(code == Some(1) && told.to_string().contains("is done"), "{told}");

    let count = ["claim", "counts", "7", "--lease", "1"];
    let (_, first) = script.acquired(&count);
    let (code, told) = script.after_the_lease(&count);
    assert_eq!((code, told["verdict"].as_str()), (Some(0), Some("acquired")), "{told}");
    assert_eq!((&told["attempt"], &told["takeover"]), (&json!(2), &json!(true)));
    script.check(&["settle", "counts:v1:7", "--token", &first, "--done", "null"], 3, "lease-lost");
}

#[test]
fn an_effect_that_is_on_record_is_not_asked_for_again() {
    let script = Script::new();
    let (work, token) = script.acquired(&CLAIM);
    script.check(&["record", &work, "--token", &token, "--effect", "mail"], 0, "recorded");
    let (_, told) = script.call(&["extend", &work, "--token", &token, "--effect", "crm", "--lease", "60"]);
    assert_eq!(told["effects"].as_array().map(Vec::len), Some(2), "{told}");
    script.check(&["extend", &work, "--token", &token, "--effect", "mail"], 3, "effect-recorded");
    script.check(&["settle", &work, "--token", &token, "--retry", "the CRM is away"], 0, "applied");
    let told = script.check(&CLAIM, 3, "effect-recorded");
    assert_eq!(told["attempt"], 2, "the claim is held, so that it can be settled: {told}");
    script.check(&["settle", &work, "--token", &told["token"].to_string(), "--done", "null"], 0, "applied");
}

#[test]
fn the_same_key_with_other_content_is_a_mismatch() {
    let script = Script::new();
    for (name, content) in [
        ("first.json", r#"{"total": 12.0, "lines": [1]}"#),
        ("same.json", r#"{"lines": [1], "total": 12, "request_id": "again"}"#),
        ("other.json", r#"{"total": 13, "lines": [1]}"#),
    ] {
        script.host.write(name, content).expect("a file");
    }
    script.acquired(&["claim", "orders", "9", "--content", "first.json"]);
    script.check(&["claim", "orders", "9", "--content", "same.json"], 3, "in-progress");
    script.check(&["claim", "orders", "9", "--content", "other.json"], 3, "mismatch");
    script.check(&["claim", "orders", "9"], 3, "mismatch");
    script.acquired(&["claim", "refunds", "9", "--content", "other.json"]);
}

#[test]
fn the_word_about_a_repeat_and_the_window_are_kept() {
    let script = Script::new();
    let (work, token) = script.acquired(&["claim", "orders", "9"]);
    script.check(&["settle", &work, "--token", &token, "--done", r#"{"id": 4}"#], 0, "applied");
    for (response, verdict) in
        [("original", "replay"), ("acknowledgement", "acknowledged"), ("error", "already-done")]
    {
        script.check(&["claim", "orders", "9", "--response", response], 3, verdict);
    }
    let old = ["claim", "orders", "10", "--time", "2020-01-01T00:00:00Z", "--window", "3600"];
    script.check(&old, 3, "too-old");
}

#[test]
fn what_a_caller_can_not_say_is_refused_with_the_remedy() {
    let script = Script::new();
    let (work, token) = script.acquired(&["claim", "orders", "9"]);
    script.host.write("bad.json", r#"{"a": 1, "a": 2}"#).expect("a file");
    let settle = |outcome: &'static str| ["settle", &*work, "--token", &*token, "--done", outcome];
    for (args, code, said) in [
        (&["claim", "Orders!", "9"][..], 1, "lower-case"),
        (&["claim", "orders", " "], 1, "blank"),
        (&["claim", "orders", "9", "--effect", ""], 1, "short name"),
        (&["claim", "orders", "9", "--lease", "0"], 2, "1..=86400"),
        (&["claim", "orders", "9", "--content", "bad.json"], 1, "occurs twice"),
        (&["claim", "orders", "9", "--time", "yesterday"], 1, "--time"),
        (&["settle", &work, "--token", &token], 2, "--done"),
        (&settle("{"), 1, "not acceptable JSON"),
        (&["settle", "nothing", "--token", "1", "--done", "{}"], 1, "no work has the id or key \"nothing\""),
        (&["record", &work, "--token", "9999", "--effect", "x"], 1, "never given out"),
        (&["record", &work, "--token", &token, "--effect", "x", "--reference", ""], 1, "reference"),
    ] {
        let (ended, told) = script.call(args);
        assert_eq!(ended, Some(code), "{args:?}: {told}");
        assert!(told.as_str().is_some_and(|told| told.contains(said)), "{args:?} should say {said}: {told}");
    }
    // None of it changed anything.
    script.check(&settle("{}"), 0, "applied");
}
