//! What a real run has left as evidence, replayed on the model of the protocol.

use crate::protocol::case;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::contract::tier::Tier;
use onceward::dispatch::end::End;
use onceward::identity::key::WorkId;
use onceward::store::operate::{Actor, Decided, RowDecision};
use onceward::store::outbox::{RowRef, RowState};
use onceward::store::work::WorkState;
use onceward_model::rules;
use onceward_model::trace::{TraceEvent, accept_with};
use serde_json::json;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;

/// Far beyond every lease and delay.
const LATER_MS: i64 = 3_600_000;

/// The work's evidence has these kinds, and the model allows it; and no more once its end is told a second time.
async fn check(host: &TestHost, work: WorkId, tier: rules::Tier, kinds: &[&str]) {
    let lines = host.evidence(work).await.into_iter();
    let mut events: Vec<_> = lines.map(|(kind, detail)| TraceEvent::new(kind, detail)).collect();
    for kind in kinds {
        assert!(events.iter().any(|event| event.kind == *kind), "no {kind} in {events:?}");
    }
    assert_eq!(accept_with(tier, &events), Ok(()), "{events:?}");
    let last = events.last().expect("a work has evidence").clone();
    events.push(last);
    let rejection = accept_with(tier, &events).expect_err("nothing ends twice");
    assert_eq!(rejection.at, events.len() - 1, "{rejection}");
}

#[tokio::test]
async fn the_model_allows_a_takeover_and_a_lost_reply() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let slow = host.hold("enqueues", &case("a")).await;
    let id = slow.work().work_id;
    let slow = slow.run(&host.dispatcher).await;
    host.pass(LATER_MS).await;
    let taken = host.take("enqueues").await.run(&host.dispatcher).await;
    assert_eq!(slow.settle(&host.dispatcher).await.unwrap().end, End::LeaseLost);
    taken.settle(&host.dispatcher).await.unwrap();

    receiver.fault(&["lose-reply"]).unwrap();
    host.deliver().await;
    host.pass(LATER_MS).await;
    host.deliver_off().await;
    assert_eq!((host.row().await.state, receiver.counts().await.unwrap().created), (RowState::Sent, 1));
    check(&host, id, rules::Tier::Key, &["claimed", "enqueued", "settled", "sending", "again", "sent"]).await;
}

#[tokio::test]
async fn the_model_allows_a_row_in_doubt_that_a_person_sends_again() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver).tier(Tier::Blind), &["a"]).await;
    receiver.fault(&["lose-reply"]).unwrap();
    host.deliver_off().await;
    let row = host.row().await;
    assert_eq!(row.state, RowState::InDoubt);
    let id = host.works().await[0].work_id;
    check(&host, id, rules::Tier::Blind, &["in-doubt"]).await;

    let reference = RowRef { namespace: row.namespace, id: row.row_id };
    let actor = Actor { name: "Noor".to_owned(), reason: "it is not there".to_owned(), action: None };
    let again = RowDecision::Again { due_in_ms: 0 };
    let decided = host.store.outbox_decide(reference, again, actor).await.unwrap();
    assert!(matches!(decided, Decided::Applied), "{decided:?}");
    host.deliver_off().await;
    assert_eq!(host.row().await.state, RowState::Sent);
    check(&host, id, rules::Tier::Blind, &["in-doubt", "decided-by", "sent"]).await;
}

#[tokio::test]
async fn the_model_allows_a_work_that_is_tried_until_it_is_dead() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("retries").attempts(2).start().await;
    let id = host.ran("retries", &event("a", &json!({}))).await.work.work_id;
    host.pass(LATER_MS).await;
    host.work_off().await;
    assert_eq!(host.work(id).await.state, WorkState::Dead);
    check(&host, id, rules::Tier::Key, &["claimed", "settled"]).await;
}
