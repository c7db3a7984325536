//! The reference behaviours of a delivery, each against a receiver that counts.

use crate::protocol::case;
use crate::protocol::connectors::Dying;
use crate::protocol::connectors::Then;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::connectors::Envelope;
use onceward::contract::tier::Tier;
use onceward::dispatch::step::End;
use onceward::store::outbox::RowOutcome;
use onceward::store::outbox::RowState;
use onceward::store::work::Standing;
use onceward::store::work::WorkState;
use serde_json::json;
use std::sync::Arc;
use support::host::DELIVERY_LEASE_MS;
use support::host::HostBuilder;
use support::host::KEY_RETENTION_MS;
use support::host::NAMESPACE;
use support::host::event;

const LEASE_MS: i64 = DELIVERY_LEASE_MS as i64;
const RETENTION_MS: i64 = KEY_RETENTION_MS as i64;

#[tokio::test]
async fn result_and_row_come_and_go_together() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let lost = host.hold("enqueues", &case("a")).await.run(&host.dispatcher).await;
    let id = host.works().await[0].work_id;
    drop(lost);
    assert_eq!((host.work(id).await.state, host.rows().await.len()), (WorkState::Running, 0));
    assert!(host.deliver_off().await.attempts.is_empty());

    host.pass(3_600_000).await;
    host.work_off().await;
    assert_eq!((host.work(id).await.state, host.rows().await.len()), (WorkState::Done, 1));
    host.deliver_off().await;
    assert_eq!(receiver.counts().await.unwrap().created, 1);
}

#[tokio::test]
async fn the_same_action_recorded_twice_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    let standing = host.answered("enqueues", &case("a")).await.standing;
    assert!(matches!(standing, Standing::Done { .. }), "{standing:?}");
    host.deliver_off().await;
    host.answered("enqueues", &case("a")).await;
    host.deliver_off().await;
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.requests, counts.created, host.rows().await.len()), (1, 1, 1));
}

#[tokio::test]
async fn changed_content_for_the_same_action_is_refused_and_nothing_changes() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    let before = host.row().await.payload;
    let changed = event("a", &json!({ "deal": { "title": "changed" } }));
    let standing = host.answered("enqueues", &changed).await.standing;
    assert!(matches!(standing, Standing::Mismatch { recorded, arrived } if recorded != arrived), "{standing:?}");
    assert_eq!(host.row().await.payload, before);
    host.deliver_off().await;
    assert_eq!(receiver.deals().await.unwrap()[0].body, before);
}

#[tokio::test]
async fn distinct_cases_stay_distinct() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    for id in ["a", "b", "c"] {
        host.done("enqueues", &event(id, &json!({ "deal": { "title": "the same" } }))).await;
    }
    host.deliver_off().await;
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.requests, counts.created, counts.bodies), (3, 3, 1));
    let mut references: Vec<_> = host.rows().await.into_iter().filter_map(|row| row.external_reference).collect();
    references.sort();
    assert_eq!(references, ["deal-1", "deal-2", "deal-3"]);
}

#[tokio::test]
async fn invalid_input_is_never_enqueued() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let ended = host.ran("enqueues", &event("a", &json!({ "no": "deal" }))).await;
    assert!(matches!(&ended.end, End::Rejected(why) if why.contains("`deal`")), "{:?}", ended.end);
    assert!(host.rows().await.is_empty());
    assert!(host.deliver_off().await.attempts.is_empty());
    assert_eq!(receiver.counts().await.unwrap().requests, 0);
}

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
async fn s02_a_lost_reply_makes_no_second_task_and_its_id_is_recovered() {
    for fault in ["lose-reply", "cut-reply", "applied-status:500", "applied-status:504"] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
        receiver.fault(&[fault]).unwrap();
        let report = host.deliver_off().await;
        let RowOutcome::Again { maybe_applied: true, .. } = &report.attempts[0].outcome else {
            panic!("{fault}: {report:?}")
        };
        let row = host.row().await;
        assert_eq!((row.state, row.attempt, row.maybe_applied), (RowState::Sent, 2, true), "{fault}");
        assert_eq!(row.external_reference.as_deref(), Some("deal-1"), "{fault}");
        let counts = receiver.counts().await.unwrap();
        assert_eq!((counts.created, counts.replayed, counts.bodies), (1, 1, 1), "{fault}");
        let kinds: Vec<String> = host.evidence(row.work_id).await.into_iter().map(|(kind, _)| kind).collect();
        assert!(kinds.ends_with(&["sending", "again", "sending", "sent"].map(str::to_owned)), "{fault}: {kinds:?}");
    }
}

