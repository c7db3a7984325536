//! `onceward work erase`, as an operator uses it who is asked to.

use super::Stage;

const BY: [&str; 4] = ["--by", "Noor", "--why", "the customer asks for it"];

fn erase(stage: &Stage, key: &str) -> (Option<i32>, String) {
    let output = stage.host.run(&[&["work", "erase", key][..], &BY].concat()).expect("it starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn a_lead_is_erased_when_it_has_ended_and_a_repeat_makes_no_second_deal() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "My number is 4815162342").expect("an event");
    stage.host.lead("other.json", "msg-2", "My number is 1516234248").expect("an event");
    let key = "crm-writer:v1:web-form:msg-1";
    stage.json(&["run", "lead.json"]);
    let (code, said) = erase(&stage, key);
    assert_eq!(code, Some(1), "{said}");
    for words in ["its row", "pending", "outbox resolve", "nothing of this event was erased"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    stage.json(&["run", "other.json", "--deliver"]);
    let (code, said) = erase(&stage, key);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 works, 1 rows, 1 answers and 0 kept events"), "{said}");
    assert!(erase(&stage, key).1.contains("erased before"));

    for end in ["", "-wal", "-shm"] {
        let bytes = std::fs::read(stage.host.dir().join(format!("onceward.db{end}"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("4815162342"), "onceward.db{end} holds what was erased");
        assert_eq!(text.contains("1516234248"), end.is_empty(), "onceward.db{end} and the other lead");
    }
    let told = stage.json(&["run", "lead.json", "--deliver"]);
    assert_eq!(told["answered"]["verdict"], "erased", "{told}");
    let shown = stage.json(&["work", "show", key]);
    assert_eq!(shown["work"]["output"], r#"{"erased":true}"#, "{shown}");
    assert!(shown["evidence"].to_string().contains("Noor says: the customer asks for it"), "{shown}");
    stage.assert_once(&["msg-1".to_owned(), "msg-2".to_owned()]);
}

#[test]
fn an_unfinished_work_is_not_erased() {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "hello").expect("an event");
    stage.host.crash_at("claimed", &["run", "lead.json"]).expect("it dies");
    // The claim may not have been on disk; the next process takes it over and dies in the same place.
    let _ = stage.host.crash_at("step-ran", &["run", "lead.json"]);
    let (code, said) = erase(&stage, "lead-classifier:v1:web-form:msg-1");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("running") && said.contains("nothing of this event was erased"), "{said}");
}
