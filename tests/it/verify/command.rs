//! `onceward verify` as people and programs run it.

use onceward::contract::tier::Tier;
use serde_json::{Value, json};
use std::process::{Command, Output};
use support::lead_config;
use support::paths;
use support::verified::bad_event_path;
use support::workspace::Workspace;

/// A lead as the flow's first step takes it. It has no time of its own.
const LEAD: &str = r#"{"source": "form", "id": "m-1", "data": {"source": "form", "message_id": "m-1",
    "contact": {"name": "Ada", "email": "ada@example.com"}, "text": "The pallet arrived broken."}}"#;

fn verify(args: &[&str]) -> Output {
    let mut command = Command::new(paths::binary("onceward"));
    command.arg("verify").args(args).output().expect("the program runs")
}

fn event(name: &str) -> String {
    bad_event_path(name).display().to_string()
}

fn step(name: &str) -> String {
    paths::step(name).display().to_string()
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn a_good_step_is_done_and_its_table_says_what_was_tried() {
    let output = verify(&[&step("good_deal"), "--event", &event("good_deal"), "--seconds", "1"]);
    let (said, aside) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{aside}");
    for words in ["single faults", "pairs", "dies-after", "overtaken", "nothing found: ", "NEVER REACHED"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let never = |noun: &str| {
        let line =
            said.lines().find(|line| line.starts_with(noun)).unwrap_or_else(|| panic!("{noun}: {said}"));
        line.rsplit("  ").next().expect("a last column").to_owned()
    };
    // How much else is reached depends on how many schedules the time is enough for.
    for (noun, never_there, always) in [("work ", "cancelled", "running"), ("row ", "superseded", "sending")]
    {
        let never = never(noun);
        assert!(never.contains(never_there) && !never.contains(always), "{noun}: {said}");
    }
    assert!(aside.contains("pairs: "), "progress is told aside: {aside}");
}

#[test]
fn a_bad_step_is_not_done_and_the_run_that_shows_it_can_be_made_again() {
    let (step, event) = (step("bad_attempt_in_payload"), event("attempt_in_payload"));
    let base = [step.as_str(), "--event", &event, "--destination", "crm=key"];
    let output = verify(&[&base[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schedule = told["failure"]["schedule"].as_str().expect("a schedule");
    assert_eq!(told["failure"]["findings"][0]["kind"], "differs", "{told}");

    let again = verify(&[&base[..], &["--schedule", schedule]].concat());
    let said = text(&again.stdout);
    assert_eq!(again.status.code(), Some(3), "{said}");
    assert!(said.contains("<== dies-after") && said.contains("\"made_by_attempt\":2"), "{said}");
    let clean = verify(&[&base[..], &["--schedule", ""]].concat());
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stdout));
}

#[test]
fn what_can_not_be_verified_is_refused_with_the_remedy() {
    let (good, lead) = (step("good_deal"), event("good_deal"));
    let check = |args: &[&str], code: i32, words: &str| {
        let output = verify(args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    };
    check(&[&good], 2, "--event");
    check(&["--event", &lead], 2, "<STEP>");
    check(&["no.wasm", "--event", &lead], 1, "build the step first");
    check(&[&good, "--event", "no.json"], 1, "reading the event");
    check(&[&good, "--event", &lead, "--really", "erp=key"], 1, "there are: crm");
    check(&[&good, "--event", &lead, "--really", "crm=good"], 2, "the tiers are key, field, lookup, blind");
    check(&[&good, "--event", &lead, "--schedule", "3:sleeps"], 2, "the faults are: dies-before");
    check(&[&step("reads_only"), "--event", &lead], 1, "read-only by its contract");
}

/// What `verify --flow` says of this configuration, as JSON.
fn flow(config: &str) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), config).expect("a workspace");
    host.write("lead.json", LEAD).expect("an event");
    let output = host.run(&["verify", "--flow", "--event", "lead.json", "--seconds", "0", "--json"]);
    let output = output.expect("it starts");
    let (said, aside) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{config}: {said}{aside}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The lead flow in front of receivers of a tier. Nobody is there.
fn leads(tier: Tier) -> String {
    lead_config::whole("http://127.0.0.1:9", tier)
}

/// The configured flow is verified with the tiers of its destinations; a sender that stands still is tried at each point but
/// at so many.
fn check_flow(tier: Tier, left_out: u64) {
    let told = flow(&leads(tier));
    let single = &told["phases"][0];
    assert!(single["tried"] == single["schedules"] && told["failure"].is_null(), "{tier:?}: {told}");
    let number = |value: &Value| value.as_u64().expect("a number");
    assert_eq!(number(&told["points"]) - number(&told["faults"]["overtaken"]), left_out, "{tier:?}: {told}");
    let states = &told["states"];
    assert!(number(&states["work"]["done"]) > 6 && number(&states["stage"]["replied"]) > 1, "{states}");
    // None of these tiers leaves a row in doubt, and what was never reached is told.
    assert_eq!(
        (&states["row"]["in-doubt"], &states["work"]["cancelled"]),
        (&json!(0), &json!(0)),
        "{states}"
    );
}

#[test]
fn a_flow_before_receivers_that_write_by_a_field_is_verified() {
    check_flow(Tier::Field, 0);
}

#[test]
fn a_flow_before_receivers_that_can_be_asked_is_verified() {
    // The deal, the reply and the owner: there a paused sender can write after the look-up, as docs/guarantees.md says.
    check_flow(Tier::Lookup, 3);
}

#[test]
fn a_flow_with_held_decisions_alerts_and_mirrored_stages_is_verified_as_it_is_configured() {
    let classifier = "models = [\"classifier\"]";
    let held = leads(Tier::Key).replace(classifier, &format!("{classifier}\nhold_decisions = [\"triage\"]"));
    let more = "[alerts]\ndestination = \"crm-owner\"\n[progress]\nmirror = { destination = \"crm\" }\n";
    let told = flow(&format!("{held}\n{more}"));
    let mirrored = told["clean"].as_object().expect("parts").keys().filter(|part| part.contains("progress:"));
    assert_eq!(mirrored.count(), 8, "four stages, each with its row and what the CRM has of it: {told}");
    let approved = told["states"]["decision"]["approved"].as_u64();
    assert!(
        approved > Some(1) && told["states"]["work"]["review"].as_u64() >= approved,
        "{}",
        told["states"]
    );
}

#[test]
fn a_flow_that_records_nothing_or_names_what_is_not_there_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let step = lead_config::step("reads_only", "");
    let check = |config: &str, words: &str| {
        let host = Workspace::with_config(dir.path(), config).expect("a workspace");
        host.write("lead.json", LEAD).expect("an event");
        let output = host.run(&["verify", "--flow", "--event", "lead.json"]).expect("it starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{config}: {said}");
        assert!(said.contains(words) && output.stdout.is_empty(), "{config}: {said}");
    };
    check(&step, "read-only by its contract");
    check(&format!("flow = [\"reads-only\"]\n{step}"), "take it out of the flow");
    check(&format!("flow = [\"absent\"]\n{step}"), "add a [[step]] with its plugin");
    check("", "set `flow`, or name a step's component");
}

#[test]
fn a_single_step_has_the_limits_that_are_given() {
    let (step, event) = (step("good_deal"), event("good_deal"));
    let base = [step.as_str(), "--event", &event, "--schedule", ""];
    let check = |limit: &str, code: i32, words: &str| {
        let output = verify(&[&base[..], &["--limit", limit]].concat());
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{limit}: {said}");
        assert!(said.contains(words), "{limit}: {said}");
    };
    check("host_calls=100", 0, "it came to the same as without faults");
    check("host_calls=1", 3, "without any fault");
    check("calls=1", 1, "unknown field `calls`");
    check("host_calls", 2, "such as wall_ms=20000");
}