#[tokio::test]
async fn a_host_that_dies_after_the_reply_recovers_the_same_id() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let dying = Dying::new(Then::Hang);
    let envelope = Envelope::new(receiver.url("/deals"));
    let host = with_rows(enqueuer(dir.path(), &receiver).crm(envelope, dying.clone()), &["a"]).await;
    tokio::select! {
        _ = host.deliver() => panic!("the answer never gets here"),
        () = dying.until_answered() => {}
    }
    let (clock, oracle) = (Arc::clone(&host.clock), Arc::clone(&host.oracle));
    assert_eq!(host.row().await.state, RowState::Sending);
    drop(host);

    // Nobody waits for the dead sender's lease: the new owner of the file knows that it is dead.
    let host = enqueuer(dir.path(), &receiver).doors_of(&clock, &oracle).start().await;
    let report = host.deliver().await;
    assert_eq!((report.attempts.len(), report.attempts[0].attempt), (1, 2));
    let row = host.row().await;
    assert_eq!((row.state, row.maybe_applied), (RowState::Sent, true));
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.created, counts.replayed, counts.bodies), (1, 1, 1));
    assert_eq!(receiver.deals().await.unwrap()[0].id, "deal-1");
    // The envelope that the first host froze named no reference, and so the receipt alone tells the id.
    assert!(row.receipt.is_some_and(|receipt| receipt.contains("deal-1")));
}

#[tokio::test]
async fn crashes_use_up_the_budget_without_a_second_task() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let dying = Dying::new(Then::Panic);
    let envelope = Envelope::new(receiver.url("/deals"));
    let builder = enqueuer(dir.path(), &receiver).crm(envelope, dying.clone()).attempts(3);
    let host = with_rows(builder, &["a"]).await;
    for attempt in 1..=3 {
        assert!(host.deliver().await.attempts.is_empty(), "a sender that died has nothing to report");
        assert_eq!((host.row().await.state, host.row().await.attempt), (RowState::Sending, attempt));
        assert_eq!(host.deliver().await.next_due_ms.is_some(), true);
        host.pass(LEASE_MS).await;
    }
    let report = host.deliver().await;
    assert_eq!((report.attempts.len(), report.next_due_ms), (0, None));
    assert_eq!(report.counts.of(RowState::Blocked), 1);
    let row = host.row().await;
    assert!(row.maybe_applied && row.cause.as_deref().is_some_and(|why| why.starts_with("attempts used up")), "{row:?}");
    let counts = receiver.counts().await.unwrap();
    assert_eq!((dying.answered(), counts.created, counts.replayed), (3, 1, 2));
}

#[tokio::test]
async fn s24_a_conflict_at_the_receiver_blocks_at_once_and_for_good() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    receiver.fault(&["conflict"]).unwrap();
    let report = host.deliver_off().await;
    let [attempt] = &report.attempts[..] else { panic!("one attempt is enough: {report:?}") };
    let RowOutcome::Blocked { cause, maybe_applied: false } = &attempt.outcome else { panic!("{attempt:?}") };
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
async fn what_is_sent_is_never_taken_again() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    host.deliver_off().await;
    host.pass(10 * RETENTION_MS).await;
    assert!(host.deliver().await.attempts.is_empty());
    let (clock, oracle) = (Arc::clone(&host.clock), Arc::clone(&host.oracle));
    drop(host);
    let host = enqueuer(dir.path(), &receiver).doors_of(&clock, &oracle).start().await;
    let report = host.deliver().await;
    assert_eq!((report.attempts.len(), report.counts.of(RowState::Sent)), (0, 1));
    assert_eq!(receiver.counts().await.unwrap().requests, 1);
}

#[tokio::test]
async fn s25_the_budget_ends_repeated_failures_and_idle_is_not_all_done() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver).attempts(3), &["a"]).await;
    receiver.fault(&["status:429"; 3]).unwrap();
    let report = host.deliver_off().await;
    let attempts: Vec<u32> = report.attempts.iter().map(|attempt| attempt.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
    let RowOutcome::Blocked { cause, .. } = &report.attempts[2].outcome else { panic!("{report:?}") };
    assert!(cause.starts_with("attempts used up (3): ") && cause.contains("429"), "{cause}");

    let idle = host.deliver_off().await;
    assert_eq!((idle.attempts.len(), idle.next_due_ms), (0, None));
    assert_eq!((idle.counts.of(RowState::Blocked), idle.counts.of(RowState::Sent)), (1, 0));
    assert_eq!(receiver.counts().await.unwrap().requests, 3);
}

#[tokio::test]
async fn a_destination_that_refuses_us_is_paused_and_goes_on_with_no_attempt_lost() {
    for status in ["401", "403", "410"] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver).attempts(1), &["a", "b"]).await;
        receiver.fault(&[&*format!("status:{status}"); 2]).unwrap();
        host.deliver().await;
        let paused = host.store.destination_list(NAMESPACE).await.unwrap();
        assert_eq!(paused.iter().map(|paused| paused.destination.as_str()).collect::<Vec<_>>(), ["crm"]);
        assert!(!paused[0].cause.is_empty());
        for row in host.rows().await {
            assert_eq!((row.state, row.attempt), (RowState::Pending, 0), "{status}");
        }
        host.pass(RETENTION_MS).await;
        assert!(host.deliver().await.attempts.is_empty(), "{status}: a paused destination is left alone");

        assert!(host.store.destination_resume(NAMESPACE, "crm").await.unwrap());
        assert!(!host.store.destination_resume(NAMESPACE, "crm").await.unwrap(), "it is not paused any more");
        host.deliver().await;
        for row in host.rows().await {
            assert_eq!((row.state, row.attempt), (RowState::Sent, 1), "{status}");
        }
        assert_eq!(receiver.counts().await.unwrap().created, 2);
    }
}

