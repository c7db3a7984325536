//! F32: for an event, the input, the model's answer, the branch taken, each attempt and each write, in order.

use crate::process::Stage;
use onceward::contract::tier::Tier;

/// The words stand in the text one after another.
fn check_order(text: &str, words: &[&str]) {
    let mut rest = text;
    for word in words {
        let at = rest.find(word).unwrap_or_else(|| panic!("{word:?} does not follow in:\n{text}"));
        rest = &rest[at + word.len()..];
    }
}

#[test]
fn the_story_of_an_event_is_told_whole_and_in_order() {
    let stage = Stage::whole(&[], Tier::Key);
    stage.host.lead("lead.json", "msg-1", "What is the price of a pallet?").expect("an event");
    stage.crm.fault(&["lose-reply"]).expect("a fault");
    stage.json(&["run", "lead.json", "--deliver", "--wait", "20"]);

    let work = stage.json(&["work", "list"])[0]["work_id"].clone();
    let told =
        stage.host.run(&["work", "show", work.as_str().expect("an id"), "--family"]).expect("it starts");
    let told = String::from_utf8(told.stdout).expect("text");
    // What each work was given and what became of it, and then everything that happened, in one order.
    check_order(
        &told,
        &[
            "lead-intake:v1:web-form:msg-1",
            "input        {",
            "What is the price of a pallet?",
            "result",
            "decision     triage (asked, classifier): {",
            "crm-writer:v1:web-form:msg-1",
            "to crm: sent, reference deal-1",
            "reply-writer:v1:web-form:msg-1",
            "to messages: held",
            "WHEN",
            "lead-intake      claimed ",
            "lead-intake      settled ",
            "lead-classifier  claimed ",
            "lead-classifier  decided ",
            "lead-classifier  note ",
            "crm-writer       enqueued ",
            "crm-writer       settled ",
            "reply-writer     enqueued ",
            "reply-writer     settled ",
            // The row of the work before goes out after this one has ended.
            "crm-writer       sending ",
            "attempt 1",
            "crm-writer       again ",
            "may have been applied",
            "crm-writer       sending ",
            "attempt 2",
            "crm-writer       sent ",
            "(reference deal-1)",
            "deal-owner       settled ",
        ],
    );
    let json = stage.json(&["work", "show", work.as_str().expect("an id"), "--family"]);
    assert_eq!(json["works"].as_array().map(Vec::len), Some(5), "{json}");
    assert_eq!(json["works"][1]["decisions"][0]["slot"], "triage", "{json}");
}
