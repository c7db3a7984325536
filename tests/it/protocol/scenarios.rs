//! Scenarios from the field, by their numbers, through the protocol in this process.

use crate::protocol::case;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::dispatch::end::End;
use onceward::dispatch::step::DispatchError;
use onceward::identity::event::Event;
use onceward::store::claim::{Repeat, Standing};
use onceward::store::error::StoreError;
use onceward::store::operate::{Actor, Decided, WorkDecision};
use onceward::store::outbox::RowState;
use onceward::store::work::{WorkRef, WorkState};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::host::HostBuilder;
use support::host::event;
use support::observe::output;
use tokio::task::JoinSet;

const TRIAGE: &str = r#"{"type":"support","priority":"low","summary":"s","reply":"r","confidence":1}"#;

#[tokio::test]
async fn s01_the_same_webhook_on_two_connections_is_one_work_one_call_and_one_deal() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let builder = HostBuilder::new(dir.path()).step("lead_classifier").step("crm_writer");
    let host = builder.flow(&["lead-classifier", "crm-writer"]).crm_at(&receiver.url("/deals")).start().await;
    host.oracle.next(Ok(TRIAGE));
    host.oracle.delay(Duration::from_millis(300));
    let event = event("1", &json!({ "source": "form", "message_id": "m-1", "text": "hi" }));
    let first = host.ran("lead-classifier", &event);
    let second = async {
        // The first connection is at the model; the second one arrives now.
        host.oracle.until_asked(1).await;
        host.answered("lead-classifier", &event).await
    };
    let (first, second) = tokio::join!(first, second);
    assert!(matches!(first.end, End::Done { .. }), "{:?}", first.end);
    let Standing::InProgress { state: WorkState::Running, retry_after_ms } = second.standing else {
        panic!("{second:?}")
    };
    assert!((1..=1_000).contains(&retry_after_ms), "a hint, and a short one: {retry_after_ms}");
    assert_eq!(host.work(first.work.work_id).await.duplicates, 1);

    host.work_off().await;
    host.deliver_off().await;
    assert_eq!((host.oracle.calls(), receiver.counts().await.unwrap().created), (1, 1));
}

#[tokio::test]
async fn s03_the_same_contact_with_two_messages_is_two_works_and_two_rows() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["m-1", "m-2"]).await;
    assert_eq!((host.works().await.len(), host.rows().await.len()), (2, 2));
}

#[tokio::test]
async fn s08_a_slow_worker_that_was_taken_over_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let slow = host.hold("enqueues", &case("a")).await;
    let id = slow.work().work_id;
    let slow = slow.run(&host.dispatcher).await;
    host.pass(3_600_000).await;
    let taken = host.take("enqueues").await;

    let late = slow.settle(&host.dispatcher).await.unwrap();
    assert_eq!(late.end, End::LeaseLost);
    assert!(host.rows().await.is_empty(), "what it had collected is gone");
    let work = host.work(id).await;
    assert_eq!((work.state, work.attempt, work.output), (WorkState::Running, 2, None));

    let ended = taken.run(&host.dispatcher).await.settle(&host.dispatcher).await.unwrap();
    assert!(ended.takeover && matches!(ended.end, End::Done { .. }), "{ended:?}");
    assert_eq!((host.work(id).await.state, host.rows().await.len()), (WorkState::Done, 1));
}

#[tokio::test]
async fn s08_a_slow_worker_that_finishes_after_the_other_one_leaves_its_success_alone() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("traps").step("retries").step("items").start().await;
    // Whatever the late run came to: a failure, a wish for another attempt, a result.
    for step in ["traps", "retries", "items"] {
        let event = event(step, &json!({ "items": [] }));
        let slow = host.hold(step, &event).await;
        let id = slow.work().work_id;
        let slow = slow.run(&host.dispatcher).await;
        host.pass(3_600_000).await;
        let taken = host.take(step).await.run(&host.dispatcher).await;
        taken.settle(&host.dispatcher).await.unwrap();
        let (before, evidence) = (host.work(id).await, host.evidence(id).await);
        assert_eq!(slow.settle(&host.dispatcher).await.unwrap().end, End::LeaseLost, "{step}");
        let after = host.work(id).await;
        assert_eq!(
            (after.state, after.cause, after.output),
            (before.state, before.cause, before.output),
            "{step}"
        );
        assert_eq!(host.evidence(id).await, evidence, "{step}");
    }
}

