//! Attempts are counted at the claim, whatever becomes of the run, and they end.

use onceward::dispatch::end::End;
use onceward::dispatch::retry::RetryPolicy;
use onceward::store::claim::Standing;
use onceward::store::work::WorkState;
use serde_json::json;
use support::host::HostBuilder;
use support::host::event;
use support::observe::output;

#[tokio::test]
async fn s18_a_run_that_takes_its_host_along_is_counted_and_ends_as_a_dead_letter() {
    let dir = tempfile::tempdir().unwrap();
    let poison = event("1", &json!({}));
    let builder = || HostBuilder::new(dir.path()).step("echo").attempts(3);
    let mut host = builder().start().await;
    for attempt in 1..=3 {
        let held = host.hold("echo", &poison).await;
        assert_eq!(held.work().attempt, attempt);
        // The host dies with the run.
        drop(held.run(&host.dispatcher).await);
        let (clock, oracle) = host.end().await;
        host = builder().doors_of(&clock, &oracle).start().await;
    }
    let answered = host.answered("echo", &poison).await;
    let Standing::Dead { cause } = answered.standing else { panic!("it is dead: {answered:?}") };
    assert_eq!(cause, "attempts used up (3): the host ended during the last attempt");
    assert_eq!(host.evidence_of(answered.work.id, "dead").await, [cause]);
    assert!(host.work_off().await.is_empty());
}

#[tokio::test]
async fn the_time_budget_ends_it_although_attempts_are_left() {
    let dir = tempfile::tempdir().unwrap();
    let policy =
        RetryPolicy { attempts_max: 100, base_ms: 60_000, age_max_ms: 120_000, ..RetryPolicy::default() };
    let host = HostBuilder::new(dir.path()).step("retries").retry(policy).start().await;
    let ended = host.ran("retries", &event("1", &json!({}))).await;
    host.work_off().await;
    // A retry that would begin after the budget's end does not begin.
    let work = host.work(ended.work.work_id).await;
    let cause = work.cause.unwrap_or_default();
    assert!(cause.starts_with("time used up (") && cause.ends_with("not yet"), "{cause}");
    assert!(work.state == WorkState::Dead && work.attempt < 100, "{} attempts", work.attempt);
}

#[tokio::test]
async fn a_retry_waits_until_it_is_due_and_then_runs_with_the_next_attempt() {
    let dir = tempfile::tempdir().unwrap();
    let policy = RetryPolicy { base_ms: 1_000_000, ceiling_ms: 1_000_000, ..RetryPolicy::default() };
    let host = HostBuilder::new(dir.path()).step("flags_by_attempt").retry(policy).start().await;
    let event = event("1", &json!({ "succeed_at": 2 }));
    let ended = host.ran("flags-by-attempt", &event).await;
    let End::Retried { due_in_ms, .. } = ended.end else { panic!("it is retried: {:?}", ended.end) };
    assert!(due_in_ms > 0, "the chance of this seed is not zero");

    let answered = host.answered("flags-by-attempt", &event).await;
    assert_eq!(
        answered.standing,
        Standing::InProgress { state: WorkState::Waiting, retry_after_ms: due_in_ms }
    );
    host.pass(due_in_ms - 1).await;
    assert!(host.dispatcher.take("flags-by-attempt").await.unwrap().is_none());
    host.pass(1).await;
    assert_eq!(host.done("flags-by-attempt", &event).await, json!({ "attempt": 2 }));
}

#[tokio::test]
async fn a_lost_run_is_taken_over_when_its_lease_ends_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("echo").lease_ms(50_000).start().await;
    drop(host.hold("echo", &event("1", &json!(7))).await);
    host.pass(49_999).await;
    assert!(host.dispatcher.take("echo").await.unwrap().is_none());
    host.pass(1).await;
    let ended = host.take("echo").await.run(&host.dispatcher).await.settle(&host.dispatcher).await.unwrap();
    assert!(ended.takeover);
    assert_eq!((output(&ended), ended.work.attempt), (json!(7), 2));
}

#[tokio::test]
async fn a_lease_outlasts_the_run_however_short_it_was_set() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("echo").lease_ms(1).start().await;
    let held = host.hold("echo", &event("1", &json!(7))).await;
    let lease_ms = held.work().lease_until_ms.unwrap() - held.work().updated_ms;
    assert_eq!(lease_ms, i64::try_from(onceward::runtime::limits::Limits::default().wall_ms).unwrap());
}
