//! Steps that go on from a destination's receipt, through real guests and a real receiver.

use crate::protocol::receiver;
use onceward::dispatch::end::End;
use onceward::identity::event::Event;
use onceward::store::operate::RowDecision;
use onceward::store::outbox::RowState;
use onceward::store::work::CHAIN_DEPTH_MAX;
use onceward::store::work::WorkRecord;
use onceward::store::work::WorkState;
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::receiver::Receiver;

fn builder(dir: &Path, receiver: &Receiver) -> HostBuilder {
    HostBuilder::new(dir).step("enqueues_as").step("follows_receipt").crm_at(&receiver.url("/deals"))
}

/// Rows of these slots, whose receipts are for the step `follows-receipt`.
fn deals(id: &str, slots: &[&str], body: &Value) -> Event {
    let row = |slot: &&str| json!({ "slot": slot, "body": body, "receipt_step": "follows-receipt" });
    event(id, &json!({ "rows": slots.iter().map(row).collect::<Vec<_>>() }))
}

/// The works that go on from receipts, oldest first.
async fn followers(host: &TestHost) -> Vec<WorkRecord> {
    host.works().await.into_iter().filter(|work| work.step == "follows-receipt").collect()
}

/// What a finished one was given.
fn given(work: &WorkRecord) -> Value {
    serde_json::from_str(work.output.as_deref().expect("it is done")).expect("JSON")
}

#[tokio::test]
async fn a_step_goes_on_from_the_receipt_once_with_the_id_that_the_destination_gave() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = builder(dir.path(), &receiver).start().await;
    host.done("enqueues-as", &deals("a", &["deal"], &json!({ "title": "New" }))).await;
    assert!(followers(&host).await.is_empty(), "nothing was accepted yet");
    receiver.fault(&["lose-reply"]).unwrap();
    host.deliver_off().await;
    host.deliver_off().await;
    host.work_off().await;
    let works = followers(&host).await;
    let [work] = &works[..] else { panic!("{works:?}") };
    let row = host.row().await;
    assert_eq!((work.state, work.chain_depth), (WorkState::Done, 1));
    let given = given(work);
    assert_eq!(given["row"], json!(row.row_id.to_string()));
    assert_eq!((&given["destination"], &given["slot"]), (&json!("crm"), &json!("deal")));
    assert_eq!((&given["reference"], &given["receipt"]["id"]), (&json!("deal-1"), &json!("deal-1")));
    assert_eq!(given["sent"], json!({ "title": "New" }));
    assert_eq!(row.receipt_step.as_deref(), Some("follows-receipt"));
}

#[tokio::test]
async fn two_rows_of_one_event_may_name_the_same_step() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = builder(dir.path(), &receiver).start().await;
    host.done("enqueues-as", &deals("a", &["one", "two"], &json!({}))).await;
    host.deliver_off().await;
    host.work_off().await;
    let mut slots: Vec<Value> =
        followers(&host).await.iter().map(|work| given(work)["slot"].clone()).collect();
    slots.sort_by_key(Value::to_string);
    assert_eq!(slots, [json!("one"), json!("two")]);
}

#[tokio::test]
async fn a_receipt_that_cannot_be_read_or_names_no_id_leaves_the_next_step_to_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = builder(dir.path(), &receiver).start().await;
    let check = async |id: &str, place: usize, words: &str| {
        host.deliver_off().await;
        host.work_off().await;
        assert_eq!(host.rows().await[place].state, RowState::Sent, "{id}: it was accepted");
        let work = &followers(&host).await[place];
        assert_eq!(work.state, WorkState::Review, "{id}");
        assert!(work.cause.as_deref().is_some_and(|why| why.contains(words)), "{id}: {:?}", work.cause);
    };
    host.done("enqueues-as", &deals("a", &["deal"], &json!({}))).await;
    receiver.fault(&["unreadable-receipt"]).unwrap();
    check("unreadable", 0, "can't be read").await;

    // The destination is set up to read the id where this answer has none.
    let (clock, oracle) = host.end().await;
    let envelope = onceward::connectors::Envelope {
        reference: Some("/data/id".to_owned()),
        ..onceward::connectors::Envelope::new(receiver.url("/deals"))
    };
    let host = builder(dir.path(), &receiver).crm_over_http(envelope).doors_of(&clock, &oracle).start().await;
    host.done("enqueues-as", &deals("b", &["deal"], &json!({}))).await;
    host.deliver_off().await;
    host.work_off().await;
    let row = &host.rows().await[1];
    assert_eq!((row.state, row.external_reference.as_deref()), (RowState::Sent, None));
    let work = &followers(&host).await[1];
    assert_eq!(work.state, WorkState::Review);
    assert!(work.cause.as_deref().is_some_and(|why| why.contains("/data/id")), "{:?}", work.cause);
}

#[tokio::test]
async fn a_persons_word_that_it_was_applied_goes_on_as_a_receipt_does() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = builder(dir.path(), &receiver).start().await;
    host.done("enqueues-as", &deals("a", &["deal"], &json!({ "title": "New" }))).await;
    receiver.fault(&["status:400"]).unwrap();
    host.deliver_off().await;
    let said = RowDecision::Sent { external_reference: Some("deal-7".to_owned()) };
    host.decide(host.row().await.row_id, said).await;
    host.work_off().await;
    let given = given(&followers(&host).await[0]);
    assert_eq!((&given["reference"], &given["receipt"]), (&json!("deal-7"), &Value::Null));
}

#[tokio::test]
async fn a_step_that_follows_itself_for_ever_ends_at_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = builder(dir.path(), &receiver).start().await;
    host.done("enqueues-as", &deals("a", &["d"], &json!({ "again": true }))).await;
    let mut last = None;
    loop {
        host.deliver_off().await;
        match host.work_off().await.pop() {
            Some(ended) => last = Some(ended),
            None => break,
        }
    }
    let last = last.expect("it went on");
    assert_eq!(last.work.chain_depth, CHAIN_DEPTH_MAX);
    assert!(matches!(&last.end, End::Rejected(why) if why.contains("chain depth")), "{:?}", last.end);
    let counts = receiver.counts().await.unwrap();
    assert_eq!(counts.created, u64::from(CHAIN_DEPTH_MAX), "one deal a link");
}

#[tokio::test]
async fn a_receipt_step_that_this_host_does_not_run_is_refused_with_those_it_does() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = HostBuilder::new(dir.path()).step("enqueues_as").crm_at(&receiver.url("/deals")).start().await;
    let ended = host.ran("enqueues-as", &deals("a", &["deal"], &json!({}))).await;
    let End::Rejected(why) = &ended.end else { panic!("{:?}", ended.end) };
    assert!(why.contains("follows-receipt") && why.contains("enqueues-as"), "{why}");
    assert!(host.rows().await.is_empty());
}
