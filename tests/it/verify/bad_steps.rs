//! Each planted mistake of an author is found, and for what it is.

use onceward::contract::tier::Tier;
use onceward::verify::finding::Finding;
use onceward::verify::search::Report;
use std::time::Duration;
use support::verified::{Verified, bad_event};

/// What is found where the step is wrong.
async fn findings(what: &str, step: Verified) -> Vec<Finding> {
    let Report { failure, phases, .. } = step.search(Duration::ZERO).await;
    let failure = failure.unwrap_or_else(|| panic!("{what}: nothing was found in {phases:?}"));
    assert!(failure.schedule.len() <= 1, "{what}: one fault is enough, and not {}", failure.schedule);
    failure.findings
}

/// A bad step by its name, with its event.
fn bad(name: &str) -> Verified {
    Verified::step(&format!("bad_{name}")).declared(Tier::Key).event(bad_event(name))
}

fn differs(findings: &[Finding], part: &str) -> bool {
    findings.iter().any(|finding| matches!(finding, Finding::Differs { what, .. } if what.contains(part)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_or_a_key_that_changes_with_the_attempt_is_found() {
    for (name, part) in [
        ("attempt_in_payload", "what crm has of"),
        ("attempt_in_slot", "the effect \"deal-2\""),
        ("enqueue_before_decision", "what crm has of"),
        ("memory", "what crm has of"),
    ] {
        let found = findings(name, bad(name)).await;
        assert!(differs(&found, part), "{name}: {found:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_or_an_effect_whose_name_comes_from_a_fresh_answer_is_found() {
    for name in ["slot_from_model", "slot_from_text"] {
        let found = findings(name, bad(name)).await;
        assert!(differs(&found, "the decision"), "{name}: {found:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_that_changes_with_each_delivery_is_found() {
    for name in ["time_identity", "envelope_identity"] {
        let found = findings(name, bad(name).again(bad_event(&format!("{name}_redelivered")))).await;
        let new = found.iter().any(|finding| matches!(finding, Finding::RepeatIsNew { event: 1, .. }));
        assert!(new, "{name}: {found:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_that_two_enquiries_share_is_found() {
    let found = findings("email", bad("email_identity").event(bad_event("email_identity_other"))).await;
    let collapsed = |finding: &Finding| matches!(finding, Finding::Collapsed { first: 1, second: 2, .. });
    assert!(found.iter().any(collapsed), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_that_the_event_does_not_have_is_found_and_named() {
    let found = findings("missing", bad("missing_identity")).await;
    let named =
        |finding: &Finding| matches!(finding, Finding::Refused { why, .. } if why.contains("/enquiry_id"));
    assert!(found.iter().any(named), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_that_goes_back_is_found_and_named() {
    let found = findings("progress_back", bad("progress_back")).await;
    let back =
        |finding: &Finding| matches!(finding, Finding::NotDone { cause, .. } if cause.contains("owned"));
    assert!(found.iter().any(back), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_destination_that_does_not_keep_its_tier_is_found() {
    for declared in [Tier::Key, Tier::Field] {
        let step = Verified::step("good_deal").declared(declared).really("crm", Tier::Blind);
        let found = findings("really blind", step.event(bad_event("good_deal"))).await;
        let twice = |finding: &Finding| matches!(finding, Finding::Twice { times: 2.., .. });
        assert!(found.iter().any(twice), "{declared:?}: {found:#?}");
    }
}