#[tokio::test]
async fn a_resend_is_the_same_bytes_to_the_same_place_whatever_the_configuration_says_now() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    receiver.fault(&["lose-reply", "status:503:retry-after=60"]).unwrap();
    host.deliver().await;
    let (clock, oracle) = (Arc::clone(&host.clock), Arc::clone(&host.oracle));
    drop(host);

    let moved = HostBuilder::new(dir.path()).step("enqueues").crm_at(&receiver.url("/messages")).tier(Tier::Blind);
    let host = with_rows(moved.doors_of(&clock, &oracle), &["b"]).await;
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent, RowState::Sent]);
    let counts = receiver.counts().await.unwrap();
    let kinds: Vec<(String, u64)> = counts.by_kind.clone().into_iter().collect();
    assert_eq!(kinds, [("deals".to_owned(), 1), ("messages".to_owned(), 1)], "what is new goes to the new place");
    assert_eq!((counts.replayed, counts.bodies), (1, 1));
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
    for (value, least_ms, most_ms) in
        [("inf", 0, 1_000), ("1000000000000000000000000000000", 1_000, 86_400_000), ("soon", 0, 1_000), ("0", 1_000, 1_000)]
    {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
        receiver.fault(&[&format!("status:429:retry-after={value}")]).unwrap();
        let report = host.deliver().await;
        let RowOutcome::Again { due_in_ms, .. } = report.attempts[0].outcome else { panic!("{value}: {report:?}") };
        assert!((least_ms..=most_ms).contains(&due_in_ms), "{value}: {due_in_ms}");
        host.deliver_off().await;
        assert_eq!(host.row_states().await, [RowState::Sent], "{value}");
    }
}

#[tokio::test]
async fn a_blind_receiver_leaves_a_lost_reply_in_doubt_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver).tier(Tier::Blind), &["a"]).await;
    receiver.fault(&["lose-reply"]).unwrap();
    let report = host.deliver_off().await;
    assert!(matches!(report.attempts[0].outcome, RowOutcome::InDoubt { .. }), "{report:?}");
    host.pass(RETENTION_MS).await;
    let idle = host.deliver_off().await;
    assert_eq!((idle.attempts.len(), idle.counts.of(RowState::InDoubt)), (0, 1));
    assert_eq!(receiver.counts().await.unwrap().requests, 1);
}

#[tokio::test]
async fn a_blind_receiver_is_sent_to_again_where_nothing_was_applied() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver).tier(Tier::Blind), &["a"]).await;
    receiver.fault(&["status:429"]).unwrap();
    host.deliver_off().await;
    assert_eq!((host.row_states().await, receiver.counts().await.unwrap().created), (vec![RowState::Sent], 1));
}

#[tokio::test]
async fn a_blind_receiver_whose_sender_died_is_in_doubt() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let dying = Dying::new(Then::Panic);
    let envelope = Envelope::new(receiver.url("/deals"));
    let builder = enqueuer(dir.path(), &receiver).crm(envelope, dying).tier(Tier::Blind);
    let host = with_rows(builder, &["a"]).await;
    host.deliver().await;
    host.pass(LEASE_MS).await;
    assert!(host.deliver().await.attempts.is_empty());
    assert_eq!(host.row_states().await, [RowState::InDoubt]);
    assert_eq!(receiver.counts().await.unwrap().requests, 1);
}

#[tokio::test]
async fn s14_a_lost_reply_is_not_sent_again_when_the_receiver_has_forgotten_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a", "b"]).await;
    receiver.fault(&["applied-status:500", "status:429:retry-after=5", "status:429:retry-after=5"]).unwrap();
    host.deliver().await;
    // The host is stopped, or nobody looks at it, for longer than the receiver keeps a key.
    host.pass(RETENTION_MS + 1).await;
    host.deliver_off().await;
    let mut rows = host.rows().await;
    rows.sort_by_key(|row| !row.maybe_applied);
    assert_eq!((rows[0].state, rows[0].maybe_applied), (RowState::InDoubt, true));
    assert!(rows[0].cause.as_deref().is_some_and(|why| why.contains("no longer tell a repeat")), "{rows:?}");
    assert_eq!(rows[1].state, RowState::Sent, "what was certainly not applied may go out at any time");
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.created, counts.replayed), (2, 0));
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
