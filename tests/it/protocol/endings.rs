//! How works and rows end that went wrong: leases that end, payloads that kill, effects that nobody can be sure of.

use crate::protocol::case;
use crate::protocol::connectors::Dying;
use crate::protocol::connectors::Then;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::connectors::Envelope;
use onceward::contract::tier::Tier;
use onceward::dispatch::end::End;
use onceward::store::claim::Standing;
use onceward::store::outbox::RowState;
use onceward::store::work::WorkState;
use serde_json::json;
use support::host::DELIVERY_LEASE_MS;
use support::host::HostBuilder;
use support::host::event;

/// The longest time that a caller may be told to come back later after a crash, in milliseconds.
const MINUTES_MS: i64 = 5 * 60_000;

#[tokio::test]
async fn s15_a_crash_leaves_a_lease_that_ends_in_minutes_and_the_next_claim_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("decides").start().await;
    let event = event("1", &json!({ "prompt_version": "1" }));
    // The run asks its model, and its host goes away before the settle.
    let held = host.hold("decides", &event).await;
    let (id, until_ms) = (held.work().work_id, held.work().lease_until_ms.expect("it is held"));
    drop(held.run(&host.dispatcher).await);
    let standing = host.answered("decides", &event).await.standing;
    let Standing::InProgress { retry_after_ms: 1.., .. } = standing else { panic!("{standing:?}") };
    assert!(until_ms - host.work(id).await.updated_ms <= MINUTES_MS, "a day of conflicts");

    host.until(until_ms);
    let ended = host.ran("decides", &event).await;
    assert!(ended.takeover && matches!(ended.end, End::Done { .. }), "{ended:?}");
    assert_eq!((ended.work.attempt, host.oracle.calls()), (2, 1), "the first attempt's answer is used");
    let claims = host.evidence_of(id, "claimed").await;
    assert!(claims[0].contains("attempt 1") && claims[1].contains("attempt 2"), "{claims:?}");
}

#[tokio::test]
async fn s18_a_payload_that_uses_up_the_memory_ends_as_a_dead_letter_with_the_cause() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("grows_memory").step("echo").attempts(3).start().await;
    let poison = event("poison", &json!({}));
    let first = host.ran("grows-memory", &poison).await;
    assert!(matches!(&first.end, End::Retried { cause, .. } if cause.contains("memory")), "{:?}", first.end);
    host.done("echo", &event("healthy", &json!(1))).await;
    let ended = host.work_off().await;
    let attempts: Vec<u32> = ended.iter().map(|ended| ended.work.attempt).collect();
    assert_eq!(attempts, [2, 3]);
    let End::Dead(cause) = &ended[1].end else { panic!("{ended:?}") };
    assert!(cause.starts_with("attempts used up (3)") && cause.contains("memory"), "{cause}");
    // It is handed to nobody any more, and whoever sends it again hears why.
    host.pass(100 * 24 * 3_600_000).await;
    assert!(host.work_off().await.is_empty());
    let standing = host.answered("grows-memory", &poison).await.standing;
    assert!(matches!(&standing, Standing::Dead { cause } if cause.contains("memory")), "{standing:?}");
}

#[tokio::test]
async fn s18_a_work_that_waits_for_its_next_attempt_can_be_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("grows_memory").attempts(3).start().await;
    let poison = event("poison", &json!({}));
    let id = host.ran("grows-memory", &poison).await.work.work_id;
    let work = onceward::store::work::WorkRef { namespace: support::host::NAMESPACE.to_owned(), id };
    let noor = onceward::store::operate::Actor {
        name: "Noor".to_owned(),
        reason: "it never fits".to_owned(),
        action: None,
    };
    let cancel = onceward::store::operate::WorkDecision::Cancel;
    host.store.work_decide(work, cancel, noor).await.unwrap();
    host.pass(3_600_000).await;
    assert!(host.work_off().await.is_empty());
    assert_eq!(host.work(id).await.state, WorkState::Cancelled);
    assert_eq!(host.answered("grows-memory", &poison).await.standing, Standing::Cancelled);
}

#[tokio::test]
async fn s14_a_sender_that_is_cut_off_after_it_moved_money_moves_it_once_or_asks_a_person() {
    for (tier, state, requests) in [(Tier::Key, RowState::Sending, 2), (Tier::Blind, RowState::InDoubt, 1)] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let dying = Dying::new(Then::Panic);
        let envelope = Envelope::new(receiver.url("/any/payments"));
        let host = with_rows(enqueuer(dir.path(), &receiver).crm(envelope, dying).tier(tier), &["a"]).await;
        assert!(host.deliver().await.attempts.is_empty(), "nobody hears what came of it");
        assert_eq!(receiver.counts().await.unwrap().created, 1, "the money has moved");
        host.answered("enqueues", &case("a")).await;
        host.pass(i64::try_from(DELIVERY_LEASE_MS).unwrap()).await;
        host.deliver().await;
        let row = host.row().await;
        assert_eq!((row.state, row.maybe_applied), (state, true), "{tier:?}");
        let counts = receiver.counts().await.unwrap();
        assert_eq!((counts.created, counts.requests), (1, requests), "{tier:?}");
    }
}
