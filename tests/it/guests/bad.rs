//! Steps with one planted mistake each, and what shows it.
//!
//! A run without faults shows few of them, which is why authors make them. The faults here are the two
//! commonest: a host that ends before a run's outcome is recorded, and a sender that delivers again.

use crate::guests::host;
use onceward::dispatch::end::End;
use onceward::dispatch::step::DispatchError;
use onceward::identity::event::Event;
use onceward::identity::key::RowId;
use onceward::identity::work_id::{Identity, IdentityError};
use onceward::store::claim::Standing;
use support::host::TestHost;
use support::verified::bad_event as lead;

/// More than the lease of any run here.
const PAST_ANY_LEASE_MS: i64 = 24 * 3_600_000;

/// The event that a guest is made for.
fn lead_of(guest: &str) -> Event {
    lead(guest.trim_start_matches("bad_"))
}

/// A guest's name in its contract.
fn step(guest: &str) -> String {
    guest.replace('_', "-")
}

/// The rows in their order, each as its key, its slot and its body.
async fn effects(host: &TestHost) -> Vec<(RowId, String, String)> {
    host.rows().await.into_iter().map(|row| (row.row_id, row.slot, row.payload)).collect()
}

/// What leaves after a run that nothing disturbs.
async fn on_a_clear_day(guest: &str) -> Vec<(RowId, String, String)> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = host(dir.path(), guest).await;
    host.done(&step(guest), &lead_of(guest)).await;
    effects(&host).await
}

/// What leaves where the host ends before the first attempt's outcome is recorded.
async fn after_a_lost_run(guest: &str) -> Vec<(RowId, String, String)> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = host(dir.path(), guest).await;
    let (step, event) = (step(guest), lead_of(guest));
    drop(host.hold(&step, &event).await.run(&host.dispatcher).await);
    host.pass(PAST_ANY_LEASE_MS).await;
    host.done(&step, &event).await;
    effects(&host).await
}

#[tokio::test]
async fn a_bad_step_looks_well_on_a_clear_day() {
    for (guest, slot) in [
        ("good_deal", "deal"),
        ("bad_attempt_in_payload", "deal"),
        ("bad_attempt_in_slot", "deal-1"),
        ("bad_slot_from_text", r#"deal: {"call":1}"#),
        ("bad_slot_from_model", "reply"),
        ("bad_time_identity", "deal"),
        ("bad_envelope_identity", "deal"),
        ("bad_email_identity", "deal"),
        ("bad_memory", "deal"),
        ("bad_enqueue_before_decision", "deal"),
    ] {
        let effects = on_a_clear_day(guest).await;
        let slots: Vec<_> = effects.iter().map(|(_, slot, _)| slot.as_str()).collect();
        assert_eq!(slots, [slot], "{guest}");
    }
}

/// Which parts of its only effect a lost run changes.
async fn check_lost_run(guest: &str, key_changes: bool, body_changes: bool) {
    let (clear, lost) = (on_a_clear_day(guest).await, after_a_lost_run(guest).await);
    let ([(clear_key, _, clear_body)], [(lost_key, _, lost_body)]) = (&clear[..], &lost[..]) else {
        panic!("{guest} makes one row: {clear:?} {lost:?}")
    };
    assert_eq!((clear_key != lost_key, clear_body != lost_body), (key_changes, body_changes), "{guest}");
}

#[tokio::test]
async fn a_lost_run_changes_nothing_of_a_good_step_and_something_of_a_bad_one() {
    check_lost_run("good_deal", false, false).await;
    check_lost_run("bad_attempt_in_payload", false, true).await;
    check_lost_run("bad_attempt_in_slot", true, false).await;
    check_lost_run("bad_slot_from_text", true, false).await;
    check_lost_run("bad_slot_from_model", false, true).await;
    check_lost_run("bad_memory", false, true).await;
    check_lost_run("bad_enqueue_before_decision", false, true).await;
}

#[tokio::test]
async fn an_identity_that_the_sender_renews_makes_a_second_deal_of_a_redelivery() {
    for guest in ["bad_time_identity", "bad_envelope_identity"] {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path(), guest).await;
        host.done(&step(guest), &lead_of(guest)).await;
        let again = lead(&format!("{}_redelivered", guest.trim_start_matches("bad_")));
        assert_eq!(again.id, lead_of(guest).id, "it is the same message");
        host.done(&step(guest), &again).await;
        let effects = effects(&host).await;
        let [(first_key, _, first), (second_key, _, second)] = &effects[..] else { panic!("{effects:?}") };
        assert!(first_key != second_key && first == second, "{guest}: the same deal twice");
    }
}

#[tokio::test]
async fn a_second_enquiry_is_refused_where_the_address_is_the_identity() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "bad_email_identity").await;
    host.done("bad-email-identity", &lead("email_identity")).await;
    let answered = host.answered("bad-email-identity", &lead("email_identity_other")).await;
    assert!(matches!(answered.standing, Standing::Mismatch { .. }), "{answered:?}");
    assert_eq!(host.rows().await.len(), 1);
    // And the operator hears of it when the contract is read.
    let warnings = Identity::BusinessKey(vec!["/email".to_owned()]).warnings();
    assert!(warnings.iter().any(|warning| warning.contains("`/email`")), "{warnings:?}");
}

#[tokio::test]
async fn an_identity_that_no_event_has_is_refused_by_its_field() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "bad_missing_identity").await;
    let error = host.run("bad-missing-identity", &lead("missing_identity")).await.expect_err("no identity");
    let DispatchError::Identity { source: IdentityError::MissingField { pointer }, .. } = &error else {
        panic!("the identity is at fault: {error:?}")
    };
    assert_eq!(pointer, "/enquiry_id");
    assert!(host.works().await.is_empty());
}

#[tokio::test]
async fn a_step_back_waits_for_a_person_and_sends_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "bad_progress_back").await;
    let ended = host.ran("bad-progress-back", &lead("progress_back")).await;
    assert!(matches!(&ended.end, End::Review(why) if why.contains("has reached `owned`")), "{:?}", ended.end);
    assert!(host.rows().await.is_empty());
    assert_eq!(host.stage(&ended.work).await, None);
}