#[tokio::test]
async fn s08_a_worker_that_was_taken_over_claims_no_item_and_pins_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("items").step("decides").start().await;
    for (step, payload) in
        [("items", json!({ "items": ["a"] })), ("decides", json!({ "prompt_version": "1" }))]
    {
        let event = event(step, &payload);
        let slow = host.hold(step, &event).await;
        host.pass(3_600_000).await;
        let taken = host.take(step).await;
        // The slow one runs only now, and the first primitive it calls tells it.
        let late = slow.run(&host.dispatcher).await.settle(&host.dispatcher).await.unwrap();
        assert_eq!(late.end, End::LeaseLost, "{step}");
        let ended = taken.run(&host.dispatcher).await.settle(&host.dispatcher).await.unwrap();
        match step {
            "items" => assert_eq!(output(&ended), json!(["acquired"])),
            _ => assert_eq!(output(&ended)["answer"], json!({ "call": 1 }), "a paid answer is kept"),
        }
    }
    assert_eq!(host.oracle.calls(), 1);
}

#[tokio::test]
async fn s08_a_model_slower_than_the_lease_is_paid_once() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("decides").start().await;
    host.oracle.delay(Duration::from_millis(300));
    let event = event("1", &json!({ "prompt_version": "1" }));
    let slow = host.hold("decides", &event).await.run(&host.dispatcher);
    let takeover = async {
        host.oracle.until_asked(1).await;
        host.pass(3_600_000).await;
        host.take("decides").await.run(&host.dispatcher).await.settle(&host.dispatcher).await.unwrap()
    };
    let (slow, taken) = tokio::join!(slow, takeover);
    assert_eq!(output(&taken)["answer"], json!({ "call": 1 }));
    assert_eq!(slow.settle(&host.dispatcher).await.unwrap().end, End::LeaseLost);
    assert_eq!(host.oracle.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn s10_of_twenty_callers_one_runs_and_none_gets_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let host = Arc::new(HostBuilder::new(dir.path()).step("decides").start().await);
    host.oracle.delay(Duration::from_millis(200));
    let mut callers = JoinSet::new();
    for _ in 0..20 {
        let host = Arc::clone(&host);
        let event = event("1", &json!({ "prompt_version": "1" }));
        callers.spawn(async move { host.run("decides", &event).await });
    }
    let (mut ran, mut told) = (0, 0);
    for answer in callers.join_all().await {
        match answer.expect("no caller gets an error") {
            Ok(ended) => {
                assert_eq!(output(&ended)["answer"], json!({ "call": 1 }));
                ran += 1;
            }
            Err(answered) => match answered.standing {
                Standing::InProgress { retry_after_ms, .. } => {
                    assert!(retry_after_ms > 0);
                    told += 1;
                }
                Standing::Done(Repeat::Original { output, .. }) => {
                    assert!(output.contains("\"call\":1"), "{output}");
                    told += 1;
                }
                other => panic!("{other:?}"),
            },
        }
    }
    assert_eq!((ran, told, host.oracle.calls()), (1, 19, 1));
    assert_eq!(host.works().await[0].duplicates, 19);
}

