//! What each answer of a receiver does to the row and to its destination.

use crate::protocol::case;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::store::outbox::RowOutcome;
use onceward::store::outbox::RowState;
use onceward::store::pause::PauseScope;
use support::host::KEY_RETENTION_MS;
use support::host::NAMESPACE;

const RETENTION_MS: i64 = KEY_RETENTION_MS as i64;

#[tokio::test]
async fn a_failure_before_acceptance_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    receiver.stop().await.unwrap();
    let refused = host.deliver().await;
    let RowOutcome::Again { maybe_applied: false, .. } = &refused.attempts[0].outcome else {
        panic!("nobody listened, so nothing was applied: {refused:?}")
    };
    assert!(!host.row().await.maybe_applied);
    receiver.restart().await.unwrap();
    for fault in ["status:429", "status:503", "status:425"] {
        receiver.fault(&[fault]).unwrap();
    }
    host.deliver_off().await;
    let row = host.row().await;
    assert_eq!((row.state, row.external_reference.as_deref()), (RowState::Sent, Some("deal-1")));
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.created, counts.bodies), (1, 1));
}

#[tokio::test]
async fn s24_a_conflict_at_the_receiver_blocks_at_once_and_for_good() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    receiver.fault(&["conflict"]).unwrap();
    let report = host.deliver_off().await;
    let [attempt] = &report.attempts[..] else { panic!("one attempt is enough: {report:?}") };
    let RowOutcome::Blocked { cause, maybe_applied: false, .. } = &attempt.outcome else {
        panic!("{attempt:?}")
    };
    assert!(cause.contains("other content under the same key"), "{cause}");
    for _ in 0..3 {
        host.pass(RETENTION_MS).await;
        assert!(host.deliver().await.attempts.is_empty());
    }
    assert_eq!(host.row().await.state, RowState::Blocked);
    assert_eq!(receiver.counts().await.unwrap().requests, 1);
}

#[tokio::test]
async fn refusals_for_good_block_at_the_first_attempt() {
    for status in ["400", "404", "405", "413", "415", "422"] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
        receiver.fault(&[&format!("status:{status}")]).unwrap();
        host.deliver_off().await;
        assert_eq!(host.row_states().await, [RowState::Blocked], "{status}");
        assert_eq!(receiver.counts().await.unwrap().requests, 1, "{status}");
    }
}

#[tokio::test]
async fn a_destination_that_refuses_us_is_paused_and_goes_on_with_no_attempt_lost() {
    for status in ["401", "403", "410"] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver).attempts(1), &["a", "b"]).await;
        receiver.fault(&[&*format!("status:{status}"); 2]).unwrap();
        host.deliver().await;
        let paused = host.store.pause_list(NAMESPACE).await.unwrap();
        assert_eq!(paused.iter().map(|paused| paused.scope.name()).collect::<Vec<_>>(), ["crm"]);
        assert!(!paused[0].cause.is_empty());
        for row in host.rows().await {
            assert_eq!((row.state, row.attempt), (RowState::Pending, 0), "{status}");
        }
        host.pass(RETENTION_MS).await;
        assert!(host.deliver().await.attempts.is_empty(), "{status}: a paused destination is left alone");

        assert!(host.unpause(PauseScope::Destination("crm".to_owned())).await);
        assert!(!host.unpause(PauseScope::Destination("crm".to_owned())).await, "it is not paused any more");
        host.deliver().await;
        for row in host.rows().await {
            assert_eq!((row.state, row.attempt), (RowState::Sent, 1), "{status}");
        }
        assert_eq!(receiver.counts().await.unwrap().created, 2);
    }
}

#[tokio::test]
async fn retry_after_is_a_floor() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    receiver.fault(&["status:429:retry-after=7"]).unwrap();
    let report = host.deliver().await;
    let RowOutcome::Again { due_in_ms, maybe_applied: false, .. } = report.attempts[0].outcome else {
        panic!("{report:?}")
    };
    assert_eq!((due_in_ms, report.attempts.len()), (7_000, 1));
    host.pass(6_999).await;
    assert!(host.deliver().await.attempts.is_empty());
    host.pass(1).await;
    host.deliver().await;
    assert_eq!(host.row_states().await, [RowState::Sent]);
}

#[tokio::test]
async fn s17_rubbish_in_retry_after_is_no_hot_loop_and_no_eternity() {
    for (value, least_ms, most_ms) in [
        ("inf", 0, 1_000),
        ("1000000000000000000000000000000", 1_000, 86_400_000),
        ("soon", 0, 1_000),
        ("0", 1_000, 1_000),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
        receiver.fault(&[&format!("status:429:retry-after={value}")]).unwrap();
        let report = host.deliver().await;
        let RowOutcome::Again { due_in_ms, .. } = report.attempts[0].outcome else {
            panic!("{value}: {report:?}")
        };
        assert!((least_ms..=most_ms).contains(&due_in_ms), "{value}: {due_in_ms}");
        host.deliver_off().await;
        assert_eq!(host.row_states().await, [RowState::Sent], "{value}");
    }
}

#[tokio::test]
async fn a_receipt_that_cannot_be_read_is_sent_and_flagged() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a", "b"]).await;
    receiver.fault(&["unreadable-receipt", "big-receipt:1048576"]).unwrap();
    host.deliver_off().await;
    for row in host.rows().await {
        assert_eq!(row.state, RowState::Sent);
        assert!(row.cause.as_deref().is_some_and(|why| why.contains("can't be read")), "{:?}", row.cause);
        assert!(row.receipt.is_some_and(|receipt| receipt.len() <= 64 * 1024));
    }
    assert_eq!(receiver.counts().await.unwrap().requests, 2);
}

#[tokio::test]
async fn a_key_still_in_work_over_there_is_sent_again_and_a_redirect_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    receiver.fault(&["in-progress"]).unwrap();
    host.deliver_off().await;
    assert_eq!((host.row_states().await, host.row().await.attempt), (vec![RowState::Sent], 2));

    host.done("enqueues", &case("b")).await;
    receiver.fault(&[&format!("redirect:{}", receiver.url("/messages"))]).unwrap();
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent, RowState::Blocked]);
    assert_eq!(receiver.counts().await.unwrap().by_kind.get("messages"), None);
}
