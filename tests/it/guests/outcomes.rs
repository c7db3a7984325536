//! How a run can end, and what is kept of each end: state, cause, notes, and nothing else.

use crate::guests::host;
use onceward::dispatch::end::End;
use onceward::store::claim::{Repeat, Standing};
use onceward::store::work::WorkState;
use serde_json::json;
use support::host::HostBuilder;
use support::host::event;
use support::observe::output;

#[tokio::test]
async fn echo_is_done_with_its_payload_and_a_repeat_gets_the_stored_result() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "echo").await;
    let event = event("1", &json!({ "ü": [1, null, "\u{1F600}"] }));
    let ended = host.ran("echo", &event).await;
    assert_eq!(output(&ended), event.data);

    let work = host.work(ended.work.work_id).await;
    assert_eq!((work.state, work.attempt), (WorkState::Done, 1));
    let Standing::Done(Repeat::Original { output, needs_review: None }) =
        host.answered("echo", &event).await.standing
    else {
        panic!("a repeat of done work is answered with its result")
    };
    assert_eq!(Some(output), work.output);
    let kinds: Vec<String> =
        host.evidence(work.work_id).await.into_iter().map(|(kind, _)| kind).take(2).collect();
    assert_eq!(kinds, ["claimed", "settled"]);
}

#[tokio::test]
async fn rejects_never_runs_again() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "rejects").await;
    let event = event("1", &json!({}));
    let ended = host.ran("rejects", &event).await;
    assert_eq!(ended.end, End::Rejected("never".to_owned()));
    assert_eq!(
        host.answered("rejects", &event).await.standing,
        Standing::Rejected { cause: "never".to_owned() }
    );
    assert!(host.work_off().await.is_empty());
}

#[tokio::test]
async fn reviews_waits_for_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "reviews").await;
    let event = event("1", &json!({}));
    let ended = host.ran("reviews", &event).await;
    assert_eq!(ended.end, End::Review("a person must look".to_owned()));
    assert_eq!(
        host.answered("reviews", &event).await.standing,
        Standing::InReview { cause: "a person must look".to_owned() }
    );
    assert!(host.work_off().await.is_empty());
}

#[tokio::test]
async fn uncertain_is_done_and_flagged_and_the_flow_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let builder = HostBuilder::new(dir.path()).step("uncertain").step("echo");
    let host = builder.flow(&["uncertain", "echo"]).start().await;
    let ended = host.ran("uncertain", &event("1", &json!({ "n": 1 }))).await;
    let End::Done { output: text, needs_review } = ended.end else { panic!("it is done: {:?}", ended.end) };
    assert_eq!((text.as_str(), needs_review.as_deref()), (r#"{"n":1}"#, Some("not sure")));

    let work = host.work(ended.work.work_id).await;
    assert_eq!((work.state, work.needs_review.as_deref()), (WorkState::Done, Some("not sure")));
    let next = host.work_off().await;
    assert_eq!((next.len(), output(&next[0])), (1, json!({ "n": 1 })));
}

#[tokio::test]
async fn retries_until_its_attempts_are_used_up_and_then_lies_dead_with_the_cause() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("retries").attempts(3).start().await;
    let event = event("1", &json!({}));
    let first = host.ran("retries", &event).await;
    assert!(matches!(first.end, End::Retried { ref cause, .. } if cause == "not yet"), "{:?}", first.end);

    let ends: Vec<End> = host.work_off().await.into_iter().map(|ended| ended.end).collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    let dead = "attempts used up (3): not yet".to_owned();
    assert_eq!(ends[1], End::Dead(dead.clone()));
    let work = host.work(first.work.work_id).await;
    assert_eq!((work.state, work.attempt), (WorkState::Dead, 3));
    assert_eq!(host.answered("retries", &event).await.standing, Standing::Dead { cause: dead });
}

#[tokio::test]
async fn flags_by_attempt_sees_its_attempt_and_ends_when_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "flags_by_attempt").await;
    let event = event("1", &json!({ "succeed_at": 3 }));
    let first = host.ran("flags-by-attempt", &event).await;
    assert!(matches!(first.end, End::Retried { .. }), "{:?}", first.end);
    let ended = host.work_off().await;
    assert_eq!(output(ended.last().unwrap()), json!({ "attempt": 3 }));
}

#[tokio::test]
async fn unreadable_payload_goes_to_a_person_with_the_place_of_the_fault() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "unreadable_payload").await;
    let check = async |id: &str, payload: serde_json::Value, place: &str| {
        let ended = host.ran("unreadable-payload", &event(id, &payload)).await;
        let End::Review(cause) = ended.end else { panic!("a person is asked: {:?}", ended.end) };
        assert!(cause.contains(place), "{place}: {cause}");
    };
    check("1", json!({ "id": "a", "count": "three" }), "count").await;
    check("2", json!({ "id": "a", "count": -1 }), "count").await;
    check("3", json!({ "count": 1 }), "id").await;
    check("4", json!([]), "").await;

    let fine = json!({ "id": "a", "count": 3 });
    assert_eq!(host.done("unreadable-payload", &event("5", &fine)).await, fine);
}

#[tokio::test]
async fn traps_leaves_the_reason_and_its_last_words_and_the_next_run_is_fresh() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("traps").step("echo").attempts(2).start().await;
    let ended = host.ran("traps", &event("1", &json!({}))).await;
    let End::Retried { cause, .. } = &ended.end else {
        panic!("a trap is a failed attempt: {:?}", ended.end)
    };
    assert!(
        cause.starts_with("the step trapped: panic: boom at ") && cause.contains("unreachable"),
        "{cause}"
    );
    assert!(cause.contains("; in ") && cause.contains("traps::bottom"), "the function is named: {cause}");
    let notes = host.evidence_of(ended.work.work_id, "note").await;
    assert!(notes.len() == 1 && notes[0].starts_with("panic: boom at "), "{notes:?}");

    // Another work through the same component runs to the same place, not into what the first one left.
    let again = host.ran("traps", &event("2", &json!({}))).await;
    assert_eq!(host.evidence_of(again.work.work_id, "note").await, notes);
    assert_eq!(host.done("echo", &event("3", &json!(1))).await, json!(1));
    let ended = host.work_off().await;
    assert!(ended.iter().all(|ended| matches!(&ended.end, End::Dead(why) if why.contains(cause.as_str()))));
}
