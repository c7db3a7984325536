//! The reference behaviours of a delivery, each against a receiver that counts.

use crate::protocol::case;
use crate::protocol::connectors::Dying;
use crate::protocol::connectors::Then;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::slow;
use crate::protocol::with_rows;
use onceward::connectors::Envelope;
use onceward::contract::tier::Tier;
use onceward::dispatch::end::End;
use onceward::dispatch::step::Claimed;
use onceward::store::claim::Standing;
use onceward::store::operate::Actor;
use onceward::store::outbox::RowOutcome;
use onceward::store::outbox::RowState;
use onceward::store::quarantine::OnMismatch;
use onceward::store::quarantine::QuarantineDecision;
use onceward::store::work::WorkState;
use serde_json::json;
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
    let held = host.hold("enqueues", &case("a")).await;
    let id = held.work().work_id;
    drop(held.run(&host.dispatcher).await);
    host.pass(0).await;
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
    assert!(matches!(standing, Standing::Done(_)), "{standing:?}");
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
    assert!(
        matches!(standing, Standing::Mismatch { recorded, arrived } if recorded != arrived),
        "{standing:?}"
    );
    assert_eq!(host.row().await.payload, before);
    host.deliver_off().await;
    assert_eq!(receiver.deals().await.unwrap()[0].body, before);
}

#[tokio::test]
async fn a_lead_is_never_lost_to_a_weak_key() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["same-second"]).await;
    let second = event("same-second", &json!({ "deal": { "title": "somebody else" } }));
    let arrive = || async {
        match host.dispatcher.arrive("enqueues", &second, OnMismatch::Quarantine).await.unwrap() {
            Claimed::Answered(answered) => answered,
            Claimed::Held(_) => panic!("it would pass for the first"),
        }
    };
    let Standing::Quarantined { id } = arrive().await.standing else { panic!("it is lost") };
    host.work_off().await;
    host.deliver_off().await;
    assert_eq!(receiver.counts().await.unwrap().created, 1, "a person decides first");
    let actor = Actor { name: "Noor".to_owned(), reason: "two people".to_owned(), action: None };
    host.store.quarantine_decide(NAMESPACE, id, QuarantineDecision::Admit, actor).await.unwrap();
    host.work_off().await;
    assert!(matches!(arrive().await.standing, Standing::Done(_)));
    host.deliver_off().await;
    let mut bodies: Vec<String> = receiver.deals().await.unwrap().into_iter().map(|deal| deal.body).collect();
    bodies.sort();
    assert_eq!(bodies, [r#"{"title":"same-second"}"#, r#"{"title":"somebody else"}"#]);
    assert_eq!(host.rows().await.len(), 2);
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
    let mut references: Vec<_> =
        host.rows().await.into_iter().filter_map(|row| row.external_reference).collect();
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
        assert!(
            kinds.ends_with(&["sending", "again", "sending", "sent"].map(str::to_owned)),
            "{fault}: {kinds:?}"
        );
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
    assert_eq!(host.row().await.state, RowState::Sending);
    let (clock, oracle) = host.end().await;

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
        assert!(host.deliver().await.next_due_ms.is_some(), "its lease will end");
        host.pass(LEASE_MS).await;
    }
    let report = host.deliver().await;
    assert!(matches!(report.attempts[0].outcome, RowOutcome::Withheld { in_doubt: false, .. }), "{report:?}");
    assert_eq!((report.counts.of(RowState::Blocked), report.next_due_ms), (1, None));
    let row = host.row().await;
    assert!(
        row.maybe_applied && row.cause.as_deref().is_some_and(|why| why.starts_with("attempts used up")),
        "{row:?}"
    );
    let counts = receiver.counts().await.unwrap();
    assert_eq!((dying.answered(), counts.created, counts.replayed), (3, 1, 2));
}

#[tokio::test]
async fn what_is_sent_is_never_taken_again() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a"]).await;
    host.deliver_off().await;
    host.pass(10 * RETENTION_MS).await;
    assert!(host.deliver().await.attempts.is_empty());
    let (clock, oracle) = host.end().await;
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
async fn a_resend_is_the_same_bytes_to_the_same_place_whatever_the_configuration_says_now() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver).delivery_retry(slow()), &["a"]).await;
    receiver.fault(&["lose-reply"]).unwrap();
    assert_eq!(host.deliver().await.attempts.len(), 1);
    let (clock, oracle) = host.end().await;

    let moved =
        HostBuilder::new(dir.path()).step("enqueues").crm_at(&receiver.url("/messages")).tier(Tier::Blind);
    let host = with_rows(moved.doors_of(&clock, &oracle), &["b"]).await;
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent, RowState::Sent]);
    let counts = receiver.counts().await.unwrap();
    let kinds: Vec<(String, u64)> = counts.by_kind.clone().into_iter().collect();
    assert_eq!(
        kinds,
        [("deals".to_owned(), 1), ("messages".to_owned(), 1)],
        "what is new goes to the new place"
    );
    assert_eq!((counts.replayed, counts.bodies), (1, 1));
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
    assert_eq!(
        (host.row_states().await, receiver.counts().await.unwrap().created),
        (vec![RowState::Sent], 1)
    );
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
    host.deliver().await;
    assert_eq!(host.row_states().await, [RowState::InDoubt]);
    assert_eq!(receiver.counts().await.unwrap().requests, 1);
}

#[tokio::test]
async fn s14_what_may_have_been_applied_is_not_sent_again_when_the_receiver_has_forgotten_the_key() {
    let check = async |fault: &str, waits_ms: i64, state: RowState, requests: u64| {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = with_rows(enqueuer(dir.path(), &receiver).delivery_retry(slow()), &["a"]).await;
        receiver.fault(&[fault]).unwrap();
        assert_eq!(host.deliver().await.attempts.len(), 1);
        // The host is stopped, or nobody looks at it, for so long.
        host.pass(waits_ms).await;
        let report = host.deliver_off().await;
        let row = host.row().await;
        assert_eq!((row.state, report.attempts.len()), (state, 1), "{fault}: {row:?}");
        let counts = receiver.counts().await.unwrap();
        assert_eq!((counts.created, counts.requests), (1, requests), "{fault}");
        row
    };
    // The request may reach the receiver as late as its sender may take.
    check("applied-status:500", RETENTION_MS - LEASE_MS, RowState::Sent, 2).await;
    let row = check("applied-status:500", RETENTION_MS - LEASE_MS + 1, RowState::InDoubt, 1).await;
    assert!(
        row.maybe_applied && row.cause.as_deref().is_some_and(|why| why.contains("tell a repeat")),
        "{row:?}"
    );
    // What was certainly not applied may go out at any time.
    check("status:429", RETENTION_MS + 1, RowState::Sent, 2).await;
}
