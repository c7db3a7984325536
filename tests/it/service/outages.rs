//! What fails outside is kept apart: a model that is away stops no lead, and a CRM that is away loses none.

use crate::service::served::{check, work_of};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::lead_config;
use support::receiver::Receiver;
use support::receiver::evidence;
use support::service::Service;
use support::workspace::Workspace;

const SOURCE: &str = "[source.web-form]\nkind = \"json\"\nopen = true\nid = { pointer = \"/message_id\" }\n";

/// How long something may take to come about. It is looked at again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

fn lead(message_id: &str) -> Value {
    json!({
        "source": "web-form",
        "message_id": message_id,
        "contact": { "name": "Ada", "email": "ada@example.com" },
        "text": "What is the price of a pallet?",
    })
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "this does not come about: {what}");
    }
}

#[test]
fn a_lead_goes_on_to_the_crm_without_a_model_and_is_marked_for_a_person() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = Receiver::start(&dir.path().join("receiver")).expect("a receiver");
    let config = lead_config::middle(&receiver.url("/deals"))
        .replace("call_log =", "fail_first = 1000\nretry = { base_ms = 1 }\ncall_log =");
    let workspace = Workspace::with_config(&dir.path().join("host"), &format!("{config}\n{SOURCE}"))
        .expect("a workspace");
    let host = Service::start(&workspace);
    let accepted = check(&host.post("/v1/sources/web-form/events", &lead("m1")), 202, "accepted");
    until("the deal is written", || host.rows("sent") == 1);
    assert_eq!(evidence::deals(&dir.path().join("receiver")).expect("the receiver's file").len(), 1);
    assert_eq!(workspace.model_calls().expect("the model's log"), 3, "three attempts, and no more");
    let whole = host.get(&format!("/v1/works/{}", work_of(&accepted))).json().expect("a work");
    assert_eq!(whole["work"]["state"], "done");
    assert!(whole["work"]["needs_review"].is_string(), "{whole}");
}

#[test]
fn rows_wait_while_the_crm_is_away_and_go_out_once_when_it_is_back() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver_dir = dir.path().join("receiver");
    let receiver = Receiver::start(&receiver_dir).expect("a receiver");
    // Away in each of the ways: it says so, it is too slow, and its answer is lost after it has written.
    receiver.fault(&["status:503", "status:503", "lose-reply", "status:500", "lose-reply"]).expect("faults");
    let config = format!("{}\n{SOURCE}", lead_config::middle(&receiver.url("/deals")));
    let workspace = Workspace::with_config(&dir.path().join("host"), &config).expect("a workspace");
    let host = Service::start(&workspace);
    for number in 0..5 {
        check(&host.post("/v1/sources/web-form/events", &lead(&format!("m{number}"))), 202, "accepted");
    }
    until("all deals are written", || host.rows("sent") == 5);
    let deals = evidence::deals(&receiver_dir).expect("the receiver's file");
    assert_eq!(deals.len(), 5, "one deal a lead: {deals:?}");
    let works = host.get("/v1/works?state=done").json().expect("a list");
    assert_eq!(works["works"].as_array().map(Vec::len), Some(10), "the steps never waited for the CRM");
}
