//! What is printed does no harm: strangers' text moves no cursor, and a reader who goes away ends nothing but the printing.

use super::Stage;
use serde_json::json;
use std::process::Stdio;

/// A sender that would clear the screen, ring, forge a line and turn the text around.
const SOURCE: &str = "web\u{1b}[2J\u{7}\nSTATE done\u{9b}31m\u{202e}";

fn stage_with_a_hostile_lead() -> Stage {
    let stage = Stage::new(&[]);
    let lead = json!({
        "source": SOURCE,
        "id": "msg-1",
        "time": "2026-01-01T10:00:00Z",
        "data": {
            "source": SOURCE,
            "message_id": "msg-1",
            "contact": { "name": "Ada\u{1b}]0;title\u{7}", "email": "ada@example.com" },
            "text": "What is the price?\u{1b}[31m",
        },
    });
    stage.host.write("lead.json", &lead.to_string()).expect("an event");
    stage
}

#[test]
fn control_characters_of_strangers_are_shown_and_not_passed_on() {
    let stage = stage_with_a_hostile_lead();
    let row =
        |stage: &Stage| stage.json(&["outbox", "list"])[0]["row_id"].as_str().expect("a row").to_owned();
    let check = |args: &[&str]| {
        let output = stage.host.run(args).expect("it starts");
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).expect("UTF-8");
            let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
            assert_eq!(bad, None, "{args:?}: {text:?}");
            assert!(
                !text.lines().any(|line| line.starts_with("STATE done")),
                "{args:?} forges a line:\n{text}"
            );
        }
    };
    check(&["run", "lead.json", "--deliver", "--wait", "20"]);
    check(&["run", "lead.json"]);
    check(&["resume"]);
    check(&["work", "list"]);
    let work = stage.json(&["work", "list"])[0].clone();
    check(&["work", "show", work["work_id"].as_str().expect("an id")]);
    check(&["outbox", "list"]);
    check(&["outbox", "show", &row(&stage)]);
    check(&["work", "show", "\u{1b}[2J\nSTATE done"]);
    check(&["work", "list", "--state", "\u{1b}[2J"]);
    check(&["run", "\u{1b}[2J\u{202e}.json"]);
    check(&["outbox", "show", "\u{1b}[2J"]);
    check(&["pause", "destination", "\u{1b}[2J", "--by", "Noor", "--why", "x"]);
    assert_eq!(work["source"], SOURCE, "programs get it as it is");
}

#[test]
fn a_reader_who_has_gone_away_ends_the_printing_and_nothing_else() {
    let stage = stage_with_a_hostile_lead();
    stage.host.write("bad.json", "{").expect("a file");
    let check = |args: &[&str], code: i32| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = stage.host.command(args).stdout(writer).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(!said.contains("panicked"), "{args:?}: {said}");
        // The same with nobody to read the errors.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let status =
            stage.host.command(args).stdout(Stdio::null()).stderr(writer).status().expect("it starts");
        assert_eq!(status.code(), Some(code), "{args:?}, without a standard error");
    };
    check(&["run", "lead.json"], 0);
    check(&["run", "lead.json", "--json"], 0);
    check(&["deliver"], 0);
    check(&["deliver", "--json"], 0);
    check(&["resume", "-v"], 0);
    let row = stage.json(&["outbox", "list"])[0]["row_id"].as_str().expect("a row").to_owned();
    let work = stage.json(&["work", "list"])[0]["work_id"].as_str().expect("a work").to_owned();
    check(&["work", "list"], 0);
    check(&["work", "show", &work], 0);
    check(&["outbox", "list", "--json"], 0);
    check(&["outbox", "show", &row], 0);
    check(&["destination", "list"], 0);
    check(&["unpause", "destination", "crm", "--by", "Noor", "--why", "mended"], 0);
    check(&["--help"], 0);
    check(&["run", "bad.json"], 1);
    check(&["run"], 2);
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_no_panic() {
    let stage = stage_with_a_hostile_lead();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let output = stage.host.command(&["run", "lead.json"]).stdout(full).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("standard output") && !said.contains("panicked"), "{said}");
}
