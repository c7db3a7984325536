//! Decisions on the command line: a plan is read, approved or stopped, and what models cost is told.

use super::Stage;
use serde_json::{Value, json};
use support::model_server::{ModelServer, TOKENS_IN, TOKENS_OUT};

const KEY: &str = "lead-classifier:v1:web-form:msg-1";

const TRIAGE: &str = r#"{"type":"support","priority":"low","summary":"call {n}","reply":"r","confidence":1}"#;

/// A stage whose model is a provider over HTTP.
fn stage(held: bool) -> (Stage, ModelServer) {
    let (stage, provider) = (Stage::new(&[]), ModelServer::start().expect("a provider"));
    provider.answer(TRIAGE);
    stage.host.ask_over_http(&provider.base_url(), "").expect("a configuration");
    if held {
        let config = super::text(&stage.host.dir().join("onceward.toml"));
        let models = "models = [\"classifier\"]";
        let held = config.replace(models, &format!("{models}\nhold_decisions = [\"triage\"]"));
        stage.host.write("onceward.toml", &held).expect("a configuration");
    }
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    (stage, provider)
}

/// The command's exit code, and everything it says.
fn told(stage: &Stage, args: &[&str]) -> (Option<i32>, String) {
    let output = stage.host.run(args).expect("it starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

fn act<'a>(verb: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["decision", verb, KEY, "triage", "--by", "Noor", "--why", "read it"];
    args.extend(more);
    args
}

#[test]
fn s04_a_plan_is_read_and_approved_once_and_one_deal_follows() {
    let (stage, provider) = stage(true);
    let run = stage.json(&["run", "lead.json", "--deliver"]);
    assert_eq!(run["runs"][0]["verdict"], "review", "{run}");
    let (code, said) = told(&stage, &["run", "lead.json", "--deliver"]);
    assert_eq!(code, Some(3), "{said}");
    for words in ["waits for approval", "decision list --waiting"] {
        assert!(said.contains(words), "{words}: {said}");
    }

    let waiting = stage.json(&["decision", "list", "--waiting"]);
    assert_eq!(waiting["decisions"].as_array().map(Vec::len), Some(1), "{waiting}");
    let shown = stage.json(&["decision", "show", KEY, "triage"]);
    let entry = &shown["decisions"][0];
    assert_eq!((&entry["revision"], &entry["approval"]["state"]), (&json!(1), &json!("waiting")), "{shown}");
    let hash = entry["decided"]["answer_hash"].as_str().expect("a hash").to_owned();
    let (_, text) = told(&stage, &["decision", "show", KEY]);
    for words in ["call 1", &hash, "asked: classifier, prompt 1", "tokens in 120"] {
        assert!(text.contains(words), "{words}: {text}");
    }

    let other = "0".repeat(64);
    let (code, said) = told(&stage, &act("approve", &["--hash", &other]));
    assert!(code == Some(1) && said.contains(&hash) && said.contains("nothing was changed"), "{said}");
    let (code, said) = told(&stage, &act("approve", &["--hash", &hash, "--revision", "1"]));
    assert!(code == Some(0) && said.contains("approved now"), "{said}");
    let (code, said) = told(&stage, &act("approve", &[]));
    assert!(code == Some(0) && said.contains("approved before"), "{said}");
    let (code, said) = told(&stage, &act("reject", &[]));
    assert!(code == Some(1) && said.contains("was approved by Noor"), "{said}");

    let (_, said) = told(&stage, &["resume", "--deliver"]);
    assert!(said.contains("decision \"triage\"") && said.contains("without a call"), "{said}");
    stage.assert_once(&["msg-1".to_owned()]);
    assert_eq!(provider.calls(), 1);
    let (code, said) = told(&stage, &act("renew", &[]));
    assert!(code == Some(1) && said.contains("have been committed"), "{said}");
    let evidence = stage.json(&["work", "show", KEY])["evidence"].to_string();
    assert!(evidence.contains("Noor says: read it") && evidence.contains(&hash), "{evidence}");
}

#[test]
fn a_plan_is_renewed_or_stopped_and_the_lead_goes_on() {
    let (stage, provider) = stage(true);
    stage.json(&["run", "lead.json"]);
    let (code, said) = told(&stage, &act("renew", &[]));
    assert!(code == Some(0) && said.contains("renewed now"), "{said}");
    assert_eq!(stage.json(&["resume"])["runs"][0]["verdict"], "review");
    let shown = stage.json(&["decision", "show", KEY, "triage"]);
    assert_eq!(shown["decisions"][0]["revision"], 2, "{shown}");
    assert!(
        shown["decisions"][0]["decided"]["answer"].as_str().is_some_and(|it| it.contains("call 2")),
        "{shown}"
    );
    let rejected = stage.json(&act("reject", &[]));
    assert_eq!((&rejected["decision"], &rejected["work_state"]), (&json!("rejected"), &json!("waiting")));
    let run = stage.json(&["resume", "--deliver"]);
    assert_eq!(run["runs"][0]["detail"]["output"]["enriched"], false, "{run}");
    stage.assert_once(&["msg-1".to_owned()]);
    assert_eq!(provider.calls(), 2);
}

#[test]
fn what_models_cost_is_told_beside_what_was_answered_without_a_call() {
    let (stage, provider) = stage(false);
    provider.order(&["status:500", "misfit"]).expect("moods");
    let first = stage.json(&["run", "lead.json"]);
    assert_eq!(first["runs"][0]["decisions"], json!({ "triage": "asked" }), "{first}");
    // The same words of somebody else, and a host that dies before its settle.
    stage.host.lead("same.json", "msg-2", "What is the price?").expect("an event");
    stage.host.crash_at("step-ran", &["run", "same.json"]).expect("it dies");
    let again = stage.json(&["resume", "--deliver"]);
    let runs = again["runs"].as_array().expect("runs");
    let classified = runs.iter().find(|run| run["step"] == "lead-classifier").expect("it ran again");
    assert_eq!(classified["decisions"], json!({ "triage": "pinned" }), "{again}");
    assert_eq!(provider.calls(), 3);

    let listed = stage.json(&["decision", "list"]);
    let cost = |calls: u64| calls * (TOKENS_IN + 2 * TOKENS_OUT);
    let total: &Value = &listed["totals"][0];
    for (figure, expected) in [
        ("calls", 3),
        ("failed_calls", 2),
        // A provider that fails does not say what it used.
        ("tokens_in", 2 * TOKENS_IN),
        ("tokens_out", 2 * TOKENS_OUT),
        ("cost_micros", cost(2)),
        ("asked", 1),
        ("cached", 1),
        ("replayed", 1),
    ] {
        assert_eq!(total[figure], json!(expected), "{figure}: {listed}");
    }
    let (_, text) = told(&stage, &["decision", "list"]);
    assert!(text.contains("0.000360") && text.contains("without a call"), "{text}");
    let (code, said) = told(&stage, &["decision", "show", KEY, "nothing"]);
    assert!(code == Some(1) && said.contains("none named \"nothing\""), "{said}");
}
