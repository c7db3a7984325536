//! Rows through the real binary: rates, and receipts across crashes.

use super::desk::Desk;
use onceward::crash_point::CrashPoint;
use serde_json::Value;
use serde_json::json;

#[test]
fn a_delivery_without_a_wait_sends_all_that_waits_for_the_rate_alone() {
    let desk = Desk::new("rate = { calls = 20, per_ms = 1000 }");
    let rows: Vec<Value> = (0..8).map(|n| json!({ "slot": format!("{n}"), "body": {} })).collect();
    let file = desk.rows("many", &json!(rows));
    desk.check(&["run", &file], 0, &["8 pending"]);
    desk.check(&["deliver"], 0, &["outbox: 8 sent"]);
    let more = desk.rows("more", &json!(rows));
    desk.check(&["run", &more, "--deliver"], 0, &["outbox: 16 sent"]);
    assert_eq!(desk.bodies().len(), 16);
}

#[test]
fn a_destination_that_asks_for_an_hour_is_left_alone_and_the_list_says_so() {
    let desk = Desk::new("rate = { calls = 20, per_ms = 1000 }");
    let file = desk.rows("two", &json!([{ "slot": "a", "body": {} }, { "slot": "b", "body": {} }]));
    desk.crm.fault(&["status:429:retry-after=3600"]).expect("a fault");
    desk.check(&["run", &file, "--deliver"], 3, &["2 pending"]);
    desk.check(&["deliver"], 3, &["2 pending"]);
    assert_eq!(desk.crm.counts().expect("the CRM answers").requests, 1, "the other row was not even tried");
    desk.check(&["destination", "list"], 0, &["open", "rows wait until"]);
    assert!(desk.json(&["destination", "list"])[0]["waits_until_ms"].is_i64());
}

#[test]
fn a_destination_that_fails_again_and_again_rests_and_the_list_says_so() {
    let desk =
        Desk::new("concurrency = 1\nbreaker = { failures = 2, base_ms = 3_600_000, ceiling_ms = 3_600_000 }");
    let rows: Vec<Value> = (0..5).map(|n| json!({ "slot": format!("{n}"), "body": {} })).collect();
    let file = desk.rows("many", &json!(rows));
    desk.crm.fault(&["status:500", "status:500"]).expect("a fault");
    desk.check(&["run", &file, "--deliver"], 3, &["5 pending"]);
    desk.check(&["deliver"], 3, &["5 pending"]);
    assert_eq!(desk.crm.counts().expect("the CRM answers").requests, 2, "the others were not even tried");
    desk.check(&["destination", "list"], 0, &["resting", "rows wait until", "after 2 failures in a row"]);
    let listed = desk.json(&["destination", "list"]);
    assert!(listed[0]["failures"] == 2 && listed[0]["rests_until_ms"].is_i64(), "{listed}");
}

/// Die at the point, as often as said, and go on: one deal, and one step that goes on from its receipt.
fn check(point: CrashPoint, crashes: usize) {
    let desk = Desk::new("");
    let row = json!([{ "slot": "deal", "body": { "n": 1 }, "receipt_step": "follows-receipt" }]);
    let file = desk.rows("one", &row);
    let run = ["run", &file, "--deliver", "--wait", "20"];
    let resume = ["resume", "--deliver", "--wait", "20"];
    for crash in 0..crashes {
        // A point that lies before what has been recorded already is not met again.
        let died = desk.host.crash_at(point.name(), if crash == 0 { &run } else { &resume });
        assert!(died.is_ok() || crash > 0, "{point:?}: {died:?}");
    }
    desk.check(&run, 0, &[]);
    assert_eq!(desk.bodies(), [json!({ "n": 1 })], "{point:?}");
    let works = desk.json(&["work", "list", "--step", "follows-receipt"]);
    let works = works.as_array().expect("a list");
    assert_eq!(works.len(), 1, "{point:?}: {works:?}");
    let output: Value = serde_json::from_str(works[0]["output"].as_str().expect("it is done")).expect("JSON");
    assert_eq!((&works[0]["state"], &output["reference"]), (&json!("done"), &json!("deal-1")), "{point:?}");
}

#[test]
fn a_sigkill_at_any_point_leaves_one_step_that_goes_on_from_the_receipt() {
    for point in CrashPoint::ALL {
        // This flow asks no model.
        if !matches!(point, CrashPoint::ModelAnswered | CrashPoint::DecisionRecorded) {
            check(point, 1);
            check(point, 2);
        }
    }
}
