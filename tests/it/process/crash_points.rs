//! A SIGKILL at every named point, once and twice in a row, and the flow ends as if nothing had been.

use super::Stage;
use onceward::contract::tier::Tier;
use onceward::crash_point::CrashPoint;
use serde_json::json;
use support::handoffs::Handoffs;

const RUN: [&str; 5] = ["run", "lead.json", "--deliver", "--wait", "20"];
const RESUME: [&str; 4] = ["resume", "--deliver", "--wait", "20"];

/// Die at the point as often as said, then go on; the CRM must have one deal, and the model one call plus one for each
/// crash during a call.
fn check(point: CrashPoint, crashes: usize) {
    let stage = Stage::new(&[]);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    for crash in 0..crashes {
        let args = if crash == 0 { &RUN[..] } else { &RESUME[..] };
        match stage.host.crash_at(point.name(), args) {
            Ok(()) => {}
            // A point that lies before what has been recorded already is not met again.
            Err(error) => assert!(crash > 0, "{point:?}: {error:#}"),
        }
    }
    // The sender was never answered, so it sends the event again.
    stage.json(&RUN);
    stage.assert_once(&["msg-1".to_owned()]);
    let calls = stage.host.model_calls().expect("the call log");
    let during_a_call = if point == CrashPoint::ModelAnswered { crashes } else { 0 };
    assert_eq!(calls, 1 + during_a_call, "{point:?}, {crashes} crashes");
}

#[test]
fn a_sigkill_at_any_point_leaves_one_deal_and_one_decision() {
    for point in CrashPoint::ALL {
        check(point, 1);
    }
}

#[test]
fn two_sigkills_at_the_same_point_do_too() {
    for point in CrashPoint::ALL {
        check(point, 2);
    }
}

/// Die at the point on the way of a lead, and again on the way of its approved reply.
fn check_whole(point: CrashPoint) {
    let stage = Stage::whole(&[], Tier::Key);
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    stage.host.crash_at(point.name(), &RUN).unwrap_or_else(|error| panic!("{point:?}: {error:#}"));
    stage.json(&RUN);
    let held = stage.json(&["outbox", "list", "--state", "held"]);
    let draft = held[0]["row_id"].as_str().unwrap_or_else(|| panic!("{point:?}: no draft in {held}"));
    stage.json(&["outbox", "approve", draft, "--by", "Noor", "--why", "reads well"]);
    // A point that only a model's call meets is not met any more.
    let _ = stage.host.crash_at(point.name(), &RESUME);
    let told = stage.json(&RESUME);
    assert_eq!(told["works"], json!({ "done": 6 }), "{point:?}: {told}");
    let handoffs = Handoffs::of(&stage.crm_dir()).expect("the receiver's file");
    let leads = ["msg-1".to_owned()];
    assert_eq!((handoffs.lost(&leads), handoffs.twice(&leads)), (0, 0), "{point:?}: {handoffs:?}");
    let shown = stage.json(&["work", "show", "lead-intake:v1:web-form:msg-1"]);
    assert_eq!(shown["stage"], "replied", "{point:?}: {shown}");
}

#[test]
fn a_sigkill_at_any_point_of_the_whole_flow_leaves_one_deal_one_owner_and_one_reply() {
    for point in CrashPoint::ALL {
        check_whole(point);
    }
}

#[test]
fn a_step_that_kills_its_host_every_time_still_reaches_dead_and_the_lead_is_kept() {
    let stage = Stage::new(&[]);
    let config = stage.host.dir().join("onceward.toml");
    let few = super::text(&config).replace("attempts_max = 1000", "attempts_max = 3");
    std::fs::write(&config, few).expect("a configuration");
    stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
    for _ in 0..3 {
        stage.host.crash_at("step-ran", &["run", "lead.json"]).expect("it dies");
    }
    let answer = stage.json(&["run", "lead.json"]);
    assert_eq!(answer["answered"]["verdict"], "dead", "{answer}");
    let work = &stage.json(&["work", "list", "--state", "dead"])[0];
    assert_eq!(work["attempt"], 3, "{work}");
    assert!(work["payload"].as_str().is_some_and(|payload| payload.contains("What is the price?")), "{work}");
    assert_eq!(stage.crm.counts().expect("the CRM answers").requests, 0);
}
