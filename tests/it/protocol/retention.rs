//! What is forgotten in its time, and stays done all the same.

use crate::protocol::receiver;
use onceward::dispatch::retention::Retention;
use onceward::identity::event::Event;
use onceward::store::claim::Standing;
use onceward::store::operate::Actor;
use onceward::store::work::WorkState;
use serde_json::json;
use std::sync::Arc;
use support::host::{HostBuilder, NAMESPACE, TestHost, event};

/// The window of the step `keeps-an-hour`, in milliseconds.
const HOUR_MS: i64 = 3_600_000;

fn retention(host: &TestHost) -> Retention {
    Retention::new(Arc::clone(&host.store), NAMESPACE.to_owned(), Some(24 * HOUR_MS))
}

/// An event of which the step makes one deal, and of which its sender says not when it happened.
fn untimed(id: &str) -> Event {
    let text = json!({ "source": "test", "id": id, "data": { "deal": { "title": id } } });
    Event::parse(text.to_string().as_bytes()).expect("a well-formed event")
}

#[tokio::test]
async fn an_event_that_was_forgotten_makes_no_second_deal() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host =
        HostBuilder::new(dir.path()).step("keeps_an_hour").crm_at(&receiver.url("/deals")).start().await;
    // It happened an hour before the clock began, to the millisecond.
    let timed = event("timed", &json!({ "deal": { "title": "timed" } }));
    for event in [&timed, &untimed("untimed")] {
        host.done("keeps-an-hour", event).await;
    }
    host.deliver_off().await;
    host.pass(HOUR_MS + 1_000).await;
    let seen = retention(&host).look(support::sim_clock::START_MS + HOUR_MS + 1_000).await.unwrap();
    let report = retention(&host).run_once().await.unwrap();
    assert_eq!((report.families, report.kept.len()), (2, 0));
    assert_eq!(seen.families, report.families);
    assert!(host.works().await.is_empty() && host.rows().await.is_empty());
    for event in [&timed, &untimed("untimed")] {
        assert_eq!(host.answered("keeps-an-hour", event).await.standing, Standing::TooOld);
    }
    assert_eq!(receiver.counts().await.unwrap().created, 2);
    assert_eq!(retention(&host).run_once().await.unwrap().families, 0, "doing it twice is doing it once");
}

#[tokio::test]
async fn an_event_stays_as_long_as_its_deal_is_not_delivered() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host =
        HostBuilder::new(dir.path()).step("keeps_an_hour").crm_at(&receiver.url("/deals")).start().await;
    host.done("keeps-an-hour", &untimed("a")).await;
    host.pass(100 * HOUR_MS).await;
    assert_eq!(retention(&host).run_once().await.unwrap().families, 0);
    host.deliver_off().await;
    host.pass(HOUR_MS).await;
    assert_eq!(retention(&host).run_once().await.unwrap().families, 0, "the window begins with the delivery");
    assert_eq!(host.works().await[0].state, WorkState::Done);
    host.pass(HOUR_MS).await;
    assert_eq!(retention(&host).run_once().await.unwrap().families, 1);
    assert_eq!(receiver.counts().await.unwrap().created, 1);
}

#[tokio::test]
async fn a_limit_ends_a_pass_and_the_next_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("keeps_until_synced").start().await;
    for id in 0..5 {
        host.done("keeps-until-synced", &untimed(&id.to_string())).await;
    }
    host.pass(1).await;
    let actor = Actor { name: "sync".to_owned(), reason: "nightly".to_owned(), action: None };
    host.store.marker_set(NAMESPACE, "synced", actor).await.unwrap();
    for (limit, forgotten) in [(2, 2), (0, 0), (10, 3), (10, 0)] {
        let report = retention(&host).limit(limit).run_once().await.unwrap();
        assert_eq!(report.families, forgotten);
    }
}