/// Another process's write transaction on the ledger, open until it is dropped.
fn busy(dir: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(dir.join("onceward.db")).expect("the ledger is there");
    connection.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_a_ledger_that_is_busy_for_a_moment_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("echo").start().await;
    let other = busy(dir.path());
    let event = event("1", &json!(1));
    let mut run = Box::pin(host.run("echo", &event));
    // The moment itself is what is tested: the claim must still be waiting at its end.
    assert!(tokio::time::timeout(Duration::from_millis(500), &mut run).await.is_err(), "it did not wait");
    drop(other);
    let ended = run.await.expect("the claim is answered").expect("the work is free");
    assert_eq!((output(&ended), ended.work.attempt), (json!(1), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_a_ledger_that_stays_busy_is_an_error_to_try_again_and_no_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("echo").start().await;
    let other = busy(dir.path());
    let event = event("1", &json!(1));
    let error = host.run("echo", &event).await.expect_err("the ledger is busy");
    let DispatchError::Store(error @ StoreError::Busy { .. }) = &error else { panic!("{error}") };
    assert!(error.is_transient() && error.to_string().contains("nothing was recorded"), "{error}");
    drop(other);
    assert!(host.works().await.is_empty());
    assert_eq!(host.done("echo", &event).await, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn s11_a_settle_that_meets_a_busy_ledger_is_no_failed_work() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let ran = host.hold("enqueues", &case("a")).await;
    let id = ran.work().work_id;
    let ran = ran.run(&host.dispatcher).await;
    host.pass(0).await;
    let other = busy(dir.path());
    let error = ran.settle(&host.dispatcher).await.expect_err("the ledger is busy");
    assert!(matches!(error, DispatchError::Store(StoreError::Busy { .. })), "{error}");
    drop(other);
    assert_eq!((host.work(id).await.state, host.rows().await.len()), (WorkState::Running, 0));
    host.pass(3_600_000).await;
    host.work_off().await;
    assert_eq!((host.work(id).await.state, host.rows().await.len()), (WorkState::Done, 1));
}

#[tokio::test]
async fn s12_members_in_another_order_and_a_fresh_arrival_time_are_the_same_work() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("echo").start().await;
    let parse = |text: &str| Event::parse(text.as_bytes()).unwrap();
    let first = parse(r#"{"source":"s","id":"1","data":{"a":1,"b":{"x":2.50,"y":[]},"receivedAt":"09:00"}}"#);
    let again =
        parse(r#"{"data":{"receivedAt":"09:01","b":{"y":[],"x":2.5},"a":1.0},"id":"1","source":"s"}"#);
    let other = parse(r#"{"source":"s","id":"1","data":{"a":2,"b":{"x":2.50,"y":[]}}}"#);
    let ended = host.ran("echo", &first).await;
    assert!(matches!(host.answered("echo", &again).await.standing, Standing::Done(_)));
    assert!(matches!(host.answered("echo", &other).await.standing, Standing::Mismatch { .. }));
    let work = host.work(ended.work.work_id).await;
    assert_eq!((host.works().await.len(), work.duplicates), (1, 2));
}

#[tokio::test]
async fn s16_a_row_that_was_passed_over_is_delivered_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["first"]).await;
    receiver.fault(&["status:500:retry-after=60"]).unwrap();
    host.deliver().await;
    // A later row comes and goes while the first one waits.
    host.done("enqueues", &case("second")).await;
    host.deliver().await;
    assert_eq!(host.row_states().await, [RowState::Pending, RowState::Sent]);
    host.pass(60_000).await;
    host.deliver().await;
    assert_eq!(host.row_states().await, [RowState::Sent, RowState::Sent]);
    assert_eq!(receiver.counts().await.unwrap().created, 2);
}

#[tokio::test]
async fn s18_a_work_is_cancelled_while_it_runs_and_a_repeat_hears_so() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("decides").start().await;
    host.oracle.delay(Duration::from_millis(200));
    let event = event("a", &json!({ "prompt_version": "1" }));
    let cancel = async {
        host.oracle.until_asked(1).await;
        let work = host.works().await.remove(0);
        let work = WorkRef { namespace: work.namespace, id: work.work_id };
        let actor = Actor { name: "Noor".to_owned(), reason: "it eats the host".to_owned(), action: None };
        host.store.work_decide(work, WorkDecision::Cancel, actor).await.unwrap()
    };
    let (ended, decided) = tokio::join!(host.ran("decides", &event), cancel);
    assert_eq!(decided, Decided::Asked);
    assert!(matches!(&ended.end, End::Cancelled(cause) if cause.contains("Noor")), "{:?}", ended.end);
    assert!(matches!(host.answered("decides", &event).await.standing, Standing::Cancelled));
}

#[tokio::test]
async fn s19_a_new_event_id_for_the_same_event_is_the_same_work_by_its_fields_or_by_its_content() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("lead_sum").step("listing_scraper").start().await;
    let lead = json!({ "id": "L1", "amount": 1 });
    let page = json!({ "site": "homes.example", "listings": [] });
    for (step, data) in [("lead-sum", &lead), ("listing-scraper", &page)] {
        let first = host.ran(step, &event("emission-1", data)).await;
        let again = host.answered(step, &event("emission-2", data)).await;
        assert_eq!(again.work.id, first.work.work_id, "{step}");
        assert!(matches!(again.standing, Standing::Done(_)), "{step}: {:?}", again.standing);
    }
    // Another event is other work, under either identity.
    host.ran("lead-sum", &event("emission-3", &json!({ "id": "L2", "amount": 1 }))).await;
    let other = json!({ "site": "flats.example", "listings": [] });
    host.ran("listing-scraper", &event("emission-3", &other)).await;
    assert_eq!(host.works().await.len(), 4);
}

#[tokio::test]
async fn s25_idle_stands_beside_what_is_blocked_and_in_doubt() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let ids = ["a", "b", "c", "d", "e"];
    let host = with_rows(enqueuer(dir.path(), &receiver), &ids).await;
    receiver.fault(&["conflict", "status:400", "status:404", "status:422"]).unwrap();
    host.deliver_off().await;
    let idle = host.deliver_off().await;
    assert_eq!((idle.attempts.len(), idle.next_due_ms), (0, None));
    assert_eq!((idle.counts.of(RowState::Blocked), idle.counts.of(RowState::Sent)), (4, 1));
    assert_eq!(idle.counts.of(RowState::Pending), 0);
}
