//! F30: what stops is told to a destination, with what stopped, why, and the command that helps.

use crate::process::Stage;
use crate::process::text;
use serde_json::Value;
use support::receiver::evidence;

#[test]
fn a_dead_letter_is_told_once_with_its_cause_and_the_command_that_helps() {
    let stage = Stage::new(&[]);
    let file = stage.dir.path().join("host/onceward.toml");
    // The receiver shows what it was sent under this kind alone.
    let ops = stage.crm.url("/deals");
    let alerts = format!(
        "\n[alerts]\ndestination = \"ops\"\n\n[destination.ops]\nkind = \"http\"\nurl = \"{ops}\"\ntier = \"key\"\nallow_private_addresses = true\n"
    );
    std::fs::write(&file, text(&file) + &alerts).expect("a configuration");
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.crm.fault(&["status:400"]).expect("a fault");
    stage.json(&["run", "lead.json", "--deliver"]);
    stage.json(&["deliver"]);
    stage.json(&["deliver"]);

    let told = evidence::deals(&stage.crm_dir()).expect("the receiver's file");
    assert_eq!(told.len(), 1, "one alert, and no deal: {told:?}");
    let alert: Value = serde_json::from_str(&told[0].body).expect("an alert is JSON");
    assert_eq!((&alert["kind"], &alert["destination"]), (&"blocked".into(), &"crm".into()), "{alert}");
    assert!(alert["cause"].as_str().is_some_and(|cause| cause.contains("400")), "{alert}");

    // The command that it names is one that works.
    let remedy = alert["remedy"].as_str().expect("a remedy");
    let words: Vec<&str> = remedy.split_whitespace().skip(1).collect();
    assert!(stage.host.run(&words).expect("it starts").status.success(), "{remedy}");
    stage.json(&["deliver"]);
    assert_eq!(evidence::deals(&stage.crm_dir()).expect("the receiver's file").len(), 2, "the deal");
}

#[test]
fn an_alert_to_nowhere_is_refused_by_name() {
    let stage = Stage::new(&[]);
    let file = stage.dir.path().join("host/onceward.toml");
    std::fs::write(&file, text(&file) + "\n[alerts]\ndestination = \"nowhere\"\n").expect("a configuration");
    let output = stage.host.run(&["deliver"]).expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("[alerts]") && said.contains("[destination.nowhere]"), "{said}");
}
