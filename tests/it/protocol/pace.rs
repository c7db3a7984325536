//! When a destination is called: its rate, and what its answers ask for, over real HTTP.

use crate::protocol::case;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::store::outbox::RowState;
use onceward::store::pace::Breaker;
use support::host::NAMESPACE;
use support::sim_clock::START_MS;

#[tokio::test]
async fn s17_a_wait_that_a_destination_asks_for_is_kept_by_all_its_rows() {
    for (status, value, wait_ms) in [
        ("429", "7", 7_000),
        ("503", "7", 7_000),
        ("429", "Thu, 01 Jan 2026 00:00:07 GMT", 7_000),
        ("429", "Thursday, 01-Jan-26 00:00:07 GMT", 7_000),
        ("429", "Thu Jan  1 00:00:07 2026", 7_000),
        ("429", "0", 1_000),
        ("429", "Thu, 01 Jan 1970 00:00:00 GMT", 1_000),
        ("429", "1000000000000000000000000000000", 24 * 3_600_000),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
        receiver.fault(&[&format!("status:{status}:retry-after={value}")]).unwrap();
        assert_eq!(host.deliver().await.attempts.len(), 1);
        host.done("enqueues", &case("b")).await;
        let idle = host.deliver().await;
        assert_eq!((idle.attempts.len(), idle.next_due_ms), (0, Some(START_MS + wait_ms)), "{value}");
        assert_eq!(idle.paced_until_ms, None, "{value}: it is not the rate that they wait for");
        host.pass(wait_ms - 20).await;
        assert!(host.deliver().await.attempts.is_empty(), "{value}");
        host.pass(20).await;
        host.deliver_off().await;
        assert_eq!(host.row_states().await, [RowState::Sent; 2], "{value}");
        assert_eq!(receiver.counts().await.unwrap().requests, 3, "{value}");
    }
}

#[tokio::test]
async fn s17_rubbish_and_the_trouble_of_one_row_stop_no_other_row() {
    for fault in [
        "status:429:retry-after=inf",
        "status:429:retry-after=soon",
        "status:429:retry-after=-7",
        "status:429:retry-after=1.5",
        "status:429:retry-after=NaN",
        "status:429",
        "status:500:retry-after=60",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
        receiver.fault(&[fault]).unwrap();
        assert!(!host.deliver().await.attempts.is_empty());
        host.done("enqueues", &case("b")).await;
        host.deliver().await;
        assert_eq!(host.row_states().await[1], RowState::Sent, "{fault}");
        host.deliver_off().await;
        let requests = receiver.counts().await.unwrap().requests;
        assert!(requests <= 4, "{fault}: {requests} requests are a hot loop");
    }
}

#[tokio::test]
async fn s17_a_budget_that_is_used_up_does_not_forget_what_the_destination_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver).attempts(1), &["a"]).await;
    receiver.fault(&["status:429:retry-after=60"]).unwrap();
    host.deliver().await;
    host.done("enqueues", &case("b")).await;
    assert!(host.deliver().await.attempts.is_empty());
    host.pass(60_000).await;
    host.deliver().await;
    assert_eq!(host.row_states().await, [RowState::Blocked, RowState::Sent]);
}

#[tokio::test]
async fn calls_are_spread_by_the_rate_and_a_restart_begins_no_burst() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let paced = || enqueuer(dir.path(), &receiver).rate(10, 1_000);
    let mut host = with_rows(paced(), &["a", "b", "c", "d", "e"]).await;
    for sent in 1..=5_u64 {
        let report = host.deliver().await;
        assert_eq!((report.attempts.len(), receiver.counts().await.unwrap().requests), (1, sent));
        if sent < 5 {
            assert_eq!(report.paced_until_ms, report.next_due_ms, "they wait for the rate alone");
        }
        let (clock, oracle) = host.end().await;
        host = paced().doors_of(&clock, &oracle).start().await;
        let report = host.deliver().await;
        assert!(report.attempts.is_empty(), "{sent}: a restart began a burst");
        host.pass(100).await;
    }
    assert_eq!(host.row_states().await, [RowState::Sent; 5]);
    assert!(host.store.pause_list(NAMESPACE).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_row_that_waits_for_its_next_attempt_does_not_wait_for_the_rate() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let builder = enqueuer(dir.path(), &receiver).delivery_retry(crate::protocol::slow()).rate(1, 3_600_000);
    let host = with_rows(builder, &["a"]).await;
    receiver.fault(&["status:500"]).unwrap();
    let report = host.deliver().await;
    assert_eq!((report.attempts.len(), report.paced_until_ms), (1, None));
    assert!(report.next_due_ms.is_some());
}

#[tokio::test]
async fn a_destination_that_is_down_rests_and_costs_those_behind_no_attempt() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    // At the first failure, so that none of the four places takes another row.
    let breaker = Breaker { failures: 1, base_ms: 10_000, ceiling_ms: 60_000 };
    let builder = enqueuer(dir.path(), &receiver).delivery_retry(crate::protocol::slow()).breaker(breaker);
    let host = with_rows(builder, &["a", "b", "c", "d", "e", "f"]).await;
    receiver.fault(&["status:500"; 5]).unwrap();
    // Four at once, and then the destination is left alone.
    let report = host.deliver().await;
    assert_eq!((report.attempts.len(), report.next_due_ms), (4, Some(START_MS + 10_000)));
    assert!(host.deliver().await.attempts.is_empty());
    host.pass(10_000).await;
    let report = host.deliver().await;
    assert_eq!((report.attempts.len(), report.next_due_ms), (1, Some(START_MS + 30_000)), "it is still down");
    host.pass(20_000).await;
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent; 6]);
    assert_eq!(receiver.counts().await.unwrap().requests, 11);
    assert_eq!(host.store.destination_pace_list(NAMESPACE).await.unwrap()[0].failures, 0);
}

#[tokio::test]
async fn refusals_of_single_rows_are_no_reason_to_rest() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let breaker = Breaker { failures: 2, base_ms: 10_000, ceiling_ms: 60_000 };
    let host = with_rows(enqueuer(dir.path(), &receiver).breaker(breaker), &["a", "b", "c", "d", "e"]).await;
    receiver.fault(&["status:400"; 4]).unwrap();
    assert_eq!(host.deliver().await.attempts.len(), 5);
    let states = host.row_states().await;
    assert_eq!(states.iter().filter(|state| **state == RowState::Blocked).count(), 4, "{states:?}");
}
