//! The command line as a person meets it: its help is a golden, its answers name what comes next.

use super::Stage;
use std::path::Path;
use support::workspace::Workspace;

/// Compare with the golden file; `UPDATE=1` rewrites it.
fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
    }
    assert_eq!(actual, super::text(&path), "run with UPDATE=1 if the change of {name} is meant");
}

#[test]
fn the_help_of_every_verb_is_as_recorded() {
    let stage = Stage::new(&[]);
    let mut help = String::new();
    for verb in [
        &[][..],
        &["init"],
        &["run"],
        &["resume"],
        &["status"],
        &["deliver"],
        &["work", "list"],
        &["work", "show"],
        &["decision", "list"],
        &["decision", "show"],
        &["decision", "approve"],
        &["decision", "reject"],
        &["decision", "renew"],
        &["outbox", "list"],
        &["outbox", "show"],
        &["outbox", "resolve"],
        &["work", "replay"],
        &["work", "reject"],
        &["work", "cancel"],
        &["work", "resolve"],
        &["work", "reprocess"],
        &["claim"],
        &["record"],
        &["extend"],
        &["settle"],
        &["quarantine", "list"],
        &["quarantine", "show"],
        &["quarantine", "admit"],
        &["quarantine", "drop"],
        &["work", "erase"],
        &["destination", "list"],
        &["step", "list"],
        &["step", "show"],
        &["pause", "list"],
        &["pause", "destination"],
        &["pause", "step"],
        &["pause", "namespace"],
        &["pause", "everything"],
        &["unpause", "destination"],
        &["outbox", "approve"],
        &["outbox", "edit"],
        &["outbox", "cancel"],
        &["destination", "resume"],
        &["progress", "list"],
        &["retain"],
        &["marker", "set"],
        &["marker", "list"],
        &["token", "create"],
        &["token", "list"],
        &["token", "revoke"],
    ] {
        let mut args = verb.to_vec();
        args.push("--help");
        let output = stage.host.run(&args).expect("it starts");
        help.push_str(&format!("$ onceward {}\n", args.join(" ")));
        help.push_str(&String::from_utf8_lossy(&output.stdout));
        help.push('\n');
    }
    golden("help.txt", &help);
}

#[test]
fn init_writes_a_configuration_that_loads_and_never_overwrites() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let workspace = Workspace::with_config(&dir.path().join("other"), "").expect("a workspace");
    let target = dir.path().join("new");
    let path = target.display().to_string();
    let first = workspace.run(&["init", &path]).expect("it starts");
    assert!(first.status.success());
    assert!(super::text(&target.join("onceward.toml")).contains("[store]"));
    let listed = workspace
        .run(&["work", "list", "--config", &target.join("onceward.toml").display().to_string()])
        .expect("it starts");
    let said = String::from_utf8_lossy(&listed.stderr);
    assert_eq!(listed.status.code(), Some(1), "there is no ledger yet");
    assert!(said.contains("onceward.db"), "{said}");
    std::fs::write(target.join("onceward.toml"), "# mine").expect("a file");
    let again = workspace.run(&["init", &path]).expect("it starts");
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(super::text(&target.join("onceward.toml")), "# mine");
}

#[test]
fn a_person_is_told_what_happened_and_what_comes_next() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    let told = |args: &[&str]| {
        let output = stage.host.run(args).expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let run = told(&["run", "lead.json"]);
    assert!(run.contains("lead-classifier") && run.contains("crm-writer"), "{run}");
    assert!(run.contains("outbox: 1 pending") && run.contains("onceward deliver"), "{run}");
    let again = told(&["run", "lead.json"]);
    assert!(again.contains("done before; nothing was run") && again.contains("first result"), "{again}");
    let delivered = told(&["deliver"]);
    assert!(delivered.contains("reference deal-1") && delivered.contains("outbox: 1 sent"), "{delivered}");
    let shown = told(&["work", "show", "crm-writer:v1:web-form:msg-1"]);
    for words in ["matched", "deal-1", "enqueued", "sending", "sent"] {
        assert!(shown.contains(words), "{words} is missing in\n{shown}");
    }
}

#[test]
fn idle_is_not_all_done_while_a_row_is_blocked() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.crm.fault(&["status:400"]).expect("a fault");
    let output = stage.host.run(&["run", "lead.json", "--deliver"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("outbox: 1 blocked") && said.contains("needs a person"), "{said}");
    let output = stage.host.run(&["deliver"]).expect("it starts");
    assert_eq!(output.status.code(), Some(3), "nothing was due, and still not all is done");
}

#[test]
fn a_destination_that_refuses_us_is_paused_until_an_operator_resumes_it() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.crm.fault(&["status:401"]).expect("a fault");
    let told = stage.json(&["run", "lead.json", "--deliver"]);
    assert_eq!(told["deliveries"][0]["outcome"], "paused", "{told}");
    assert_eq!(stage.json(&["deliver"])["deliveries"], serde_json::json!([]), "its rows wait");
    let listed = stage.json(&["destination", "list"]);
    assert!(listed[0]["paused"]["cause"].as_str().is_some_and(|cause| cause.contains("401")), "{listed}");
    assert!(
        stage
            .host
            .run(&["unpause", "destination", "crm", "--by", "Noor", "--why", "the key is renewed"])
            .expect("it starts")
            .status
            .success()
    );
    stage.json(&["deliver"]);
    stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn a_person_resolves_a_blocked_row_and_the_evidence_names_who_and_why() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.crm.fault(&["status:400"]).expect("a fault");
    stage.json(&["run", "lead.json", "--deliver"]);
    let row = stage.json(&["outbox", "list", "--state", "blocked"])[0]["row_id"].clone();
    let row = row.as_str().expect("a blocked row");
    let resolve = |resolution: &str| {
        stage
            .host
            .run(&["outbox", "resolve", row, "--as", resolution, "--by", "Noor", "--why", "corrected there"])
            .expect("it starts")
    };
    assert!(resolve("again").status.success());
    // A second click changes nothing, and says so.
    let second = resolve("again");
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(second.status.code() == Some(1) && said.contains("is pending"), "{said}");
    stage.json(&["deliver"]);
    stage.assert_once(&["msg-1".to_owned()]);
    let evidence = stage.json(&["work", "show", "crm-writer:v1:web-form:msg-1"])["evidence"].to_string();
    assert!(evidence.contains("Noor says: corrected there"), "{evidence}");
}

#[test]
fn a_dead_work_is_replayed_under_its_own_identity() {
    let stage = Stage::new(&[]);
    let config = stage.host.dir().join("onceward.toml");
    let once = super::text(&config).replace("attempts_max = 1000", "attempts_max = 1");
    std::fs::write(&config, once).expect("a configuration");
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.host.crash_at("step-ran", &["run", "lead.json"]).expect("it dies");
    assert_eq!(stage.json(&["run", "lead.json"])["answered"]["verdict"], "dead");
    let key = "lead-classifier:v1:web-form:msg-1";
    let replay = ["work", "replay", key, "--by", "Noor", "--why", "the host is repaired"];
    assert!(stage.host.run(&replay).expect("it starts").status.success());
    stage.json(&["resume", "--deliver"]);
    stage.assert_once(&["msg-1".to_owned()]);
    assert_eq!(stage.host.model_calls().expect("the call log"), 1, "its decision was on record");
}
