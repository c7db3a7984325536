//! Other content under a known identity, on the command line.

use super::Stage;
use serde_json::Value;

/// A stage with a finished lead, and another one under the same id; the id that it is kept under.
fn collision(stage: &Stage) -> String {
    stage.host.lead("first.json", "msg-1", "What is the price?").expect("an event");
    stage.host.lead("second.json", "msg-1", "Please call me.").expect("an event");
    stage.json(&["run", "first.json", "--deliver"]);
    let refused = stage.json(&["run", "second.json"]);
    assert_eq!(refused["answered"]["verdict"], "mismatch", "{refused}");
    let told = stage.json(&["run", "second.json", "--quarantine"]);
    assert_eq!(
        (&told["answered"]["verdict"], &told["quarantine"]),
        (&"quarantined".into(), &1.into()),
        "{told}"
    );
    told["answered"]["detail"]["kept_as"].as_str().expect("an id").to_owned()
}

fn decide(stage: &Stage, verb: &str, id: &str) -> (Option<i32>, String) {
    let args = ["quarantine", verb, &id[..12], "--by", "Noor", "--why", "two people", "--json"];
    let output = stage.host.run(&args).expect("it starts");
    let told = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&told).into_owned())
}

#[test]
fn a_person_sees_both_contents_and_admits_the_second_as_a_lead_of_its_own() {
    let stage = Stage::new(&[]);
    let id = collision(&stage);
    let resumed = stage.host.run(&["resume"]).expect("it starts");
    let said = String::from_utf8_lossy(&resumed.stdout);
    assert!(resumed.status.code() == Some(3) && said.contains("quarantine: 1 waiting"), "{said}");
    let shown = stage.json(&["quarantine", "show", &id]);
    let text = |at: &str| shown.pointer(at).and_then(Value::as_str).expect("text").to_owned();
    assert!(
        text("/event/payload").contains("call me") && text("/first/payload").contains("price"),
        "{shown}"
    );
    assert_eq!(decide(&stage, "admit", &id).0, Some(0));
    let (code, said) = decide(&stage, "drop", &id);
    assert!(code == Some(1) && said.contains("is admitted"), "{said}");
    let resumed = stage.host.run(&["resume", "--deliver"]).expect("it starts");
    assert_eq!(resumed.status.code(), Some(0));
    stage.assert_once(&["msg-1".to_owned(), "msg-1".to_owned()]);
    assert_eq!(stage.json(&["run", "second.json"])["answered"]["verdict"], "replay");
    assert_eq!(stage.json(&["quarantine", "list"]), Value::Array(Vec::new()));
}

#[test]
fn a_dropped_event_is_answered_so_and_stays_on_record() {
    let stage = Stage::new(&[]);
    let id = collision(&stage);
    assert_eq!(decide(&stage, "drop", &id).0, Some(0));
    let told = stage.json(&["run", "second.json", "--quarantine"]);
    assert_eq!(told["answered"]["verdict"], "dropped", "{told}");
    stage.assert_once(&["msg-1".to_owned()]);
    let listed = stage.json(&["quarantine", "list", "--state", "dropped"]);
    assert_eq!(
        (&listed[0]["repeats"], &listed[0]["decided_by"]),
        (&1.into(), &"Noor says: two people".into())
    );
}
