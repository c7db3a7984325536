//! Bad input gets a clear error (what was attempted, what is wrong, the remedy), and nothing is lost.

use super::Stage;
use rusqlite::Connection;
use support::paths;

/// The command fails, its error says all of this, and what was recorded before is still there.
fn check(stage: &Stage, args: &[&str], said: &[&str]) {
    let output = stage.host.run(args).expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
    for words in said {
        assert!(error.contains(words), "{args:?} should say {words:?}, but says:\n{error}");
    }
    assert!(output.stdout.is_empty(), "data goes to standard output, and there is none");
}

/// A stage where one lead has been handled.
fn stage_with_a_lead() -> Stage {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.json(&["run", "lead.json", "--deliver", "--wait", "20"]);
    stage
}

fn configure(stage: &Stage, from: &str, to: &str) {
    let path = stage.host.dir().join("onceward.toml");
    let config = super::text(&path);
    assert!(config.contains(from), "the configuration has {from:?}");
    std::fs::write(&path, config.replace(from, to)).expect("a configuration");
}

#[test]
fn an_event_that_cannot_be_read_is_refused_with_its_place_and_the_ledger_stays() {
    let stage = stage_with_a_lead();
    let cases: [(&str, String, &[&str]); 7] = [
        (
            "malformed.json",
            "{\"source\": \"web-form\", \"id\": }".to_owned(),
            &["malformed.json", "line 1", "column"],
        ),
        ("empty.json", String::new(), &["empty.json"]),
        ("no_source.json", "{\"id\":\"1\",\"data\":{}}".to_owned(), &["source"]),
        ("no_data.json", "{\"source\":\"web-form\",\"id\":\"1\"}".to_owned(), &["data"]),
        (
            "twice.json",
            "{\"source\":\"s\",\"id\":\"1\",\"data\":{\"message_id\":\"a\",\"message_id\":\"b\"}}".to_owned(),
            &["/data/message_id", "twice"],
        ),
        (
            "no_identity.json",
            "{\"source\":\"s\",\"id\":\"1\",\"data\":{\"source\":\"web-form\",\"text\":\"x\"}}".to_owned(),
            &["lead-classifier", "/message_id"],
        ),
        (
            "oversize.json",
            format!("{{\"source\":\"s\",\"id\":\"1\",\"data\":{{\"text\":\"{}\"}}}}", "x".repeat(1_100_000)),
            &["oversize.json", "1048576"],
        ),
    ];
    for (name, content, said) in &cases {
        stage.host.write(name, content).expect("a file");
        check(&stage, &["run", name], said);
    }
    check(&stage, &["run", "missing.json"], &["missing.json", "can't be read"]);
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn an_event_without_end_is_read_to_the_limit_and_no_further() {
    let stage = stage_with_a_lead();
    check(&stage, &["run", "/dev/zero"], &["/dev/zero", "1048576"]);
    let endless = std::fs::File::open("/dev/zero").expect("a device");
    let output = stage.host.command(&["run", "-"]).stdin(endless).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("standard input") && said.contains("1048576"), "{said}");
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn an_unknown_step_is_refused_with_the_steps_there_are() {
    let stage = stage_with_a_lead();
    check(
        &stage,
        &["run", "lead.json", "--step", "reply-writer"],
        &["reply-writer", "crm-writer, lead-classifier"],
    );
}

#[test]
fn changed_content_under_a_known_identity_is_a_mismatch_and_the_first_stands() {
    let stage = stage_with_a_lead();
    stage.host.lead("changed.json", "msg-1", "Please cancel my order.").expect("an event");
    let output = stage.host.run(&["run", "changed.json"]).expect("it starts");
    assert_eq!(output.status.code(), Some(3), "not done, and said so");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("mismatch") && said.contains("stands"), "{said}");
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn a_file_that_is_no_step_is_refused_with_the_reason() {
    let stage = stage_with_a_lead();
    let classifier = paths::step("lead_classifier").display().to_string();
    configure(&stage, &classifier, "plugin.wasm");
    let wat = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("guests/wat").join(name);
        wat::parse_file(path).expect("a well-formed WAT file")
    };
    let cases: [(Vec<u8>, &[&str]); 5] = [
        (
            b"not wasm at all".to_vec(),
            &["plugin.wasm", "not a WebAssembly component", "wasm32-unknown-unknown"],
        ),
        (wat::parse_str("(module)").expect("WAT"), &["plugin.wasm", "core WebAssembly module"]),
        (wat("other_world.wat"), &["onceward:step/guest@0.9.0", "rebuild"]),
        (wat("foreign_import.wat"), &["example:host/environment@1.0.0", "alone"]),
        (wat("no_contract.wat"), &["exports no onceward:step/guest"]),
    ];
    for (bytes, said) in &cases {
        std::fs::write(stage.host.dir().join("plugin.wasm"), bytes).expect("a file");
        check(&stage, &["run", "lead.json"], said);
    }
    std::fs::remove_file(stage.host.dir().join("plugin.wasm")).expect("a file");
    check(&stage, &["run", "lead.json"], &["plugin.wasm", "can't be read"]);
    configure(&stage, "plugin.wasm", &classifier);
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn a_destination_that_is_not_granted_is_never_written_to_and_the_work_waits_for_the_operator() {
    let stage = Stage::new(&[]);
    configure(&stage, "destinations = [\"crm\"]\n", "");
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    let told = stage.json(&["run", "lead.json", "--deliver"]);
    let writer = &told["runs"][1];
    assert_eq!(writer["verdict"], "review", "{told}");
    let cause = writer["detail"]["cause"].as_str().unwrap_or_default();
    assert!(cause.contains("crm") && cause.contains("grant"), "{cause}");
    assert_eq!(stage.json(&["outbox", "list"]), serde_json::json!([]), "nothing was enqueued");
    let work = &stage.json(&["work", "list", "--state", "review"])[0];
    assert!(
        work["payload"].as_str().is_some_and(|payload| payload.contains("price")),
        "the lead is kept: {work}"
    );
}

#[test]
fn a_configuration_that_does_not_fit_together_names_the_place_and_the_remedy() {
    let stage = stage_with_a_lead();
    let cases: [(&str, &str, &[&str]); 7] = [
        ("models = [\"classifier\"]", "models = [\"oracle\"]", &["oracle", "[model.oracle]"]),
        ("destinations = [\"crm\"]", "destinations = [\"erp\"]", &["erp", "[destination.erp]"]),
        ("tier = \"key\"", "tier = \"magic\"", &["magic", "key"]),
        ("kind = \"scripted\"", "kind = \"scriptd\"", &["scriptd", "scripted"]),
        (
            "flow = [\"lead-classifier\", \"crm-writer\"]",
            "flow = [\"lead-classifier\", \"reply-writer\"]",
            &["reply-writer"],
        ),
        ("flow = [", "flwo = [", &["flwo", "flow"]),
        (
            "[model.classifier]",
            "[source.form]\nkind = \"json\"\nstep = \"lead-intake\"\n[model.classifier]",
            &["the source \"form\"", "lead-intake", "crm-writer, lead-classifier"],
        ),
    ];
    for (from, to, said) in cases {
        configure(&stage, from, to);
        check(&stage, &["run", "lead.json"], said);
        configure(&stage, to, from);
    }
    check(&stage, &["run", "lead.json", "--config", "elsewhere.toml"], &["elsewhere.toml", "onceward init"]);
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn a_ledger_from_a_newer_version_is_refused_and_not_touched() {
    let stage = stage_with_a_lead();
    let path = stage.host.dir().join("onceward.db");
    let set = |version: i64| {
        Connection::open(&path)
            .expect("a database")
            .pragma_update(None, "user_version", version)
            .expect("a pragma");
    };
    set(99);
    check(&stage, &["run", "lead.json"], &["version 99", "newer"]);
    set(onceward::store::sqlite::SCHEMA_VERSION);
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn a_ledger_that_is_full_refuses_new_leads_and_keeps_the_old_ones() {
    let stage = stage_with_a_lead();
    let size = std::fs::metadata(stage.host.dir().join("onceward.db")).expect("a ledger").len();
    configure(&stage, "[runtime]", &format!("[store]\nmax_bytes = {}\n\n[runtime]", size + 16_384));
    let long = "x".repeat(200_000);
    stage.host.lead("large.json", "msg-2", &long).expect("an event");
    check(&stage, &["run", "large.json"], &["no space is left", "max_bytes"]);
    configure(&stage, &format!("max_bytes = {}", size + 16_384), "max_bytes = 100_000_000");
    stage.json(&["run", "large.json", "--deliver", "--wait", "20"]);
    stage.assert_once(&["msg-1".to_owned(), "msg-2".to_owned()]);
}

#[test]
fn a_second_process_does_not_get_the_ledger_of_a_running_one() {
    let stage = stage_with_a_lead();
    let held = std::fs::File::open(stage.host.dir().join("onceward.db.lock")).expect("a lock file");
    held.lock().expect("the last process has ended");
    check(&stage, &["run", "lead.json"], &["another process owns it", "stop that process"]);
    let list = stage.json(&["work", "list"]);
    assert_eq!(list.as_array().map(Vec::len), Some(2), "reading goes on beside the owner");
    drop(held);
    stage.assert_once(&["msg-1".to_owned()]);
}
