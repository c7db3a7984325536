//! `onceward step`: an operator sees what steps ask for, what of it is granted, and what is missing.

use super::Stage;
use serde_json::json;
use support::paths;
use support::workspace::Workspace;

/// The outcome of a command, with what it says on both ways out.
fn told(host: &Workspace, args: &[&str]) -> (Option<i32>, String) {
    let output = host.run(args).expect("it starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn check(host: &Workspace, args: &[&str], code: i32, words: &[&str]) {
    let (ended, said) = told(host, args);
    assert_eq!(ended, Some(code), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?} should say {word:?}, but says:\n{said}");
    }
}

#[test]
fn a_step_is_shown_with_what_it_asks_for_and_what_it_is_granted() {
    let stage = Stage::new(&[]);
    let listed = stage.json(&["step", "list"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    let writer = stage.json(&["step", "show", "crm-writer"]);
    assert_eq!(listed[0], writer, "both verbs say the same");
    for (member, expected) in [
        ("version", json!(1)),
        ("identity", json!({ "business-key": ["/source", "/message_id"] })),
        ("window", json!("for-ever")),
        ("response", json!("original")),
        ("mode", json!("recorded")),
        ("asks", json!({ "destinations": [{ "name": "crm", "weakest": "blind" }], "models": [] })),
        ("granted", json!({ "destinations": ["crm"], "models": [] })),
        ("missing", json!({ "destinations": [], "models": [] })),
        ("paused", json!(null)),
    ] {
        assert_eq!(writer[member], expected, "{member} of {writer}");
    }
    let asks = ["lead-classifier", "model classifier", "destination crm (weakest tier: "];
    check(&stage.host, &["step", "list"], 0, &asks);
    check(&stage.host, &["step", "show", "nobody"], 1, &["\"nobody\"", "onceward step list"]);
    assert!(!stage.host.dir().join("onceward.db").exists(), "looking makes no ledger");
}

#[test]
fn what_a_component_imports_is_told_with_what_of_it_traps() {
    let stage = Stage::new(&[]);
    let text = include_str!("../../guests/wat/over_wasi.wat");
    let component = wat::parse_str(text).expect("the text is well-formed");
    std::fs::write(stage.host.dir().join("over_wasi.wasm"), component).expect("a file");
    let config = super::text(&stage.host.dir().join("onceward.toml"));
    let config = format!("{config}\n[[step]]\nplugin = \"over_wasi.wasm\"\n");
    stage.host.write("onceward.toml", &config).expect("a configuration");

    let answered = "cli/environment, cli/exit, cli/stderr, cli/stdin, cli/stdout, clocks/monotonic-clock, clocks/wall-clock, filesystem/preopens, io/error, io/poll, io/streams, random/insecure, random/insecure-seed, random/random";
    let absent = "filesystem/types, sockets/instance-network, sockets/network";
    check(
        &stage.host,
        &["check", "over_wasi.wasm"],
        0,
        &["imports   nothing", &format!("wasi      {answered}\n"), &format!("traps     {absent}\n")],
    );
    check(
        &stage.host,
        &["step", "show", "over-wasi"],
        0,
        &["imports   -\n", &format!("wasi      {answered}\n"), &format!("traps     {absent}\n")],
    );
    let expected = json!([
        "wasi:filesystem/types@0.2.0",
        "wasi:sockets/network@0.2.0",
        "wasi:sockets/instance-network@0.2.0",
    ]);
    for args in [&["check", "over_wasi.wasm"][..], &["step", "show", "over-wasi"]] {
        assert_eq!(stage.json(args)["imports"]["absent"], expected, "{args:?}");
    }
    let writer = &stage.json(&["step", "show", "crm-writer"])["imports"];
    assert_eq!((&writer["answered"], &writer["absent"]), (&json!([]), &json!([])), "{writer}");
}

#[test]
fn a_missing_grant_is_named_before_anything_runs() {
    let stage = Stage::new(&[]);
    let config = super::text(&stage.host.dir().join("onceward.toml"))
        .replace("destinations = [\"crm\"]", "models = [\"classifier\"]\nresponse = \"error\"")
        .replacen("models = [\"classifier\"]", "models = []", 1);
    stage.host.write("onceward.toml", &config).expect("a configuration");
    let listed = stage.json(&["step", "list"]);
    assert_eq!(listed[0]["missing"], json!({ "destinations": ["crm"], "models": [] }), "{listed}");
    assert_eq!(listed[1]["missing"], json!({ "destinations": [], "models": ["classifier"] }), "{listed}");
    check(
        &stage.host,
        &["step", "show", "crm-writer"],
        0,
        &[
            "missing   destination crm",
            "model classifier (not asked for)",
            "error (the contract says: original)",
            "go to review; grant it",
        ],
    );
    check(&stage.host, &["step", "show", "lead-classifier"], 0, &["missing   model classifier"]);
}

#[test]
fn a_paused_step_is_shown_with_the_cause_even_while_a_host_owns_the_ledger() {
    let stage = Stage::new(&[]);
    let pause = |args: &[&str]| stage.json(&[args, &["--by", "Noor", "--why", "a wrong deal"]].concat());
    pause(&["pause", "step", "crm-writer"]);
    let lock = std::fs::File::open(stage.host.dir().join("onceward.db.lock")).expect("a lock file");
    lock.try_lock().expect("nobody owns it");
    let listed = stage.json(&["step", "list"]);
    assert_eq!(listed[0]["paused"]["cause"], "a wrong deal", "{listed}");
    assert_eq!(listed[1]["paused"], json!(null), "{listed}");
    check(&stage.host, &["step", "show", "crm-writer"], 0, &["the step \"crm-writer\": a wrong deal"]);
    lock.unlock().expect("it was locked");
    pause(&["pause", "namespace"]);
    assert_eq!(stage.json(&["step", "show", "lead-classifier"])["paused"]["scope"], "namespace");
}

#[test]
fn what_a_run_would_refuse_is_refused_when_the_steps_are_looked_at() {
    let stage = Stage::new(&[]);
    let path = stage.host.dir().join("onceward.toml");
    let config = super::text(&path);
    let path_of = |name: &str| paths::step(name).display().to_string();
    let (deals, invoices) = (path_of("crm_writer"), path_of("invoice_sender"));
    // The step that sends invoices asks for a receiver that takes keys.
    let keyed =
        config.replace(&deals, &invoices).replace("\"crm\"", "\"billing\"").replace(".crm]", ".billing]");
    for (config, code, said) in [
        (config.replace(&deals, "gone.wasm"), 1, "gone.wasm: the file can't be read"),
        (keyed.replace("tier = \"key\"", "tier = \"blind\""), 1, "and it is configured as \"blind\""),
        (keyed, 0, "destination billing (weakest tier: key)"),
    ] {
        stage.host.write("onceward.toml", &config).expect("a configuration");
        let (ended, said_now) = told(&stage.host, &["step", "list"]);
        let said_now = said_now.replace("\n  because: ", ": ");
        assert!(
            ended == Some(code) && said_now.contains(said),
            "it should say {said:?}, but says:\n{said_now}"
        );
        let (ended, said_by_run) = told(&stage.host, &["resume"]);
        let refused = said_by_run.replace("\n  because: ", ": ").contains(said);
        assert!(code == 0 || (ended == Some(1) && refused), "a run says:\n{said_by_run}");
    }
}
